/**
 * Data for analytics and usage, read from sums (call_rollups, call_days, call_hours), never from the calls.
 *
 * Hours are UTC. In the few zones whose offset is not whole hours, a day begins within one. That hour belongs
 * to the day in which it begins, so that each call counts once.
 */
import {
  and,
  type Column,
  count,
  desc,
  eq,
  gte,
  inArray,
  isNotNull,
  lt,
  ne,
  type SQL,
  sql,
  type sum,
} from "drizzle-orm";
import type { TurnMeasures } from "../../conversation/call-report.ts";
import type { Queries } from "../../core/database.ts";
import { dayParts, HOUR_MS } from "../../store/query/hour-span.ts";
import { arg, parsedJson, statement } from "../../store/query/prepared.ts";
import {
  agents,
  callDays,
  callHours,
  callRollups,
  calls,
  planUsage,
  turns,
} from "../../store/schema/index.ts";
import type { Span } from "../billing/statement.ts";

const MINUTE_MS = 60_000;
const LATENCY_CALLS_MAX = 1000;
const MEASURED_TURNS_MAX = 1000;
const LATENCY_TURNS_MAX = 5000;

const total = (column: Parameters<typeof sum>[0]) =>
  sql<number>`coalesce(sum(${column}), 0)`.mapWith(Number);

const hoursOf = ({ fromMs, toMs }: Span) => ({
  fromHour: Math.ceil(fromMs / HOUR_MS),
  toHour: Math.ceil(toMs / HOUR_MS),
});

const sumsByHour = statement((queries) =>
  queries
    .select({
      hour: callHours.hour,
      calls: callHours.calls,
      answered: callHours.answered,
      billableSeconds: callHours.billableSeconds,
      cost: callHours.cost,
    })
    .from(callHours)
    .where(
      and(
        eq(callHours.tenantId, arg("tenantId")),
        gte(callHours.hour, arg("fromHour")),
        lt(callHours.hour, arg("toHour")),
      ),
    )
    .orderBy(callHours.hour)
    .prepare(),
);

/** Read once per group, not per row. */
const agentName = sql<string | null>`(SELECT ${sql.raw("agents.name")} FROM ${agents}
  WHERE ${sql.raw("agents.id = parts.agent_id")} AND ${sql.raw("agents.tenant_id")} = ${arg("tenantId")})`;

type Kinds = typeof callDays.$inferSelect;
type Sum = Exclude<keyof Kinds, "tenantId" | "day" | "agentId" | "direction" | "status">;
const FIGURES = ["calls", "answered", "answeredMs", "billableSeconds", "cost"] as const;
const USED = [
  "includedSeconds",
  "overageSeconds",
  "llmInputTokens",
  "llmCachedInputTokens",
  "llmOutputTokens",
  "ttsCharacters",
  "sttSeconds",
  "costOfGoods",
  "discardedTokens",
  "discardedCharacters",
  "discardedSttSeconds",
  "costDiscarded",
] as const;

const each = <Name extends Sum, Column>(names: readonly Name[], column: (name: Name) => Column) =>
  Object.fromEntries(names.map((name) => [name, column(name)])) as Record<Name, Column>;

/**
 * Whole days use the daily sums, the rest the hourly sums. Each part is summed first, because sorting the
 * rows of all parts together costs more.
 */
const sumsByKind = <Name extends Sum>(queries: Queries, names: readonly Name[]) => {
  const part = (table: typeof callDays | typeof callRollups, span: SQL | undefined) =>
    queries
      .select({
        agentId: table.agentId,
        direction: table.direction,
        status: table.status,
        ...each(names, (name) => sql`sum(${table[name]})`.as(name)),
      })
      .from(table)
      .where(and(eq(table.tenantId, arg("tenantId")), ne(table.status, "queued"), span))
      .groupBy(table.agentId, table.status, table.direction)
      .getSQL();
  const hours = (from: string, to: string) =>
    part(callRollups, and(gte(callRollups.hour, arg(from)), lt(callRollups.hour, arg(to))));
  const days = part(
    callDays,
    and(gte(callDays.day, arg("fromDay")), lt(callDays.day, arg("toDay"))),
  );
  const agentId = sql<number>`agent_id`;
  const status = sql<Kinds["status"]>`status`;
  const direction = sql<Kinds["direction"]>`direction`;
  return queries
    .select({
      agentId,
      name: agentName,
      status,
      direction,
      ...each(names, (name) => total(sql.identifier(name))),
    })
    .from(
      sql`(${days} UNION ALL ${hours("fromHour", "untilHour")} UNION ALL ${hours("sinceHour", "toHour")}) AS parts`,
    )
    .groupBy(agentId, status, direction)
    .orderBy(agentId)
    .prepare();
};
const figuresByKind = statement((queries) => sumsByKind(queries, FIGURES));
const usageByKind = statement((queries) => sumsByKind(queries, [...FIGURES, ...USED]));

const begunWithin = and(
  eq(calls.tenantId, arg("tenantId")),
  gte(calls.createdAt, arg("fromMs")),
  lt(calls.createdAt, arg("toMs")),
);
const newestCalls = (queries: Queries) =>
  queries
    .select({
      id: calls.id,
      createdAt: calls.createdAt,
      p50: calls.latencyP50Ms,
      p95: calls.latencyP95Ms,
    })
    .from(calls)
    .where(begunWithin)
    .orderBy(desc(calls.createdAt), desc(calls.id))
    .limit(LATENCY_CALLS_MAX)
    .as("newest");

/** A column as one JSON text, because collecting a thousand rows takes longer than reading them. */
const listed = <Value = number | null>(column: Column | SQL) =>
  parsedJson<Value[]>(sql`json_group_array(${column})`);

const listedWhereMeasured = (column: Column) =>
  parsedJson<number[]>(sql`json_group_array(${column}) FILTER (WHERE ${column} IS NOT NULL)`);

const latenciesOfCalls = statement((queries) => {
  const newest = newestCalls(queries);
  return queries
    .select({ p50: listedWhereMeasured(newest.p50), p95: listedWhereMeasured(newest.p95) })
    .from(newest)
    .prepare();
});

/** Minutes are shorter than milliseconds in JSON. Days begin at a full minute in every zone. */
const minute = (time: Column) => sql`${time} / ${sql.raw(String(MINUTE_MS))}`;

const latenciesByMinute = statement((queries) => {
  const newest = newestCalls(queries);
  return queries
    .select({ minutes: listed(minute(newest.createdAt)), p95: listed(newest.p95) })
    .from(newest)
    .prepare();
});

/** One JSON text, because parsing a thousand small ones takes twice as long. */
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
  const latencies = queries
    .select({ latencyMs: turns.latencyMs })
    .from(newest)
    .innerJoin(turns, eq(turns.callId, newest.id))
    .where(isNotNull(turns.latencyMs))
    .orderBy(desc(newest.createdAt), desc(newest.id))
    .limit(LATENCY_TURNS_MAX)
    .as("latencies");
  return queries
    .select({ all: listed<number>(latencies.latencyMs) })
    .from(latencies)
    .prepare();
});

interface HourSums {
  readonly startMs: number;
  readonly calls: number;
  readonly answered: number;
  readonly billableSeconds: number;
  readonly cost: number;
}

const TURNED_AWAY = ["plan_limit_reached", "busy", "declined", "balance_exhausted"] as const;

const turnedAway = statement((queries) => {
  const newest = sql<number>`max(${calls.createdAt})`;
  return queries
    .select({
      reason: calls.endedReason,
      calls: count(),
      // SQLite takes it from the row of the maximum.
      explanation: calls.endedExplanation,
      newest,
    })
    .from(calls)
    .where(
      and(
        eq(calls.tenantId, arg("tenantId")),
        inArray(calls.status, ["busy", "failed"]),
        eq(calls.direction, "inbound"),
        gte(calls.createdAt, arg("fromMs")),
        inArray(calls.endedReason, TURNED_AWAY),
      ),
    )
    .groupBy(calls.endedReason)
    .orderBy(desc(newest))
    .prepare();
});

export function reportStore(queries: Queries) {
  return {
    ...callSums(queries),
    ...callMeasures(queries),

    /** Turned-away inbound calls by reason. The newest reason is first. */
    async turnedAway(tenantId: number, fromMs: number) {
      return await turnedAway(queries).all({ tenantId, fromMs });
    },

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
    /** In order; `startMs` is the start of the hour. */
    async byHour(tenantId: number, span: Span): Promise<HourSums[]> {
      const rows = await sumsByHour(queries).values({ tenantId, ...hoursOf(span) });
      return rows.map(([hour, calls, answered, billableSeconds, cost]) => ({
        startMs: Number(hour) * HOUR_MS,
        calls: Number(calls),
        answered: Number(answered),
        billableSeconds: Number(billableSeconds),
        cost: Number(cost),
      }));
    },

    /**
     * Sums by agent, status and direction, ordered by agent. `agentId` 0 means no agent; the name of a
     * deleted agent is null.
     */
    byKind: async (tenantId: number, span: Span) =>
      await figuresByKind(queries).all({ tenantId, ...dayParts(hoursOf(span)) }),

    /** Like `byKind`, with the engine usage of the calls. */
    usageByKind: async (tenantId: number, span: Span) =>
      await usageByKind(queries).all({ tenantId, ...dayParts(hoursOf(span)) }),
  };
}

/**
 * Latency and quality. Only the newest calls in the span are searched. Otherwise a million calls would be
 * read if few have measurements.
 */
function callMeasures(queries: Queries) {
  return {
    /** Latencies of the newest calls in the span that have one. */
    async latencies(tenantId: number, span: Span) {
      const [row] = await latenciesOfCalls(queries).all({ tenantId, ...span });
      return row ?? { p50: [], p95: [] };
    },

    /** Newest calls in the span, newest first: the minute of their start, and their latency. */
    async latenciesByMinute(tenantId: number, span: Span) {
      const [row] = await latenciesByMinute(queries).all({ tenantId, ...span });
      return row ?? { minutes: [], p95: [] };
    },

    /** The steps of the newest turns in the span. */
    async measures(tenantId: number, span: Span): Promise<TurnMeasures[]> {
      const [row] = await measuresOfTurns(queries).all({ tenantId, ...span });
      return row?.all ?? [];
    },

    /** Latencies of the newest turns in the span. */
    async turnLatencies(tenantId: number, span: Span): Promise<number[]> {
      const [row] = await latenciesOfTurns(queries).all({ tenantId, ...span });
      return row?.all ?? [];
    },
  };
}
