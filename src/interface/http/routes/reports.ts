/** Analytics and usage over HTTP: hourly sums arranged by the tenant's calendar. */

import { billingStores } from "../../../adapter/store/billing-stores.ts";
import { type reportStore, reportStore as storeOf } from "../../../adapter/store/report-store.ts";
import { tenantStore } from "../../../adapter/store/tenant-store.ts";
import {
  type DaySpan,
  daySpans,
  daysInMonth,
  hourIn,
  monthText,
  wallClock,
} from "../../../core/calendar.ts";
import { CALL_STATUSES } from "../../../core/ended-reason.ts";
import { microToEur } from "../../../core/money.ts";
import { allowanceSeconds } from "../../../domain/billing/funds.ts";
import type { Span } from "../../../domain/billing/statement.ts";
import type { TurnMeasures } from "../../../domain/conversation/call-report.ts";
import { type Route, route } from "../contract.ts";
import { getAnalytics, getUsage } from "../contracts/reports.ts";
import type { RouteContext } from "./context.ts";
import { eur, minutesOf } from "./present.ts";

type Reports = ReturnType<typeof reportStore>;
type HourRow = Awaited<ReturnType<Reports["byHour"]>>[number];
type AgentRow = Awaited<ReturnType<Reports["byAgent"]>>[number];
type KindRow = Awaited<ReturnType<Reports["byKind"]>>[number];

interface Figures {
  calls: number;
  answered: number;
  billableSeconds: number;
  cost: number;
}

const present = (figures: Figures) => ({
  calls: figures.calls,
  answered: figures.answered,
  minutes: minutesOf(figures.billableSeconds),
  cost_eur: eur(figures.cost),
});

/** Which of the days, in their order, an hour begins in. Hours come in order too. */
function* withDays(days: readonly DaySpan[], hours: readonly HourRow[]) {
  let at = 0;
  for (const hour of hours) {
    while (hour.startMs >= (days[at]?.toMs ?? Number.POSITIVE_INFINITY)) at++;
    const day = days[at];
    if (day && hour.startMs >= day.fromMs) yield { day, hour };
  }
}

/** One row a day, also where nothing happened. */
function byDay(days: readonly DaySpan[], hours: readonly HourRow[]) {
  const sums = new Map<string, Figures>(
    days.map(({ date }) => [date, { calls: 0, answered: 0, billableSeconds: 0, cost: 0 }]),
  );
  for (const { day, hour } of withDays(days, hours)) {
    const sum = sums.get(day.date);
    if (!sum) continue;
    sum.calls += hour.calls;
    sum.answered += hour.answered;
    sum.billableSeconds += hour.billableSeconds;
    sum.cost += hour.cost;
  }
  return [...sums].map(([date, figures]) => ({ date, ...present(figures) }));
}

function byHourOfDay(zone: string, days: readonly DaySpan[], hours: readonly HourRow[]): number[] {
  const counts = new Array<number>(24).fill(0);
  for (const { day, hour } of withDays(days, hours)) {
    const at = hourIn(zone, day, hour.startMs);
    counts[at] = (counts[at] ?? 0) + hour.calls;
  }
  return counts;
}

const presentAgent = (row: AgentRow) => ({
  agent_id: row.agentId === 0 ? null : row.agentId,
  name: row.name,
  ...present(row),
});

const sumOf = (rows: readonly KindRow[], pick: (row: KindRow) => number) =>
  rows.reduce((total, row) => total + pick(row), 0);

const totalsOf = (rows: readonly KindRow[]): Figures => ({
  calls: sumOf(rows, (row) => row.calls),
  answered: sumOf(rows, (row) => row.answered),
  billableSeconds: sumOf(rows, (row) => row.billableSeconds),
  cost: sumOf(rows, (row) => row.cost),
});

/** How long each step of an answer takes, from the end of the one before. */
function latencyStages(measures: readonly TurnMeasures[]) {
  type Step = Exclude<keyof TurnMeasures, "early">;
  const stage = (from: Step | null, to: Step) => {
    const values = measures.flatMap((turn) => {
      const began = from === null ? 0 : turn[from];
      const ended = turn[to];
      return began === null || ended === null ? [] : [Math.max(0, ended - began)];
    });
    return { p50_ms: percentile(values, 0.5), p95_ms: percentile(values, 0.95) };
  };
  return {
    endpoint: stage(null, "endpointMs"),
    stt: stage("endpointMs", "sttFinalMs"),
    mind: stage("sttFinalMs", "firstTokenMs"),
    voice: stage("firstTokenMs", "firstAudioMs"),
    packet: stage("firstAudioMs", "firstPacketMs"),
  };
}

/** Nearest rank; null of nothing. */
function percentile(values: readonly number[], share: number): number | null {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null;
}

const spanOf = (days: readonly DaySpan[]): Span => ({
  fromMs: days[0]?.fromMs ?? 0,
  toMs: days.at(-1)?.toMs ?? 0,
});

function reportParts({ dependencies }: RouteContext) {
  const { database, billing, clock } = dependencies;
  return { database, clock, billing };
}

type Parts = ReturnType<typeof reportParts>;

const analyticsRoutes = ({ database, clock }: Parts): Route[] => [
  route(getAnalytics)(async ({ tenantId, query: { days } }) => {
    const zone = await tenantStore(database.read).timeZone(tenantId);
    const today = wallClock(zone, clock.now());
    const first = { year: today.year, month: today.month, day: today.day - days + 1 };
    const calendar = daySpans(zone, first, days);
    const span = spanOf(calendar);
    const reports = storeOf(database.read);
    const hours = await reports.byHour(tenantId, span);
    const kinds = await reports.byKind(tenantId, span);
    const agents = await reports.byAgent(tenantId, span);
    const latencies = await reports.latencies(tenantId, span);
    const measures = await reports.measures(tenantId, span);
    const totals = totalsOf(kinds);
    const answeredMs = sumOf(kinds, (row) => row.answeredMs);
    const countOf = (matches: (row: KindRow) => boolean) =>
      sumOf(kinds.filter(matches), (row) => row.calls);
    return {
      ok: true,
      days,
      totals: { ...present(totals), billable_seconds: totals.billableSeconds },
      by_day: byDay(calendar, hours),
      by_status: Object.fromEntries(
        CALL_STATUSES.map((status) => [status, countOf((row) => row.status === status)]),
      ) as Record<(typeof CALL_STATUSES)[number], number>,
      by_direction: {
        inbound: countOf((row) => row.direction === "inbound"),
        outbound: countOf((row) => row.direction === "outbound"),
      },
      by_agent: agents.map(presentAgent),
      by_hour: byHourOfDay(zone, calendar, hours),
      latency: {
        p50_ms: percentile(latencies.p50, 0.5),
        p95_ms: percentile(latencies.p95, 0.95),
        stages: latencyStages(measures),
      },
      answer_rate: totals.calls === 0 ? null : round(totals.answered / totals.calls, 4),
      average_duration_sec:
        totals.answered === 0 ? null : round(answeredMs / 1000 / totals.answered, 1),
    };
  }),
];

const usageRoutes = ({ database, billing, clock }: Parts): Route[] => [
  route(getUsage)(async ({ tenantId, query }) => {
    const zone = await tenantStore(database.read).timeZone(tenantId);
    const now = wallClock(zone, clock.now());
    const year = query.year ?? now.year;
    const month = query.month ?? now.month;
    const first = { year, month, day: 1 };
    const calendar = daySpans(zone, first, daysInMonth(year, month));
    const span = spanOf(calendar);
    const reports = storeOf(database.read);
    const hours = await reports.byHour(tenantId, span);
    const kinds = await reports.byKind(tenantId, span);
    const agents = await reports.byAgent(tenantId, span);
    const used = await reports.planSecondsUsed(tenantId, monthText(year, month));
    const { balance, plan } = await billing.balance(tenantId);
    const inMonth = monthText(year, month);
    const allowance = await allowanceSeconds(billingStores, database.read, tenantId, plan, inMonth);
    const totals = totalsOf(kinds);
    return {
      ok: true,
      year,
      month,
      usage: {
        calls: totals.calls,
        minutes: minutesOf(totals.billableSeconds),
        billable_seconds: totals.billableSeconds,
        included_minutes_used: minutesOf(used),
        included_minutes_left: minutesOf(Math.max(0, allowance - used)),
        overage_minutes: minutesOf(sumOf(kinds, (row) => row.overageSeconds)),
        tokens: {
          input: sumOf(kinds, (row) => row.llmInputTokens),
          output: sumOf(kinds, (row) => row.llmOutputTokens),
        },
        tts_characters: sumOf(kinds, (row) => row.ttsCharacters),
        stt_seconds: round(
          sumOf(kinds, (row) => row.sttSeconds),
          3,
        ),
        cost_eur: eur(totals.cost),
        cost_of_goods_eur: eur(sumOf(kinds, (row) => row.costOfGoods)),
        by_day: byDay(calendar, hours),
        by_agent: agents.map(presentAgent),
      },
      wallet_balance_eur: microToEur(balance),
    };
  }),
];

export const reportRoutes = (context: RouteContext): Route[] => {
  const parts = reportParts(context);
  return [...analyticsRoutes(parts), ...usageRoutes(parts)];
};

const round = (value: number, digits: number) => Number(value.toFixed(digits));
