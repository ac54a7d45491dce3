/**
 * Calls as the API lists them. Every filter combination has its index (schema/calls.ts), and
 * `total` comes from sums that triggers maintain, so that a page costs the same with a million
 * calls.
 */
import { and, asc, desc, eq, gte, lt, type Placeholder, sql } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import type { CallStatus } from "../../core/ended-reason.ts";
import { flatRowReader } from "./flat-rows.ts";
import { prepared } from "./prepared.ts";
import { callRollups, calls, callTotals, toolCalls, turns } from "./schema/index.ts";

export interface CallFilter {
  readonly agentId?: number;
  readonly status?: CallStatus;
  readonly direction?: "inbound" | "outbound";
  /** Epoch ms, whole UTC hours; inclusive. */
  readonly fromMs?: number;
  /** Exclusive. */
  readonly toMs?: number;
}

interface Page {
  readonly limit: number;
  readonly offset: number;
}

const HOUR_MS = 3_600_000;

const ITEM = {
  callUuid: calls.callUuid,
  direction: calls.direction,
  fromNumber: calls.fromNumber,
  toNumber: calls.toNumber,
  status: calls.status,
  billableSeconds: calls.billableSeconds,
  cost: calls.cost,
  agentId: calls.agentId,
  createdAt: calls.createdAt,
  answeredAt: calls.answeredAt,
  endedAt: calls.endedAt,
  endedReason: calls.endedReason,
  scheduleId: calls.scheduleId,
};

const readItems = flatRowReader(ITEM);

export function callHistoryStore(queries: Queries) {
  return {
    ...callParts(queries),

    /** Newest first. */
    async list(tenantId: number, filter: CallFilter, page: Page) {
      const statement = prepared(queries, `calls.list:${shapeOf(filter)}`, () =>
        pageOf(queries, HOLES.tenantId, holesOf(filter), HOLES).prepare(),
      );
      return readItems(await statement.values({ tenantId, ...filter, ...page }));
    },

    async total(tenantId: number, filter: CallFilter): Promise<number> {
      const statement = prepared(queries, `calls.total:${shapeOf(filter)}`, () =>
        totalOf(queries, HOLES.tenantId, holesOf(filter)).prepare(),
      );
      const hours = {
        fromMs: Math.floor((filter.fromMs ?? 0) / HOUR_MS),
        toMs: Math.ceil((filter.toMs ?? 0) / HOUR_MS),
      };
      const row = await statement.get({ tenantId, ...filter, ...hours });
      return Number(row?.n ?? 0);
    },

    /** For the operator only: a call of any tenant. */
    async findAnywhere(callUuid: string) {
      return await queries.select().from(calls).where(eq(calls.callUuid, callUuid)).get();
    },

    async find(tenantId: number, callUuid: string) {
      return await queries
        .select()
        .from(calls)
        .where(and(eq(calls.callUuid, callUuid), eq(calls.tenantId, tenantId)))
        .get();
    },
  };
}

/** The parts of one call. */
function callParts(queries: Queries) {
  return {
    async turns(callId: number) {
      return await queries
        .select()
        .from(turns)
        .where(eq(turns.callId, callId))
        .orderBy(asc(turns.turnIndex));
    },

    async toolCalls(callId: number) {
      return await queries
        .select()
        .from(toolCalls)
        .where(eq(toolCalls.callId, callId))
        .orderBy(asc(toolCalls.id));
    },

    /** For a signed link, which names no tenant. Null unless the recording can be played. */
    async recordingFile(callUuid: string): Promise<string | null> {
      const row = await queries
        .select({ file: calls.recordingFile, status: calls.recordingStatus })
        .from(calls)
        .where(eq(calls.callUuid, callUuid))
        .get();
      return row?.status === "ready" ? row.file : null;
    },
  };
}

type Hole = Placeholder<string>;
type OrHoles<Shape> = { readonly [Key in keyof Shape]: Shape[Key] | Hole };

const HOLES = {
  tenantId: sql.placeholder("tenantId"),
  limit: sql.placeholder("limit"),
  offset: sql.placeholder("offset"),
};

const NAMES = ["agentId", "status", "direction", "fromMs", "toMs"] as const;

/** Which filters are set: each combination is a separate statement. */
const shapeOf = (filter: CallFilter) =>
  NAMES.map((name) => (filter[name] === undefined ? "-" : "x")).join("");

const holesOf = (filter: CallFilter): OrHoles<CallFilter> =>
  Object.fromEntries(
    NAMES.filter((name) => filter[name] !== undefined).map((name) => [name, sql.placeholder(name)]),
  );

/** The query of a page. Exported for a test of its query plan. */
export function pageOf(
  queries: Queries,
  tenantId: number | Hole,
  filter: OrHoles<CallFilter>,
  page: OrHoles<Page>,
) {
  return queries
    .select(ITEM)
    .from(calls)
    .where(
      and(
        eq(calls.tenantId, tenantId),
        filter.agentId === undefined ? undefined : eq(calls.agentId, filter.agentId),
        filter.status && eq(calls.status, filter.status),
        filter.direction && eq(calls.direction, filter.direction),
        filter.fromMs === undefined ? undefined : gte(calls.createdAt, filter.fromMs),
        filter.toMs === undefined ? undefined : lt(calls.createdAt, filter.toMs),
      ),
    )
    .orderBy(desc(calls.createdAt), desc(calls.id))
    .limit(page.limit)
    .offset(page.offset);
}

/** `fromMs` and `toMs` must be whole hours. */
function totalOf(queries: Queries, tenantId: Hole, filter: OrHoles<CallFilter>) {
  const dated = filter.fromMs !== undefined || filter.toMs !== undefined;
  const table = dated ? callRollups : callTotals;
  return queries
    .select({ n: sql<number>`coalesce(sum(${table.calls}), 0)` })
    .from(table)
    .where(
      and(
        eq(table.tenantId, tenantId),
        filter.agentId === undefined ? undefined : eq(table.agentId, filter.agentId),
        filter.direction && eq(table.direction, filter.direction),
        filter.status && eq(table.status, filter.status),
        filter.fromMs === undefined ? undefined : gte(callRollups.hour, filter.fromMs),
        filter.toMs === undefined ? undefined : lt(callRollups.hour, filter.toMs),
      ),
    );
}
