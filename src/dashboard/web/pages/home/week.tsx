/** Seven days as lines: what they come to, what today has of it, and how the week before was. */
import { Link } from "@tanstack/react-router";
import type { homeQuery, QueryData } from "../../api/queries.ts";
import { type Texts, useText } from "../../i18n/text.tsx";
import { useLive } from "../../live/live.tsx";
import { Card } from "../../ui/page.tsx";
import { SparkLine } from "../../ui/spark-line.tsx";

type Home = QueryData<typeof homeQuery>;
type Day = Home["week"]["days"][number];

interface Line {
  readonly label: string;
  readonly total: string;
  readonly note: string;
  /** Of the week before, in the same unit; null: not compared. */
  readonly before: number | null;
  readonly now: number | null;
  readonly values: readonly (number | null)[];
  readonly show: (value: number) => string;
}

const share = ({ answered, calls }: Pick<Day, "answered" | "calls">) =>
  calls === 0 ? null : answered / calls;

function linesOf({ week: { days, before }, latency }: Home, texts: Texts): Line[] {
  const { t, number, eur, percent, ms } = texts;
  const sum = (pick: (day: Day) => number) => days.reduce((total, day) => total + pick(day), 0);
  const today = days.at(-1);
  const counted = (label: string, key: "calls" | "minutes" | "cost_eur", show: Line["show"]) => {
    const now = sum((day) => day[key]);
    return {
      ...{ label, show, now, before: before[key], total: show(now) },
      note: t("home.today_is", { value: show(today?.[key] ?? 0) }),
      values: days.map((day) => day[key]),
    };
  };
  const answered = share({ answered: sum((day) => day.answered), calls: sum((day) => day.calls) });
  const orDash = (value: number | null, show: Line["show"]) => (value === null ? "–" : show(value));
  const latencies = days.flatMap(({ p95_ms }) => (p95_ms === null ? [] : [p95_ms]));
  return [
    counted(t("nav.calls"), "calls", number),
    counted(t("home.week_minutes"), "minutes", (value) => number(Math.round(value))),
    {
      ...{ label: t("home.week_answered"), show: percent, now: answered, before: share(before) },
      total: orDash(answered, percent),
      note: t("home.today_is", { value: orDash(today ? share(today) : null, percent) }),
      values: days.map(share),
    },
    {
      ...{ label: t("home.latency"), show: ms, now: null, before: null },
      total: orDash(latencies.length === 0 ? null : Math.max(...latencies), ms),
      note: t("home.today_median", { value: ms(latency.p50_ms) }),
      values: days.map(({ p95_ms }) => p95_ms),
    },
    counted(t("home.week_cost"), "cost_eur", (value) => eur(value)),
  ];
}

export function Week({ home }: { home: Home }) {
  const texts = useText();
  const { t, number } = texts;
  const { calls, state } = useLive();
  const live = state === "open" ? calls.length : home.live_calls;
  return (
    <Card
      title={t("home.week")}
      actions={
        <Link to="/live" className="row firm tight">
          {t("home.live")}: <span className="strong nums">{number(live)}</span>
        </Link>
      }
      flush
    >
      <dl className="figures week">
        {linesOf(home, texts).map((line) => (
          <WeekLine key={line.label} line={line} days={home.week.days} />
        ))}
      </dl>
    </Card>
  );
}

function WeekLine({ line, days }: { line: Line; days: readonly Day[] }) {
  const { date } = useText();
  const { label, total, note, values, show } = line;
  const told = days.map((day, at) => {
    const value = values[at] ?? null;
    return `${date(day.date)}: ${value === null ? "–" : show(value)}`;
  });
  return (
    <div className="figure">
      <dt>{label}</dt>
      <dd>
        {total}
        <small>{note}</small>
        <Compared line={line} />
        <SparkLine label={`${label}. ${told.join("; ")}`} values={values} />
      </dd>
    </div>
  );
}

/** How the week before was: more or less than this one. */
function Compared({ line: { now, before, show } }: { line: Line }) {
  const { t } = useText();
  if (now === null || before === null) return <small>{"\u00a0"}</small>;
  const sign = now > before ? "↑" : now < before ? "↓" : "=";
  return (
    <small>
      <span aria-hidden="true">{sign} </span>
      {t("home.week_before", { value: show(before) })}
    </small>
  );
}
