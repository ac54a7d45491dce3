/**
 * Data for analytics and usage, read from the hourly sums (call_rollups), never from the calls.
 * Hours are UTC: in the few zones whose offset is not whole hours, a day begins within one.
 */
import { and, desc, eq, gte, isNotNull, lt, ne, sql, type sum } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import type { Queries } from "../../core/database.ts";
import type { Span } from "../../domain/billing/statement.ts";
import type { TurnMeasures } from "../../domain/conversation/call-report.ts";
import { HOUR_MS } from "./hour-span.ts";
import { arg, statement } from "./prepared.ts";
import { agents, callRollups, calls, planUsage, turns } from "./schema/index.ts";

const LATENCY_CALLS_MAX = 1000;
const MEASURED_TURNS_MAX = 1000;
const LATENCY_TURNS_MAX = 5000;

const total = (column: Parameters<typeof sum>[0]) =>
  sql<number>`coalesce(sum(${column}), 0)`.mapWith(Number);

const FIGURES = {
  calls: total(callRollups.calls),
  answered: total(callRollups.answered),
  billableSeconds: total(callRollups.billableSeconds),
  cost: total(callRollups.cost),
};

/** A call that waits for its time is no call of any hour yet. */
const within = and(
  eq(callRollups.tenantId, arg("tenantId")),
  ne(callRollups.status, "queued"),
  gte(callRollups.hour, arg("fromHour")),
  lt(callRollups.hour, arg("toHour")),
);
const hoursOf = (tenantId: number, { fromMs, toMs }: Span) => ({
  tenantId,
  fromHour: Math.floor(fromMs / HOUR_MS),
  toHour: Math.ceil(toMs / HOUR_MS),
});

const sumsByHour = statement((queries) =>
  queries
    .select({ startMs: sql<number>`${callRollups.hour} * ${sql.raw(String(HOUR_MS))}`, ...FIGURES })
    .from(callRollups)
    .where(within)
    .groupBy(callRollups.hour)
    .orderBy(callRollups.hour)
    .prepare(),
);

const sumsByAgent = statement((queries) => {
  const named = alias(agents, "named");
  return queries
    .select({ agentId: callRollups.agentId, name: named.name, ...FIGURES })
    .from(callRollups)
    .leftJoin(named, and(eq(named.id, callRollups.agentId), eq(named.tenantId, arg("tenantId"))))
    .where(within)
    .groupBy(callRollups.agentId)
    .orderBy(desc(FIGURES.calls), callRollups.agentId)
    .prepare();
});

const sumsByKind = statement((queries) =>
  queries
    .select({
      status: callRollups.status,
      direction: callRollups.direction,
      ...FIGURES,
      answeredMs: total(callRollups.answeredMs),
      includedSeconds: total(callRollups.includedSeconds),
      overageSeconds: total(callRollups.overageSeconds),
      costOfGoods: total(callRollups.costOfGoods),
      llmInputTokens: total(callRollups.llmInputTokens),
      llmCachedInputTokens: total(callRollups.llmCachedInputTokens),
      llmOutputTokens: total(callRollups.llmOutputTokens),
      ttsCharacters: total(callRollups.ttsCharacters),
      sttSeconds: total(callRollups.sttSeconds),
      discardedTokens: total(callRollups.discardedTokens),
      discardedCharacters: total(callRollups.discardedCharacters),
      discardedSttSeconds: total(callRollups.discardedSttSeconds),
      costDiscarded: total(callRollups.costDiscarded),
    })
    .from(callRollups)
    .where(within)
    .groupBy(callRollups.status, callRollups.direction)
    .prepare(),
);

const begunWithin = and(
  eq(calls.tenantId, arg("tenantId")),
  gte(calls.createdAt, arg("fromMs")),
  lt(calls.createdAt, arg("toMs")),
);
const newestCalls = (queries: Queries) =>
  queries
    .select({ id: calls.id, createdAt: calls.createdAt })
    .from(calls)
    .where(begunWithin)
    .orderBy(desc(calls.createdAt), desc(calls.id))
    .limit(LATENCY_CALLS_MAX)
    .as("newest");

const latenciesOfCalls = statement((queries) =>
  queries
    .select({ createdAt: calls.createdAt, p50: calls.latencyP50Ms, p95: calls.latencyP95Ms })
    .from(calls)
    .where(begunWithin)
    .orderBy(desc(calls.createdAt), desc(calls.id))
    .limit(LATENCY_CALLS_MAX)
    .prepare(),
);

const measuresOfTurns = statement((queries) => {
  const newest = newestCalls(queries);
  return queries
    .select({ measures: turns.measures })
    .from(newest)
    .innerJoin(turns, eq(turns.callId, newest.id))
    .where(isNotNull(turns.measures))
    .orderBy(desc(newest.createdAt), desc(newest.id))
    .limit(MEASURED_TURNS_MAX)
    .prepare();
});

const latenciesOfTurns = statement((queries) => {
  const newest = newestCalls(queries);
  return queries
    .select({ latencyMs: turns.latencyMs })
    .from(newest)
    .innerJoin(turns, eq(turns.callId, newest.id))
    .where(isNotNull(turns.latencyMs))
    .orderBy(desc(newest.createdAt), desc(newest.id))
    .limit(LATENCY_TURNS_MAX)
    .prepare();
});

export function reportStore(queries: Queries) {
  return {
    ...callSums(queries),
    ...callMeasures(queries),

    /** Plan seconds used in a month such as `2026-11`. */
    async planSecondsUsed(tenantId: number, month: string): Promise<number> {
      const row = await queries
        .select({ used: planUsage.secondsUsed })
        .from(planUsage)
        .where(and(eq(planUsage.tenantId, tenantId), eq(planUsage.month, month)))
        .get();
      return row?.used ?? 0;
    },
  };
}

/** Calls and minutes. */
function callSums(queries: Queries) {
  return {
    /** By hour, in order; `startMs` is the start of the hour. */
    byHour: async (tenantId: number, span: Span) =>
      await sumsByHour(queries).all(hoursOf(tenantId, span)),

    /** `agentId` 0 means no agent; the name of a deleted agent is null. */
    byAgent: async (tenantId: number, span: Span) =>
      await sumsByAgent(queries).all(hoursOf(tenantId, span)),

    byKind: async (tenantId: number, span: Span) =>
      await sumsByKind(queries).all(hoursOf(tenantId, span)),
  };
}

/**
 * Latency and quality. Only the newest calls in the span are searched; otherwise a million calls would be
 * read where little was measured.
 */
function callMeasures(queries: Queries) {
  return {
    /** Latencies of the newest calls in the span that have one. */
    async latencies(tenantId: number, span: Span) {
      const rows = await latenciesOfCalls(queries).all({ tenantId, ...span });
      return {
        p50: rows.map((row) => row.p50).filter((value) => value !== null),
        p95: rows.map((row) => row.p95).filter((value) => value !== null),
        byCall: rows,
      };
    },

    /** The steps of the newest turns in the span. */
    async measures(tenantId: number, span: Span): Promise<TurnMeasures[]> {
      const rows = await measuresOfTurns(queries).all({ tenantId, ...span });
      return rows.flatMap(({ measures }) => (measures === null ? [] : [measures]));
    },

    /** Latencies of the newest turns in the span. */
    async turnLatencies(tenantId: number, span: Span): Promise<number[]> {
      const rows = await latenciesOfTurns(queries).all({ tenantId, ...span });
      return rows.flatMap(({ latencyMs }) => (latencyMs === null ? [] : [latencyMs]));
    },
  };
}
