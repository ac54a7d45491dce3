/**
 * Data for analytics and usage, read from the hourly sums (call_rollups), never from the calls.
 * Hours are UTC: in the few zones whose offset is not whole hours, a day begins within one.
 */
import { and, desc, eq, gte, isNotNull, lt, ne, sql, type sum } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import type { Span } from "../../domain/billing/statement.ts";
import type { TurnMeasures } from "../../domain/conversation/call-report.ts";
import { flatRowReader } from "./flat-rows.ts";
import { HOUR_MS } from "./hour-span.ts";
import { arg, parsedJson, statement } from "./prepared.ts";
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
    .select({ hour: callRollups.hour, ...FIGURES })
    .from(callRollups)
    .where(within)
    .groupBy(callRollups.hour)
    .orderBy(callRollups.hour)
    .prepare(),
);

/** Read once for each group, not for each hour. */
const agentName = sql<string | null>`(SELECT ${sql.raw("agents.name")} FROM ${agents}
  WHERE ${sql.raw("agents.id = call_rollups.agent_id")} AND ${sql.raw("agents.tenant_id")} = ${arg("tenantId")})`;

const sumsByKind = statement((queries) =>
  queries
    .select({
      agentId: callRollups.agentId,
      name: agentName,
      status: callRollups.status,
      direction: callRollups.direction,
      ...FIGURES,
      answeredMs: total(callRollups.answeredMs),
    })
    .from(callRollups)
    .where(within)
    .groupBy(callRollups.agentId, callRollups.status, callRollups.direction)
    .orderBy(callRollups.agentId)
    .prepare(),
);

const sumsOfUse = statement((queries) =>
  queries
    .select({
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

const LATENCIES = {
  createdAt: calls.createdAt,
  p50: calls.latencyP50Ms,
  p95: calls.latencyP95Ms,
};
const readLatencies = flatRowReader(LATENCIES);

const latenciesOfCalls = statement((queries) =>
  queries
    .select(LATENCIES)
    .from(calls)
    .where(begunWithin)
    .orderBy(desc(calls.createdAt), desc(calls.id))
    .limit(LATENCY_CALLS_MAX)
    .prepare(),
);

/** As one text: a thousand small ones take twice as long to parse. */
const measuresOfTurns = statement((queries) => {
  const newest = newestCalls(queries);
  const measured = queries
    .select({ measures: turns.measures })
    .from(newest)
    .innerJoin(turns, eq(turns.callId, newest.id))
    .where(isNotNull(turns.measures))
    .orderBy(desc(newest.createdAt), desc(newest.id))
    .limit(MEASURED_TURNS_MAX)
    .as("measured");
  const joined = sql`'[' || coalesce(group_concat(${measured.measures}), '') || ']'`;
  return queries
    .select({ all: parsedJson<TurnMeasures[]>(joined) })
    .from(measured)
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

interface HourSums {
  readonly startMs: number;
  readonly calls: number;
  readonly answered: number;
  readonly billableSeconds: number;
  readonly cost: number;
}

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
    async byHour(tenantId: number, span: Span): Promise<HourSums[]> {
      const rows = await sumsByHour(queries).values(hoursOf(tenantId, span));
      return rows.map(([hour, calls, answered, billableSeconds, cost]) => ({
        startMs: Number(hour) * HOUR_MS,
        calls: Number(calls),
        answered: Number(answered),
        billableSeconds: Number(billableSeconds),
        cost: Number(cost),
      }));
    },

    /**
     * By agent, status and direction, the agents in order. `agentId` 0 means no agent; the name of a
     * deleted agent is null.
     */
    byKind: async (tenantId: number, span: Span) =>
      await sumsByKind(queries).all(hoursOf(tenantId, span)),

    /** What the calls used, of all kinds together. */
    async use(tenantId: number, span: Span) {
      const [use] = await sumsOfUse(queries).all(hoursOf(tenantId, span));
      if (!use) throw new Error("a sum without groups has one row");
      return use;
    },
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
      const rows = readLatencies(await latenciesOfCalls(queries).values({ tenantId, ...span }));
      return {
        p50: rows.map((row) => row.p50).filter((value) => value !== null),
        p95: rows.map((row) => row.p95).filter((value) => value !== null),
        byCall: rows,
      };
    },

    /** The steps of the newest turns in the span. */
    async measures(tenantId: number, span: Span): Promise<TurnMeasures[]> {
      const [row] = await measuresOfTurns(queries).all({ tenantId, ...span });
      return row?.all ?? [];
    },

    /** Latencies of the newest turns in the span. */
    async turnLatencies(tenantId: number, span: Span): Promise<number[]> {
      const rows = await latenciesOfTurns(queries).all({ tenantId, ...span });
      return rows.flatMap(({ latencyMs }) => (latencyMs === null ? [] : [latencyMs]));
    },
  };
}
