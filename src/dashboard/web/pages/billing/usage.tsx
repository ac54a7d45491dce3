/** Usage of a month: totals, minutes by day, by agent, and by time of day. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { analyticsQuery, type QueryData, usageQuery } from "../../api/queries.ts";
import { useText } from "../../i18n/text.tsx";
import { Bars } from "../../ui/bars.tsx";
import { FilterSelect } from "../../ui/field.tsx";
import { Card, Facts, Figures } from "../../ui/page.tsx";
import { EmptyState, Loaded } from "../../ui/states.tsx";
import { Table } from "../../ui/table.tsx";
import { monthKey, monthOf, useMonths } from "./month.ts";

type Usage = QueryData<ReturnType<typeof usageQuery>>["usage"];
type Analytics = QueryData<ReturnType<typeof analyticsQuery>>;
const DAYS = 30;
const WEEK_DAYS = 7;

export function Usage() {
  const { t, month: monthName } = useText();
  const months = useMonths();
  const [chosen, setChosen] = useState(() => monthKey(months[0] ?? { year: 2026, month: 1 }));
  const { year, month } = monthOf(chosen);
  const usage = useQuery(usageQuery(year, month));
  const former = useQuery(usageQuery(month === 1 ? year - 1 : year, month === 1 ? 12 : month - 1));
  const analytics = useQuery(analyticsQuery(DAYS));
  return (
    <div className="stack">
      <div className="filters">
        <FilterSelect
          label={t("billing.month")}
          value={chosen}
          choices={months.map((one) => ({
            value: monthKey(one),
            label: monthName(one.year, one.month),
          }))}
          onValue={setChosen}
        />
      </div>
      <Loaded query={usage} lines={8}>
        {(data) => <MonthUsage usage={data.usage} former={former.data?.usage.by_day ?? []} />}
      </Loaded>
      {analytics.data && analytics.data.totals.calls > 0 && <ByHour analytics={analytics.data} />}
    </div>
  );
}

function MonthUsage({ usage, former }: { usage: Usage; former: Usage["by_day"] }) {
  const { t, number, eur } = useText();
  const isWithinPlan = usage.calls > 0 && usage.overage_minutes + usage.cost_eur === 0;
  return (
    <>
      <Figures
        figures={[
          { label: t("nav.calls"), value: number(usage.calls) },
          { label: t("billing.minutes"), value: number(usage.minutes) },
          {
            label: t("billing.included"),
            value: number(usage.included_minutes_used),
            note: t("billing.included_left", { left: number(usage.included_minutes_left) }),
          },
          { label: t("billing.overage"), value: number(usage.overage_minutes) },
          {
            label: t("billing.cost"),
            value: eur(usage.cost_eur),
            ...(isWithinPlan && { note: t("billing.within_plan") }),
          },
        ]}
      />
      {usage.calls === 0 ? (
        <div className="card">
          <EmptyState icon="money" title={t("billing.nothing")}>
            {t("billing.nothing_body")}
          </EmptyState>
        </div>
      ) : (
        <>
          <ByDay days={usage.by_day} former={former} />
          <ByAgent rows={usage.by_agent} />
          <EngineUse usage={usage} />
        </>
      )}
      <Trials trials={usage.trials} />
    </>
  );
}

/** Speech and language services that the conversations used. The price per minute includes them. */
function EngineUse({ usage }: { usage: Usage }) {
  const { t, number, percent, clock, eur } = useText();
  const { tokens, discarded } = usage;
  const read = tokens.input + tokens.output;
  const cached = t("call.cached", { n: number(tokens.cached_input) });
  const isDiscarded = discarded.tokens + discarded.tts_characters + discarded.stt_seconds > 0;
  return (
    <details className="card disclosure">
      <summary>{t("billing.engine_use")}</summary>
      <div className="card-body">
        <p className="soft">{t("billing.engine_use_note")}</p>
        <Facts
          facts={[
            [t("call.cost.stt"), clock(usage.stt_seconds)],
            [t("call.cost.tts"), `${number(usage.tts_characters)} ${t("call.unit.characters")}`],
            [
              t("call.cost.llm"),
              `${number(read)} ${t("call.unit.tokens")}${tokens.cached_input > 0 ? ` (${cached})` : ""}`,
            ],
            [t("call.cost_goods"), eur(usage.cost_of_goods_eur)],
            ...(isDiscarded
              ? [
                  [
                    t("billing.discarded"),
                    t("billing.discarded_share", {
                      share: percent(read === 0 ? 0 : discarded.tokens / read),
                      cost: eur(discarded.cost_of_goods_eur),
                    }),
                  ] as const,
                ]
              : []),
          ]}
        />
      </div>
    </details>
  );
}

/** Chats, browser calls and rehearsals: free minutes per day, then charged to the wallet. */
function Trials({ trials }: { trials: Usage["trials"] }) {
  const { t, number, eur } = useText();
  const { minutes_today: used, free_minutes_per_day: free } = trials;
  return (
    <Card title={t("billing.trials")} note={t("billing.trials_note")}>
      <Facts
        facts={[
          [
            t("billing.trials_today"),
            t("billing.trials_of", { used: number(used), free: number(free) }),
          ],
          [t("billing.minutes"), number(trials.minutes)],
          [t("billing.cost"), eur(trials.cost_eur)],
          [t("call.cost_goods"), eur(trials.cost_of_goods_eur)],
        ]}
      />
    </Card>
  );
}

function ByAgent({ rows }: { rows: Usage["by_agent"] }) {
  const { t, number, eur } = useText();
  return (
    <Card title={t("billing.by_agent")} flush>
      <Table
        caption={t("billing.by_agent")}
        rows={rows}
        rowKey={(row) => row.agent_id ?? "none"}
        columns={[
          {
            head: t("calls.agent"),
            cell: (row) => row.name ?? t("billing.deleted_agent"),
          },
          {
            head: t("nav.calls"),
            card: "labelled",
            end: true,
            cell: (row) => number(row.calls),
          },
          {
            head: t("billing.minutes"),
            card: "labelled",
            end: true,
            cell: (row) => number(row.minutes),
          },
          {
            head: t("billing.cost"),
            card: "side",
            end: true,
            cell: (row) => eur(row.cost_eur),
          },
        ]}
      />
    </Card>
  );
}

/** Each day next to the same weekday of the week before, which may be in the previous month. */
function ByDay({ days, former }: { days: Usage["by_day"]; former: Usage["by_day"] }) {
  const { t } = useText();
  const all = [...former, ...days];
  const before = days.map((_, at) => all[former.length + at - WEEK_DAYS]?.minutes ?? null);
  return (
    <Card title={t("billing.by_day")} note={t("billing.by_day_note")}>
      <Bars
        label={t("billing.by_day")}
        names={days.map(({ date }) => String(Number(date.slice(8))))}
        values={days.map(({ minutes }) => minutes)}
        before={before}
      />
    </Card>
  );
}

function ByHour({ analytics }: { analytics: Analytics }) {
  const { t, percent, clock } = useText();
  return (
    <Card title={t("billing.by_hour")}>
      <Bars
        label={t("billing.by_hour")}
        names={analytics.by_hour.map((_, hour) => `${hour}:00`)}
        values={analytics.by_hour}
        variant="caller"
      />
      <p className="row small soft">
        {t("billing.answer_rate")}:{" "}
        {analytics.answer_rate === null ? "–" : percent(analytics.answer_rate)} ·{" "}
        {t("billing.average")}:{" "}
        {analytics.average_duration_sec === null ? "–" : clock(analytics.average_duration_sec)}
      </p>
    </Card>
  );
}
