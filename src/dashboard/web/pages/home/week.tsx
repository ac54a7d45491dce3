/** Seven days as lines: the total, today's share, and the change from the week before. */
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
  readonly now: number | null;
  /** Value of the week before in the same unit; null if there is none. */
  readonly before: number | null;
  readonly values: readonly (number | null)[];
  readonly valuesBefore: readonly (number | null)[];
  readonly show: (value: number) => string;
}

const share = ({ answered, calls }: Pick<Day, "answered" | "calls">) =>
  calls === 0 ? null : answered / calls;

const sum = (days: readonly Day[], pick: (day: Day) => number) =>
  days.reduce((total, day) => total + pick(day), 0);

const shareOf = (days: readonly Day[]) =>
  share({ answered: sum(days, (day) => day.answered), calls: sum(days, (day) => day.calls) });

function slowest(days: readonly Day[]): number | null {
  const measured = days.flatMap(({ p95_ms }) => (p95_ms === null ? [] : [p95_ms]));
  return measured.length === 0 ? null : Math.max(...measured);
}

function linesOf({ week: { days, before }, latency }: Home, texts: Texts): Line[] {
  const { t, number, eur, percent, ms } = texts;
  const today = days.at(-1);
  const orDash = (value: number | null, show: Line["show"]) => (value === null ? "–" : show(value));
  const line = (
    label: string,
    show: Line["show"],
    whole: (days: readonly Day[]) => number | null,
    daily: (day: Day) => number | null,
  ) => ({
    label,
    show,
    now: whole(days),
    before: whole(before),
    total: orDash(whole(days), show),
    note: t("home.today_is", { value: orDash(today ? daily(today) : null, show) }),
    values: days.map(daily),
    valuesBefore: before.map(daily),
  });
  const counted = (label: string, key: "calls" | "minutes" | "cost_eur", show: Line["show"]) =>
    line(
      label,
      show,
      (all) => sum(all, (day) => day[key]),
      (day) => day[key],
    );
  return [
    counted(t("nav.calls"), "calls", number),
    counted(t("home.week_minutes"), "minutes", number),
    line(t("home.week_answered"), percent, shareOf, share),
    {
      ...line(t("home.latency"), ms, slowest, ({ p95_ms }) => p95_ms),
      note: t("home.today_median", { value: ms(latency.p50_ms) }),
    },
    counted(t("home.week_cost"), "cost_eur", (value) => eur(value)),
  ];
}

export function Week({ home }: { home: Home }) {
  const texts = useText();
  const { t, number } = texts;
  const { calls, state } = useLive();
  const live = state === "open" ? calls.length : home.live_calls;
  const { days, missed } = home.week;
  return (
    <Card
      title={t("home.week")}
      note={
        <span className="row" aria-hidden="true">
          <span className="line-key">{t("home.line_now")}</span>
          <span className="line-key before">{t("home.line_before")}</span>
        </span>
      }
      actions={
        <>
          <Link to="/calls" search={{ status: "missed", from: days[0]?.date }}>
            {t("home.missed")}: <span className="strong nums">{number(missed)}</span>
          </Link>
          <Link to="/live">
            {t("home.live")}: <span className="strong nums">{number(live)}</span>
          </Link>
        </>
      }
      flush
    >
      <dl className="figures week">
        {linesOf(home, texts).map((line) => (
          <WeekLine key={line.label} line={line} days={days} />
        ))}
      </dl>
    </Card>
  );
}

function WeekLine({ line, days }: { line: Line; days: readonly Day[] }) {
  const { t, day: dayText } = useText();
  const { label, total, note, values, valuesBefore, show } = line;
  const told = days.map((day, at) => {
    const [value, before] = [values[at] ?? null, valuesBefore[at] ?? null];
    const now = `${dayText(day.date)}: ${value === null ? "–" : show(value)}`;
    return before ? `${now}, ${t("home.week_before", { value: show(before) })}` : now;
  });
  return (
    <div className="figure">
      <dt>{label}</dt>
      <dd>
        {total}
        <small>{note}</small>
        <Compared line={line} />
        <SparkLine label={`${label}. ${told.join("; ")}`} values={values} before={valuesBefore} />
      </dd>
    </div>
  );
}

/** Change from the week before. */
function Compared({ line: { now, before, show } }: { line: Line }) {
  const { t } = useText();
  if (now === null || before === null) return <small>{"\u00a0"}</small>;
  const sign = show(now) === show(before) ? "=" : now > before ? "↑" : "↓";
  return (
    <small>
      <span aria-hidden="true">{sign} </span>
      {t("home.week_before", { value: show(before) })}
    </small>
  );
}
