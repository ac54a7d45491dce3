/** Home: status indicators, today's figures, what is to be fixed, and the way to the first call. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { QueryData } from "../../api/queries.ts";
import { homeQuery } from "../../api/queries.ts";
import { useText } from "../../i18n/text.tsx";
import { useLive } from "../../live/live.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Card, Figures, Page as Frame, StatusIndicator, type Tone } from "../../ui/page.tsx";
import { Loaded } from "../../ui/states.tsx";
import { statusText } from "./status-text.ts";

type Home = QueryData<typeof homeQuery>;

const TONES: Readonly<Record<Home["statuses"]["trunk"]["state"], Tone>> = {
  ok: "good",
  warning: "warn",
  failed: "bad",
  unknown: "plain",
};
const STATUS_NAMES = ["trunk", "engine", "disk", "backup", "mail"] as const;

/** The server sends whole paths; the router wants them without /app. */
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
              <Statuses statuses={data.statuses} />
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

function Statuses({ statuses }: { statuses: Home["statuses"] }) {
  const texts = useText();
  return (
    <Card title={texts.t("home.system")} flush>
      <ul className="list">
        {STATUS_NAMES.map((name) => {
          const { sentence, remedy } = statusText(statuses[name], texts);
          return (
            <li key={name}>
              <StatusIndicator tone={TONES[statuses[name].state]} />
              <div className="grow">
                <p className="strong">{texts.t(`home.system_status.${name}`)}</p>
                <p className="soft">{sentence}</p>
                {remedy && <p className="small muted">{remedy}</p>}
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
          <StatusIndicator tone="good" />
          {t("home.no_problems")}
        </div>
      ) : (
        <ul className="list">
          {problems.map((problem) => {
            const { sentence, remedy } = statusText(problem, texts);
            return (
              <li key={problem.sentence}>
                <StatusIndicator tone="warn" />
                <div className="grow">
                  <p className="strong">{sentence}</p>
                  <p className="soft">{remedy}</p>
                </div>
                {problem.href && (
                  <Link to={inApp(problem.href)} className="button small">
                    {t("home.remedy")}
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
