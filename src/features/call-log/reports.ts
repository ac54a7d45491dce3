/** Analytics and usage: hourly sums grouped by days in the tenant's time zone. */

import { callNotesStore } from "../../call/store/call-notes-store.ts";
import type { TurnMeasures } from "../../conversation/call-report.ts";
import {
  type DaySpan,
  daySpans,
  daysInMonth,
  dayText,
  hourIn,
  monthText,
  wallClock,
} from "../../core/calendar.ts";
import type { Clock } from "../../core/clock.ts";
import type { Database, Queries } from "../../core/database.ts";
import { CALL_STATUSES } from "../../core/ended-reason.ts";
import { allowanceSeconds } from "../billing/available-funds.ts";
import type { Billing } from "../billing/billing.ts";
import { billingStores } from "../billing/billing-stores.ts";
import type { Span } from "../billing/statement.ts";
import { trialStore } from "../billing/trial-store.ts";
import { tenantStore } from "../tenant/tenant-store.ts";
import { reportStore } from "./report-store.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const WEEK_DAYS = 7;

type Rows = ReturnType<typeof reportStore>;
type HourRow = Awaited<ReturnType<Rows["byHour"]>>[number];
type KindRow = Awaited<ReturnType<Rows["byKind"]>>[number];

/** `cost` in micro-euro, not rounded. */
export interface Figures {
  calls: number;
  answered: number;
  billableSeconds: number;
  cost: number;
}

/** Calls `seen` with each hour and the index of its day. Both lists are in chronological order. */
function eachInDays(
  days: readonly DaySpan[],
  hours: readonly HourRow[],
  seen: (hour: HourRow, at: number, day: DaySpan) => void,
): void {
  let at = 0;
  for (const hour of hours) {
    while (hour.startMs >= (days[at]?.toMs ?? Number.POSITIVE_INFINITY)) at++;
    const day = days[at];
    if (day && hour.startMs >= day.fromMs) seen(hour, at, day);
  }
}

/** One row per day, including days without calls. */
function byDay(days: readonly DaySpan[], hours: readonly HourRow[]) {
  const sums = days.map(({ date }) => ({
    date,
    calls: 0,
    answered: 0,
    billableSeconds: 0,
    cost: 0,
  }));
  eachInDays(days, hours, (hour, at) => {
    const sum = sums[at];
    if (sum) addTo(sum, hour);
  });
  return sums;
}

function byHourOfDay(zone: string, days: readonly DaySpan[], hours: readonly HourRow[]): number[] {
  const counts = new Array<number>(24).fill(0);
  eachInDays(days, hours, ({ startMs, calls }, _, day) => {
    const at = hourIn(zone, day, startMs);
    counts[at] = (counts[at] ?? 0) + calls;
  });
  return counts;
}

const sumOf = <Row>(rows: readonly Row[], pick: (row: Row) => number) =>
  rows.reduce((total, row) => total + pick(row), 0);

const totalsOf = (rows: readonly KindRow[]): Figures => ({
  calls: sumOf(rows, (row) => row.calls),
  answered: sumOf(rows, (row) => row.answered),
  billableSeconds: sumOf(rows, (row) => row.billableSeconds),
  cost: sumOf(rows, (row) => row.cost),
});

/** Duration of each step of an answer, from the end of the previous step. */
function latencyStages(measures: readonly TurnMeasures[]) {
  type Step = Exclude<keyof TurnMeasures, "early">;
  const durations = new Float64Array(measures.length);
  const stage = (from: Step | null, to: Step) => {
    let count = 0;
    for (const turn of measures) {
      const began = from === null ? 0 : turn[from];
      const ended = turn[to];
      if (began !== null && ended !== null) durations[count++] = Math.max(0, ended - began);
    }
    const sorted = durations.subarray(0, count).sort();
    return { p50Ms: rankOf(sorted, 0.5), p95Ms: rankOf(sorted, 0.95) };
  };
  return {
    endpoint: stage(null, "endpointMs"),
    stt: stage("endpointMs", "sttFinalMs"),
    llm: stage("sttFinalMs", "firstTokenMs"),
    tts: stage("firstTokenMs", "firstAudioMs"),
    packet: stage("firstAudioMs", "firstPacketMs"),
  };
}

const inOrder = (values: readonly number[]) => new Float64Array(values).sort();

const rankOf = (sorted: Float64Array, share: number): number | null =>
  sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null;

/** The nearest rank; null if there are no values. */
export const percentile = (values: readonly number[], share: number): number | null =>
  rankOf(inOrder(values), share);

/** One row per agent, the busiest first. */
function byAgent(kinds: readonly KindRow[]) {
  const sums = new Map<number, Figures & { readonly name: string | null }>();
  for (const { agentId, name, ...kind } of kinds) {
    const sum = sums.get(agentId) ?? { name, calls: 0, answered: 0, billableSeconds: 0, cost: 0 };
    sums.set(agentId, sum);
    addTo(sum, kind);
  }
  return [...sums]
    .map(([agentId, sum]) => ({ agentId, ...sum }))
    .sort((left, right) => right.calls - left.calls);
}

function addTo(sum: Figures, more: Figures): void {
  sum.calls += more.calls;
  sum.answered += more.answered;
  sum.billableSeconds += more.billableSeconds;
  sum.cost += more.cost;
}

const spanOf = (days: readonly DaySpan[]): Span => ({
  fromMs: days[0]?.fromMs ?? 0,
  toMs: days.at(-1)?.toMs ?? 0,
});

const figuresOf = (
  calendar: readonly DaySpan[],
  hours: readonly HourRow[],
  kinds: readonly KindRow[],
) => ({ totals: totalsOf(kinds), byDay: byDay(calendar, hours), byAgent: byAgent(kinds) });

interface ReportDependencies {
  readonly database: Pick<Database, "read">;
  readonly billing: Pick<Billing, "balance">;
  readonly trialMinutesPerDay: number;
  readonly clock: Clock;
}

export type Reports = ReturnType<typeof createReports>;

export const createReports = (deps: ReportDependencies) => ({
  ...analyticsReports(deps),
  ...weekReports(deps),
  ...usageReports(deps),
});

const zoneOf = (read: Queries, tenantId: number) => tenantStore(read).timeZone(tenantId);

function analyticsReports({ database: { read }, clock }: ReportDependencies) {
  return {
    /** The last `days` days, today included. */
    async analytics(tenantId: number, days: number) {
      const zone = await zoneOf(read, tenantId);
      const today = wallClock(zone, clock.now());
      const first = { year: today.year, month: today.month, day: today.day - days + 1 };
      const calendar = daySpans(zone, first, days);
      const reports = reportStore(read);
      const span = spanOf(calendar);
      const hours = await reports.byHour(tenantId, span);
      const kinds = await reports.byKind(tenantId, span);
      const latencies = await reports.latencies(tenantId, span);
      const measures = await reports.measures(tenantId, span);
      const countOf = (matches: (row: KindRow) => boolean) =>
        sumOf(kinds.filter(matches), (row) => row.calls);
      return {
        ...figuresOf(calendar, hours, kinds),
        byStatus: Object.fromEntries(
          CALL_STATUSES.map((status) => [status, countOf((row) => row.status === status)]),
        ) as Record<(typeof CALL_STATUSES)[number], number>,
        inbound: countOf((row) => row.direction === "inbound"),
        outbound: countOf((row) => row.direction === "outbound"),
        byHour: byHourOfDay(zone, calendar, hours),
        answeredMs: sumOf(kinds, (row) => row.answeredMs),
        p50Ms: percentile(latencies.p50, 0.5),
        p95Ms: percentile(latencies.p95, 0.95),
        stages: latencyStages(measures),
      };
    },

    /** Calls of the last 24 hours with bad line quality, by side. */
    async badLines(tenantId: number) {
      return await callNotesStore(read).badLines(tenantId, clock.now() - DAY_MS);
    },

    /** Callers of the last 24 hours that the appliance turned away. */
    async turnedAway(tenantId: number) {
      const reasons = await reportStore(read).turnedAway(tenantId, clock.now() - DAY_MS);
      const others = reasons.filter(({ reason }) => reason !== "plan_limit_reached");
      return {
        byPlan: reasons.find(({ reason }) => reason === "plan_limit_reached")?.calls ?? 0,
        others: sumOf(others, ({ calls }) => calls),
        explanation: others[0]?.explanation ?? "",
      };
    },

    /** Latency of agent turns in the last 24 hours. */
    async latency(tenantId: number) {
      const nowMs = clock.now();
      const span = { fromMs: nowMs - DAY_MS, toMs: nowMs + DAY_MS };
      const sorted = inOrder(await reportStore(read).turnLatencies(tenantId, span));
      return { p50Ms: rankOf(sorted, 0.5), p90Ms: rankOf(sorted, 0.9) };
    },
  };
}

function weekReports({ database: { read }, clock }: ReportDependencies) {
  /** 95th percentile of call latencies per day; null: none measured. */
  async function latencyByDay(tenantId: number, week: readonly DaySpan[]) {
    const { minutes, p95 } = await reportStore(read).latenciesByMinute(tenantId, spanOf(week));
    const ofDays = week.map((): number[] => []);
    // Newest first.
    let at = week.length - 1;
    for (let n = 0; n < minutes.length; n++) {
      while ((minutes[n] ?? 0) * MINUTE_MS < (week[at]?.fromMs ?? 0)) at--;
      const latency = p95[n] ?? null;
      if (latency !== null) ofDays[at]?.push(latency);
    }
    return ofDays.map((latencies) => percentile(latencies, 0.95));
  }
  return {
    /** The last seven days by day, today last, and the seven days before, each with latency. */
    async week(tenantId: number) {
      const zone = await zoneOf(read, tenantId);
      const { year, month, day } = wallClock(zone, clock.now());
      const calendar = daySpans(zone, { year, month, day: day - 2 * WEEK_DAYS + 1 }, 2 * WEEK_DAYS);
      const figures = byDay(calendar, await reportStore(read).byHour(tenantId, spanOf(calendar)));
      const latencies = [
        ...(await latencyByDay(tenantId, calendar.slice(0, WEEK_DAYS))),
        ...(await latencyByDay(tenantId, calendar.slice(WEEK_DAYS))),
      ];
      const days = figures.map((one, at) => ({ ...one, p95Ms: latencies[at] ?? null }));
      return { days: days.slice(WEEK_DAYS), before: days.slice(0, WEEK_DAYS) };
    },
  };
}

function usageReports({
  database: { read },
  billing,
  trialMinutesPerDay,
  clock,
}: ReportDependencies) {
  return {
    /** One month; without `year` or `month` the current one. */
    async usage(tenantId: number, asked: { readonly year?: number; readonly month?: number }) {
      const zone = await zoneOf(read, tenantId);
      const now = wallClock(zone, clock.now());
      const { year = now.year, month = now.month } = asked;
      const calendar = daySpans(zone, { year, month, day: 1 }, daysInMonth(year, month));
      const reports = reportStore(read);
      const span = spanOf(calendar);
      const hours = await reports.byHour(tenantId, span);
      const kinds = await reports.usageByKind(tenantId, span);
      const sum = (pick: (row: (typeof kinds)[number]) => number) => sumOf(kinds, pick);
      const inMonth = monthText(year, month);
      const used = await reports.planSecondsUsed(tenantId, inMonth);
      const { balance, plan } = await billing.balance(tenantId);
      const trials = trialStore(read);
      const lastDay = dayText({ year, month, day: daysInMonth(year, month) });
      const allowance = await allowanceSeconds(billingStores(read), tenantId, plan, inMonth);
      return {
        year,
        month,
        balance,
        ...figuresOf(calendar, hours, kinds),
        // Sum over all plans of the month, because `used` restarts at zero with a new plan.
        includedSecondsUsed: sum((row) => row.includedSeconds),
        includedSecondsLeft: Math.max(0, allowance - used),
        overageSeconds: sum((row) => row.overageSeconds),
        llmInputTokens: sum((row) => row.llmInputTokens),
        llmCachedInputTokens: sum((row) => row.llmCachedInputTokens),
        llmOutputTokens: sum((row) => row.llmOutputTokens),
        ttsCharacters: sum((row) => row.ttsCharacters),
        sttSeconds: sum((row) => row.sttSeconds),
        costOfGoods: sum((row) => row.costOfGoods),
        trials: {
          ...(await trials.sums(tenantId, dayText({ year, month, day: 1 }), lastDay)),
          secondsToday: (await trials.day(tenantId, dayText(now))).seconds,
          freeMinutes: trialMinutesPerDay,
        },
        discarded: {
          tokens: sum((row) => row.discardedTokens),
          characters: sum((row) => row.discardedCharacters),
          sttSeconds: sum((row) => row.discardedSttSeconds),
          cost: sum((row) => row.costDiscarded),
        },
      };
    },
  };
}
