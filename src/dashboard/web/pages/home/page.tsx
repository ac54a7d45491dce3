/** Home: first steps, problems, the week, the latest calls, the balance, the system. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { QueryData } from "../../api/queries.ts";
import { homeQuery } from "../../api/queries.ts";
import { useText } from "../../i18n/text.tsx";
import { useNow } from "../../live/now.ts";
import { useSession } from "../../session.ts";
import { Icon } from "../../ui/icon.tsx";
import { Card, Facts, Page as Frame, StatusIndicator, type Tone } from "../../ui/page.tsx";
import { Loaded } from "../../ui/states.tsx";
import { callerOf, Outcome } from "../calls/outcome.tsx";
import { statusText } from "./status-text.ts";
import { Week } from "./week.tsx";

type Home = QueryData<typeof homeQuery>;

const TONES: Readonly<Record<Home["statuses"]["trunk"]["state"], Tone>> = {
  ok: "good",
  warning: "warn",
  failed: "bad",
  unknown: "plain",
};
const MINUTE_MS = 60_000;
const STATUS_NAMES = ["trunk", "engine", "disk", "backup", "mail"] as const;

/** Removes /app from the server's full paths, as the router expects. */
function inApp(href: string) {
  const { pathname, searchParams } = new URL(href, location.origin);
  const to = pathname.replace(/^\/app(?=\/|$)/, "") || "/";
  return { to, search: Object.fromEntries(searchParams) };
}

export function Page() {
  const { t } = useText();
  const { operator } = useSession();
  const home = useQuery(homeQuery);
  // Only the operator can make backups.
  const problems = (home.data?.problems ?? []).filter(
    ({ code }) => operator || !code.startsWith("backup_"),
  );
  return (
    <Frame title={t("nav.home")} lead={t("home.lead")}>
      <Loaded query={home} lines={8}>
        {(data) => (
          <>
            {data.checklist.some(({ done }) => !done) && <Checklist steps={data.checklist} />}
            {problems.length > 0 && <Problems problems={problems} />}
            <Week home={data} />
            <div className="columns wide">
              <LastCalls calls={data.last_calls} />
              <div className="stack">
                <Money money={data.money} />
                <System statuses={data.statuses} isWell={problems.length === 0} />
              </div>
            </div>
          </>
        )}
      </Loaded>
    </Frame>
  );
}

function Problems({ problems }: { problems: Home["problems"] }) {
  const texts = useText();
  const { t } = texts;
  return (
    <Card title={t("home.problems")} flush>
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
                <Link {...inApp(problem.href)} className="button small">
                  {t("home.remedy")}
                </Link>
              )}
            </li>
          );
        })}
      </ul>
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
              <Link {...inApp(step.href)} className="button small">
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

/** The latest calls, each with the contact's name or the number. */
function LastCalls({ calls }: { calls: Home["last_calls"] }) {
  const { t, ago } = useText();
  const now = useNow(MINUTE_MS);
  return (
    <Card
      title={t("home.last_calls")}
      actions={
        <Link to="/calls" className="button small">
          {t("home.all_calls")}
        </Link>
      }
      flush
    >
      {calls.length === 0 ? (
        <p className="card-body soft">{t("calls.empty_body")}</p>
      ) : (
        <ul className="list">
          {calls.map((call) => (
            <li key={call.call_uuid}>
              <Icon name={call.direction === "inbound" ? "inbound" : "outbound"} size={14} />
              <div className="grow">
                <p className="row">
                  <Link
                    to="/calls/$uuid"
                    params={{ uuid: call.call_uuid }}
                    className="strong nums grow"
                  >
                    {callerOf(call) ?? t("calls.withheld")}
                  </Link>
                  <Outcome call={call} />
                  <span className="small muted nowrap">{ago(call.created_at, now)}</span>
                </p>
                {call.summary && <p className="soft clamp">{call.summary}</p>}
              </div>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

function Money({ money }: { money: Home["money"] }) {
  const { t, eur, count } = useText();
  const { isOwner } = useSession();
  return (
    <Card
      title={t("home.money")}
      actions={
        isOwner && (
          <Link to="/billing" search={{ tab: "wallet" }} className="button small">
            {t("home.top_up")}
          </Link>
        )
      }
    >
      <Facts
        facts={[
          [t("home.balance"), eur(money.balance_eur)],
          [t("home.plan"), money.plan],
          [t("home.plan_left"), count("home.minutes_left", money.included_minutes_left)],
        ]}
      />
    </Card>
  );
}

/** One line if all is well. Failures are listed among the problems only. */
function System({ statuses, isWell }: { statuses: Home["statuses"]; isWell: boolean }) {
  const texts = useText();
  const { t } = texts;
  return (
    <details className="card disclosure">
      <summary>
        <StatusIndicator tone={isWell ? "good" : "warn"} />
        <span className="strong">{t("home.system")}</span>
        <span className="soft">{t(isWell ? "home.all_well" : "home.not_well")}</span>
      </summary>
      <ul className="list">
        {STATUS_NAMES.map((name) => (
          <li key={name}>
            <StatusIndicator tone={TONES[statuses[name].state]} />
            <div className="grow">
              <p className="strong">{t(`home.system_status.${name}`)}</p>
              {statuses[name].state === "ok" && (
                <p className="soft">{statusText(statuses[name], texts).sentence}</p>
              )}
            </div>
          </li>
        ))}
      </ul>
    </details>
  );
}
