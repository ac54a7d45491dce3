/** Home: lamps, today's figures, what is to be mended, and the way to the first call. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { QueryData } from "../../api/queries.ts";
import { homeQuery } from "../../api/queries.ts";
import { useText } from "../../i18n/text.tsx";
import { useLive } from "../../live/live.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Card, Figures, Page as Frame, Lamp, type Tone } from "../../ui/page.tsx";
import { Loaded } from "../../ui/states.tsx";
import { inWords } from "./matter.ts";

type Home = QueryData<typeof homeQuery>;

const TONES: Readonly<Record<Home["lamps"]["trunk"]["state"], Tone>> = {
  ok: "good",
  warning: "warn",
  failed: "bad",
  unknown: "plain",
};
const LAMPS = ["trunk", "engine", "disk", "backup", "mail"] as const;

/** The server names pages by their whole address; the router knows them below /app. */
const inApp = (href: string) => href.replace(/^\/app(?=\/|$)/, "") || "/";

export function Page() {
  const { t } = useText();
  const home = useQuery(homeQuery);
  return (
    <Frame title={t("nav.home")} lead={t("home.lead")}>
      <Loaded query={home} lines={8}>
        {(data) => (
          <>
            <Today home={data} />
            <div className="columns wide">
              {data.checklist.some(({ done }) => !done) && <Checklist steps={data.checklist} />}
              <Problems problems={data.problems} />
              <Lamps lamps={data.lamps} />
            </div>
          </>
        )}
      </Loaded>
    </Frame>
  );
}

function Today({ home }: { home: Home }) {
  const { t, number, eur, ms } = useText();
  const { calls, state } = useLive();
  const live = state === "open" ? calls.length : home.live_calls;
  return (
    <Figures
      figures={[
        {
          label: t("home.live"),
          value: <Link to="/live">{number(live)}</Link>,
        },
        { label: t("home.calls"), value: number(home.today.calls) },
        { label: t("home.minutes"), value: number(home.today.minutes) },
        { label: t("home.cost"), value: eur(home.today.cost_eur) },
        {
          label: t("home.latency"),
          value: ms(home.latency.p50_ms),
          note:
            home.latency.p90_ms === null
              ? undefined
              : t("home.latency_note", { p90: ms(home.latency.p90_ms) }),
        },
      ]}
    />
  );
}

function Lamps({ lamps }: { lamps: Home["lamps"] }) {
  const texts = useText();
  return (
    <Card title={texts.t("home.system")} flush>
      <ul className="list">
        {LAMPS.map((name) => {
          const { sentence, mend } = inWords(lamps[name], texts);
          return (
            <li key={name}>
              <Lamp tone={TONES[lamps[name].state]} />
              <div className="grow">
                <p className="strong">{texts.t(`home.lamp.${name}`)}</p>
                <p className="soft">{sentence}</p>
                {mend && <p className="small muted">{mend}</p>}
              </div>
            </li>
          );
        })}
      </ul>
    </Card>
  );
}

function Problems({ problems }: { problems: Home["problems"] }) {
  const texts = useText();
  const { t } = texts;
  return (
    <Card title={t("home.problems")} flush>
      {problems.length === 0 ? (
        <div className="card-body row">
          <Lamp tone="good" />
          {t("home.no_problems")}
        </div>
      ) : (
        <ul className="list">
          {problems.map((problem) => {
            const { sentence, mend } = inWords(problem, texts);
            return (
              <li key={problem.sentence}>
                <Lamp tone="warn" />
                <div className="grow">
                  <p className="strong">{sentence}</p>
                  <p className="soft">{mend}</p>
                </div>
                {problem.href && (
                  <Link to={inApp(problem.href)} className="button small">
                    {t("home.mend")}
                  </Link>
                )}
              </li>
            );
          })}
        </ul>
      )}
    </Card>
  );
}

function Checklist({ steps }: { steps: Home["checklist"] }) {
  const { t } = useText();
  return (
    <Card title={t("home.checklist")} note={t("home.checklist_note")} flush>
      <ol className="steps">
        {steps.map((step, at) => (
          <li key={step.id}>
            <span className={step.done ? "step-mark done" : "step-mark"} aria-hidden="true">
              {step.done ? <Icon name="check" size={13} /> : at + 1}
            </span>
            <span className={step.done ? "grow done-text" : "grow strong"}>
              {t(`home.step.${step.id}`)}
              {step.done && <span className="visually-hidden"> ({t("home.step_done")})</span>}
            </span>
            {!step.done && (
              <Link to={inApp(step.href)} className="button small">
                {t("home.step_open")}
                <span className="visually-hidden">: {t(`home.step.${step.id}`)}</span>
              </Link>
            )}
          </li>
        ))}
      </ol>
    </Card>
  );
}
