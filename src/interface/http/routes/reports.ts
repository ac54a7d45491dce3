/** Analytics and usage over HTTP: figures from operations/admin/reports.ts. */
import { microToEur } from "../../../core/money.ts";
import type { Figures } from "../../../operations/admin/reports.ts";
import { route } from "../contract.ts";
import { getAnalytics, getUsage } from "../contracts/reports.ts";
import type { RouteContext } from "./context.ts";
import { eur, minutesOf } from "./present.ts";

const present = (figures: Figures) => ({
  calls: figures.calls,
  answered: figures.answered,
  minutes: minutesOf(figures.billableSeconds),
  cost_eur: eur(figures.cost),
});

const presentDay = ({ date, ...figures }: Figures & { readonly date: string }) => ({
  date,
  ...present(figures),
});

const presentAgent = (
  row: Figures & { readonly agentId: number; readonly name: string | null },
) => ({
  agent_id: row.agentId === 0 ? null : row.agentId,
  name: row.name,
  ...present(row),
});

interface Stage {
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
}

const presentStage = ({ p50Ms, p95Ms }: Stage) => ({ p50_ms: p50Ms, p95_ms: p95Ms });

const presentStages = <Name extends string>(stages: Readonly<Record<Name, Stage>>) =>
  Object.fromEntries(
    Object.entries<Stage>(stages).map(([name, stage]) => [name, presentStage(stage)]),
  ) as Record<Name, ReturnType<typeof presentStage>>;

const round = (value: number, digits: number) => Number(value.toFixed(digits));

export const reportRoutes = ({ dependencies: { services } }: RouteContext) => [
  route(getAnalytics)(async ({ tenantId, query: { days } }) => {
    const { totals, stages, ...report } = await services.reports.analytics(tenantId, days);
    const { calls, answered, billableSeconds } = totals;
    return {
      ok: true,
      days,
      totals: { ...present(totals), billable_seconds: billableSeconds },
      by_day: report.byDay.map(presentDay),
      by_status: report.byStatus,
      by_direction: { inbound: report.inbound, outbound: report.outbound },
      by_agent: report.byAgent.map(presentAgent),
      by_hour: report.byHour,
      latency: {
        ...presentStage(report),
        stages: presentStages(stages),
      },
      answer_rate: calls === 0 ? null : round(answered / calls, 4),
      average_duration_sec: answered === 0 ? null : round(report.answeredMs / 1000 / answered, 1),
    };
  }),
  route(getUsage)(async ({ tenantId, query }) => {
    const { year, month, totals, ...used } = await services.reports.usage(tenantId, query);
    return {
      ok: true,
      year,
      month,
      usage: {
        calls: totals.calls,
        minutes: minutesOf(totals.billableSeconds),
        billable_seconds: totals.billableSeconds,
        included_minutes_used: minutesOf(used.includedSecondsUsed),
        included_minutes_left: minutesOf(used.includedSecondsLeft),
        overage_minutes: minutesOf(used.overageSeconds),
        tokens: { input: used.llmInputTokens, output: used.llmOutputTokens },
        tts_characters: used.ttsCharacters,
        stt_seconds: round(used.sttSeconds, 3),
        cost_eur: eur(totals.cost),
        cost_of_goods_eur: eur(used.costOfGoods),
        by_day: used.byDay.map(presentDay),
        by_agent: used.byAgent.map(presentAgent),
      },
      wallet_balance_eur: microToEur(used.balance),
    };
  }),
];
