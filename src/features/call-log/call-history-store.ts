/**
 * Calls for the API's lists. Every filter combination has an index (schema/calls.ts). `total` comes from sums
 * that triggers maintain. So a page costs the same with a million calls.
 */
import { and, asc, desc, eq, gte, inArray, lt, sql } from "drizzle-orm";
import { type SQLiteColumn, unionAll } from "drizzle-orm/sqlite-core";
import type { Queries } from "../../core/database.ts";
import { type CallStatus, MISSED_STATUSES } from "../../core/ended-reason.ts";
import { flatRowReader } from "../../store/query/flat-rows.ts";
import { type DayParts, dayParts } from "../../store/query/hour-span.ts";
import { arg, rowStatement, statement } from "../../store/query/prepared.ts";
import {
  callDays,
  callRollups,
  calls,
  callTags,
  callTotals,
  endedCallChanges,
  toolCalls,
  turns,
} from "../../store/schema/index.ts";

export interface CallFilter {
  readonly agentId?: number;
  readonly status?: CallStatus;
  readonly direction?: "inbound" | "outbound";
  /** True: only missed inbound calls. */
  readonly missed?: true;
  /** Epoch ms, whole UTC hours; inclusive. */
  readonly fromMs?: number;
  /** Exclusive. */
  readonly toMs?: number;
  /** Only calls with this tag. */
  readonly tag?: string;
}

type UntaggedFilter = Omit<CallFilter, "tag">;

export interface Page {
  readonly limit: number;
  readonly offset: number;
}

type OfTenant<Given> = Given & { readonly tenantId: number };

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Start of a day long after all calls. */
const LAST_HOUR = 24 * 1_000_000;
/** Above this offset, skipping rows costs more than adding up days and hours. */
const FAR_OFFSET = 50_000;
/** Maximum sums to add up: three weeks of hours, or more than a year of days. */
const SUMS_MAX = 500;

const ITEM = {
  id: calls.id,
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

/** Fields of a call in a list for people. */
export const FOUND = { ...ITEM, summary: calls.summary, latencyP95Ms: calls.latencyP95Ms };

const readItems = flatRowReader(ITEM);
const readFound = flatRowReader(FOUND);

export function callHistoryStore(queries: Queries) {
  return {
    ...callParts(queries),

    /** Newest first. */
    async list(tenantId: number, filter: CallFilter, page: Page) {
      const row = await pageRow(queries, tenantId, filter, page);
      return readItems(await itemsOfPage(queries, row).values({ ...row }));
    },

    /**
     * The ids of `list`, in its order, with the total of all matches and a change counter. The counter
     * changes whenever the list data of an ended call may have changed. All three are of the same moment.
     */
    async listing(tenantId: number, filter: UntaggedFilter, page: Page) {
      const { toMs: belowMs, offset: skipped } = await nearer(queries, tenantId, filter, page);
      const row = { tenantId, ...filter, ...page, ...partsOf(filter), belowMs, skipped };
      const [found] = await listingOf(queries, row).values({ ...row });
      const [total, ids, changes] = found as [number, string | null, number];
      return { total, ids: ids?.split(",") ?? [], changes };
    },

    /** Calls of a `listing`, unordered, without those deleted since. */
    async listed(tenantId: number, ids: readonly string[]) {
      const row = { tenantId, ids: `[${ids.join()}]` };
      return readItems(await listedItems(queries).values(row));
    },

    /** Like `list`, with the fields for people. */
    async found(tenantId: number, filter: CallFilter, page: Page) {
      const row = await pageRow(queries, tenantId, filter, page);
      return readFound(await foundOfPage(queries, row).values({ ...row }));
    },

    async total(tenantId: number, filter: CallFilter): Promise<number> {
      if (filter.tag !== undefined) return await taggedTotal(queries, tenantId, filter);
      const row = { tenantId, ...filter, ...partsOf(filter) };
      const found = await totalOf(queries, row).get({ ...row });
      return Number(found?.n ?? 0);
    },

    /** A call of any tenant; for the operator only. */
    async findAnywhere(callUuid: string) {
      return await queries.select().from(calls).where(eq(calls.callUuid, callUuid)).get();
    },

    async find(tenantId: number, callUuid: string) {
      return await callOfTenant(queries).get({ tenantId, callUuid });
    },
  };
}

const callOfTenant = statement((queries) =>
  queries
    .select()
    .from(calls)
    .where(and(eq(calls.callUuid, arg("callUuid")), eq(calls.tenantId, arg("tenantId"))))
    .prepare(),
);

const turnsOfCall = statement((queries) =>
  queries
    .select()
    .from(turns)
    .where(eq(turns.callId, arg("callId")))
    .orderBy(asc(turns.turnIndex))
    .prepare(),
);

const toolCallsOfCall = statement((queries) =>
  queries
    .select()
    .from(toolCalls)
    .where(eq(toolCalls.callId, arg("callId")))
    .orderBy(asc(toolCalls.id))
    .prepare(),
);

const wordsOfCalls = statement((queries) =>
  queries
    .select({ callId: turns.callId, text: turns.text })
    .from(turns)
    .where(inArray(turns.callId, sql`(SELECT value FROM json_each(${arg("callIds")}))`))
    .orderBy(asc(turns.callId), asc(turns.turnIndex))
    .prepare(),
);

/** The parts of one call. */
function callParts(queries: Queries) {
  return {
    async turns(callId: number) {
      return await turnsOfCall(queries).all({ callId });
    },

    /** The spoken words of these calls, in order of time per call. */
    async words(callIds: readonly number[]) {
      return await wordsOfCalls(queries).all({ callIds: JSON.stringify(callIds) });
    },

    async toolCalls(callId: number) {
      return await toolCallsOfCall(queries).all({ callId });
    },

    /** For a signed link, which contains no tenant. Null unless the recording can be played. */
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

type CallKinds = typeof calls | typeof callRollups | typeof callDays | typeof callTotals;

/** Missed calls of these statuses. */
export const missedOf = (table: CallKinds, statuses: readonly CallStatus[]) =>
  and(eq(table.direction, "inbound"), inArray(table.status, statuses));

/** `time`: the column to compare with `fromMs` and `toMs`. */
const matching = (
  table: CallKinds,
  time: SQLiteColumn,
  tenantId: number,
  { agentId, status, direction, missed, fromMs, toMs }: CallFilter,
) =>
  and(
    eq(table.tenantId, tenantId),
    agentId === undefined ? undefined : eq(table.agentId, agentId),
    status && eq(table.status, status),
    direction && eq(table.direction, direction),
    missed && missedOf(table, MISSED_STATUSES),
    fromMs === undefined ? undefined : gte(time, fromMs),
    toMs === undefined ? undefined : lt(time, toMs),
  );

/** Calls that have the tag; undefined: any. */
export const taggedWith = (queries: Queries, tenantId: number, tag: string | undefined) =>
  tag === undefined
    ? undefined
    : inArray(
        calls.id,
        queries
          .select({ id: callTags.callId })
          .from(callTags)
          .where(and(eq(callTags.tenantId, tenantId), eq(callTags.tag, tag))),
      );

/** Counts the calls with a tag, because the sums do not include tags. */
async function taggedTotal(
  queries: Queries,
  tenantId: number,
  filter: CallFilter,
): Promise<number> {
  return await queries.$count(
    calls,
    and(
      matching(calls, calls.createdAt, tenantId, filter),
      taggedWith(queries, tenantId, filter.tag),
    ),
  );
}

/** One query per status of missed calls, to be merged. Each is read in the order of its index. */
export function eachMissed<Rows>(rows: (status: CallStatus) => Rows) {
  const [first, second, ...others] = MISSED_STATUSES;
  return [rows(first), rows(second), ...others.map(rows)] as const;
}

/** The query of a page. Exported for a test of its query plan. */
export function pageOf(
  queries: Queries,
  tenantId: number,
  filter: CallFilter,
  page: Page,
  columns: Partial<typeof FOUND> = ITEM,
) {
  const { missed, tag, ...others } = filter;
  const rows = (status?: CallStatus) =>
    queries
      .select(columns)
      .from(calls)
      .where(
        and(
          matching(calls, calls.createdAt, tenantId, others),
          status && missedOf(calls, [status]),
          taggedWith(queries, tenantId, tag),
        ),
      );
  return (missed ? unionAll(...eachMissed(rows)) : rows())
    .orderBy(desc(calls.createdAt), desc(calls.id))
    .limit(page.limit)
    .offset(page.offset);
}

const pageStatement = (columns: Partial<typeof FOUND>) =>
  rowStatement((queries, { tenantId, limit, offset, ...filter }: OfTenant<CallFilter & Page>) =>
    pageOf(queries, tenantId, filter, { limit, offset }, columns).prepare(),
  );
const itemsOfPage = pageStatement(ITEM);
const foundOfPage = pageStatement(FOUND);

/** The query of `listed`. Exported for a test of its query plan. */
export const itemsByIds = (queries: Queries) =>
  queries
    .select(ITEM)
    .from(calls)
    .where(
      and(
        inArray(calls.id, sql`(SELECT value FROM json_each(${arg("ids")}))`),
        // The plus keeps SQLite from reading all calls of the tenant.
        sql`+${calls.tenantId} = ${arg("tenantId")}`,
      ),
    );
const listedItems = statement((queries) => itemsByIds(queries).prepare());

/** The sums are per hour and per day. Both are filled in, so that one statement can use both. */
const partsOf = ({ fromMs, toMs }: CallFilter): Partial<DayParts> =>
  fromMs === undefined && toMs === undefined
    ? {}
    : dayParts({
        fromHour: fromMs === undefined ? 0 : Math.floor(fromMs / HOUR_MS),
        toHour: toMs === undefined ? LAST_HOUR : Math.ceil(toMs / HOUR_MS),
      });

type SummedFilter = OfTenant<UntaggedFilter> & Partial<DayParts>;

/** Whole days use the daily sums, the rest the hourly sums. */
function total(queries: Queries, { tenantId, ...row }: SummedFilter) {
  const { fromHour, untilHour, fromDay, toDay, sinceHour, toHour, ...filter } = row;
  const sums = (
    table: Sums | typeof callTotals,
    time: SQLiteColumn,
    fromMs?: number,
    toMs?: number,
  ) =>
    queries
      .select({ n: sql<number>`coalesce(sum(${table.calls}), 0)`.as("n") })
      .from(table)
      .where(matching(table, time, tenantId, { ...filter, fromMs, toMs }));
  if (fromHour === undefined) return sums(callTotals, callRollups.hour);
  const days = sums(callDays, callDays.day, fromDay, toDay);
  const before = sums(callRollups, callRollups.hour, fromHour, untilHour);
  const after = sums(callRollups, callRollups.hour, sinceHour, toHour);
  return queries
    .select({ n: sql<number>`sum(n)`.as("n") })
    .from(sql`(${days.getSQL()} UNION ALL ${before.getSQL()} UNION ALL ${after.getSQL()})`);
}

const totalOf = rowStatement((queries, row: SummedFilter) => total(queries, row).prepare());

type Sums = typeof callRollups | typeof callDays;
/** `from` (inclusive) and `to` (exclusive): hours or days since 1970. */
type SumsFilter = OfTenant<Omit<UntaggedFilter, "fromMs" | "toMs">> & {
  readonly from?: number;
  readonly to?: number;
};

/** Number of matching calls per hour or day, newest first. */
const newestSums = (table: Sums, time: SQLiteColumn) =>
  rowStatement((queries, { tenantId, from, to, ...filter }: SumsFilter) =>
    queries
      .select({ at: sql`${time}`.mapWith(Number), n: sql`sum(${table.calls})`.mapWith(Number) })
      .from(table)
      .where(matching(table, time, tenantId, { ...filter, fromMs: from, toMs: to }))
      .groupBy(time)
      .orderBy(desc(time))
      .limit(SUMS_MAX)
      .prepare(),
  );
const callsOfHours = newestSums(callRollups, callRollups.hour);
const callsOfDays = newestSums(callDays, callDays.day);

interface Place {
  readonly toMs: number | undefined;
  readonly offset: number;
}

/**
 * The same page with fewer rows to skip: whole days, then whole hours, are skipped by their sums.
 * Not for tags, which the sums do not include.
 */
async function nearer(
  queries: Queries,
  tenantId: number,
  filter: CallFilter,
  { offset }: Page,
): Promise<Place> {
  const start: Place = { toMs: filter.toMs, offset };
  if (offset < FAR_OFFSET || filter.tag !== undefined) return start;
  const beyond = async (ofSums: typeof callsOfHours, everyMs: number, place: Place) => {
    const { fromMs, toMs: _, ...others } = filter;
    const row = {
      tenantId,
      ...others,
      ...(fromMs === undefined ? {} : { from: Math.ceil(fromMs / everyMs) }),
      ...(place.toMs === undefined ? {} : { to: place.toMs / everyMs }),
    };
    let found = place;
    for (const { at, n } of await ofSums(queries, row).all({ ...row })) {
      if (n > found.offset) break;
      found = { toMs: at * everyMs, offset: found.offset - n };
    }
    return found;
  };
  // If the filter ends within a day or hour, that sum counts too many calls.
  const isWhole = (everyMs: number) => start.toMs === undefined || start.toMs % everyMs === 0;
  const place = isWhole(DAY_MS) ? await beyond(callsOfDays, DAY_MS, start) : start;
  return isWhole(HOUR_MS) ? await beyond(callsOfHours, HOUR_MS, place) : place;
}

const pageRow = async (queries: Queries, tenantId: number, filter: CallFilter, page: Page) => ({
  tenantId,
  ...filter,
  ...page,
  ...(await nearer(queries, tenantId, filter, page)),
});

type ListingRow = SummedFilter & Page & { readonly belowMs?: number; readonly skipped: number };

const listingOf = rowStatement((queries, row: ListingRow) => {
  const { tenantId, limit, offset, belowMs, skipped, ...summed } = row;
  const { fromHour, untilHour, fromDay, toDay, sinceHour, toHour, ...filter } = summed;
  const matches = total(queries, row).as("matches");
  const ids = pageOf(
    queries,
    tenantId,
    { ...filter, toMs: belowMs },
    { limit, offset: skipped },
    { id: calls.id },
  );
  return queries
    .select({
      total: matches.n,
      // Skipping rows is expensive, so none are skipped for a page beyond the last.
      ids: sql`iif(${offset} < ${matches.n}, (SELECT group_concat(id) FROM ${ids}), NULL)`,
      changes: sql`coalesce((SELECT ${endedCallChanges.changes} FROM ${endedCallChanges}), 0)`,
    })
    .from(matches)
    .prepare();
});
