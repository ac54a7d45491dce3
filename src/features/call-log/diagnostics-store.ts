/** Diagnostics of a call: SIP message trace, quality, waveform, deliveries. */

import { and, asc, desc, eq, gte, lt, lte, or, type SQL, sql } from "drizzle-orm";
import { unionAll } from "drizzle-orm/sqlite-core";
import type { QualitySample, SipTraceEntry } from "../../call/diagnostics.ts";
import type { RecordingPeaks } from "../../call/media-port.ts";
import type { Queries } from "../../core/database.ts";
import { type CallStatus, MISSED_STATUSES } from "../../core/ended-reason.ts";
import type { PacketHeaders } from "../../core/packet-headers.ts";
import { flatRowReader } from "../../store/query/flat-rows.ts";
import { arg, rowStatement, statement } from "../../store/query/prepared.ts";
import {
  callDiagnostics,
  callPeaks,
  calls,
  deliveries,
  events,
  mails,
  tenants,
} from "../../store/schema/index.ts";
import { type CallFilter, eachMissed, FOUND, missedOf, taggedWith } from "./call-history-store.ts";

/** Position in a list of calls; the next page begins after it. */
interface CallPlace {
  readonly createdAt: number;
  readonly id: number;
}

const DELIVERIES_MAX = 200;

const packed = (bytes: Int8Array | Uint8Array) =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
const unpacked = (text: string) => new Int8Array(Buffer.from(text, "base64"));

const putDiagnostics = rowStatement((queries, row: typeof callDiagnostics.$inferInsert) =>
  queries
    .insert(callDiagnostics)
    .values(row)
    .onConflictDoUpdate({
      target: callDiagnostics.callId,
      set: { sip: sql`excluded.sip`, quality: sql`excluded.quality` },
    })
    .prepare(),
);

const putPeaks = rowStatement((queries, row: typeof callPeaks.$inferInsert) =>
  queries
    .insert(callPeaks)
    .values(row)
    .onConflictDoUpdate({
      target: callPeaks.callId,
      set: {
        durationMs: sql`excluded.duration_ms`,
        slotsPerSecond: sql`excluded.slots_per_second`,
        left: sql`excluded.left_peaks`,
        right: sql`excluded.right_peaks`,
        createdAt: sql`excluded.created_at`,
      },
    })
    .prepare(),
);

export function diagnosticsStore(queries: Queries) {
  return {
    ...recordingPeaks(queries),
    ...callDeliveries(queries),
    ...callPages(queries),

    /** Replaces earlier rows: late SIP messages are stored together with all earlier ones. */
    async put(
      tenantId: number,
      callId: number,
      diagnostics: {
        readonly sip: readonly SipTraceEntry[];
        readonly quality: readonly QualitySample[];
        readonly packetHeaders: PacketHeaders | null;
      },
    ): Promise<void> {
      const { packetHeaders: headers } = diagnostics;
      const row = {
        tenantId,
        callId,
        ...diagnostics,
        packetHeaders: headers && { ...headers, records: packed(headers.records) },
      };
      await putDiagnostics(queries, row).run(row);
    },

    async packetHeaders(callId: number): Promise<PacketHeaders | null> {
      const row = await queries
        .select({ headers: callDiagnostics.packetHeaders })
        .from(callDiagnostics)
        .where(eq(callDiagnostics.callId, callId))
        .get();
      const headers = row?.headers ?? null;
      return headers && { ...headers, records: Buffer.from(headers.records, "base64") };
    },

    async find(callId: number) {
      const row = await queries
        .select({ sip: callDiagnostics.sip, quality: callDiagnostics.quality })
        .from(callDiagnostics)
        .where(eq(callDiagnostics.callId, callId))
        .get();
      return row ?? { sip: [], quality: [] };
    },
  };
}

/** Loudness of a recording, for its waveform. */
function recordingPeaks(queries: Queries) {
  return {
    async putPeaks(
      tenantId: number,
      callId: number,
      { durationMs, slotsPerSecond, left, right }: RecordingPeaks,
      nowMs: number,
    ): Promise<void> {
      const waveform = { left: packed(left), right: packed(right) };
      const row = { callId, tenantId, durationMs, slotsPerSecond, ...waveform, createdAt: nowMs };
      await putPeaks(queries, row).run(row);
    },

    async peaks(callId: number): Promise<RecordingPeaks | null> {
      const row = await queries.select().from(callPeaks).where(eq(callPeaks.callId, callId)).get();
      if (!row) return null;
      const { durationMs, slotsPerSecond } = row;
      return { durationMs, slotsPerSecond, left: unpacked(row.left), right: unpacked(row.right) };
    },

    async hasPeaks(callId: number): Promise<boolean> {
      const row = await queries
        .select({ id: callPeaks.callId })
        .from(callPeaks)
        .where(eq(callPeaks.callId, callId))
        .get();
      return row !== undefined;
    },
  };
}

/** Deliveries about a call. */
function callDeliveries(queries: Queries) {
  return {
    async deliveries(tenantId: number, callUuid: string) {
      return await queries
        .select({
          webhookId: deliveries.webhookId,
          eventId: deliveries.eventId,
          deliveryId: deliveries.id,
          type: deliveries.type,
          attempt: deliveries.attempt,
          status: deliveries.status,
          httpStatus: deliveries.httpStatus,
          durationMs: deliveries.durationMs,
          error: deliveries.error,
          createdAt: deliveries.createdAt,
        })
        .from(events)
        .innerJoin(deliveries, eq(deliveries.eventId, events.id))
        .where(and(eq(events.callUuid, callUuid), eq(events.tenantId, tenantId)))
        .orderBy(asc(deliveries.createdAt))
        .limit(DELIVERIES_MAX);
    },

    async mails(tenantId: number, callUuid: string) {
      return await queries
        .select({
          recipient: mails.recipient,
          status: mails.status,
          attempts: mails.attempts,
          lastError: mails.lastError,
          sentAt: mails.sentAt,
        })
        .from(mails)
        .where(and(eq(mails.tenantId, tenantId), eq(mails.callUuid, callUuid)))
        .orderBy(asc(mails.id));
    },
  };
}

const isThere = (rows: SQL) => sql`EXISTS (SELECT 1 FROM ${rows})`.mapWith(Boolean);

const firstSteps = statement((queries) => {
  const owned = sql`tenant_id = ${arg("tenantId")}`;
  const called = sql`calls WHERE ${owned} AND status = ${"completed" satisfies CallStatus}`;
  const done = sql`audit_entries WHERE ${owned}
    AND action IN (SELECT value FROM json_each(${arg("talks")}))`;
  return queries
    .select({
      agent: isThere(sql`agents WHERE ${owned}`),
      knowledge: isThere(sql`files JOIN agent_files ON file_id = files.id WHERE ${owned}`),
      // Actions are searched only if no call proves it.
      talk: sql`CASE WHEN ${isThere(called)} THEN 1 ELSE ${isThere(done)} END`.mapWith(Boolean),
      number: isThere(sql`phone_numbers WHERE ${owned} AND agent_id IS NOT NULL`),
      first_call: isThere(called),
    })
    .from(tenants)
    .where(eq(tenants.id, arg("tenantId")))
    .prepare();
});

/** Pages of calls, and a tenant's first steps. */
function callPages(queries: Queries) {
  return {
    /** The steps to the first call. `talks`: audited actions that count as talking to an agent. */
    async firstSteps(tenantId: number, talks: readonly string[]) {
      return await firstSteps(queries).get({ tenantId, talks: JSON.stringify(talks) });
    },

    /** Newest first, after the last row of the previous page. So a page costs the same with a million rows. */
    async pageOfCalls(
      tenantId: number,
      filter: CallFilter,
      after: CallPlace | null,
      limit: number,
    ) {
      const place = after && { afterAt: after.createdAt, afterId: after.id };
      const row = { tenantId, ...filter, ...place, limit };
      return readExported(await pageBelow(queries, row).values({ ...row }));
    },

    /** Those of these calls that match the filter, unordered. */
    async callsNamed(tenantId: number, filter: CallFilter, callIds: readonly number[]) {
      const row = { tenantId, ...filter, ids: JSON.stringify(callIds) };
      return readExported(await namedCalls(queries, row).values({ ...row }));
    },
  };
}

interface PageBelow extends CallFilter {
  readonly tenantId: number;
  readonly afterAt?: number;
  readonly afterId?: number;
  readonly limit: number;
}

const pageBelow = rowStatement(
  (queries, { tenantId, afterAt, afterId, limit, ...filter }: PageBelow) => {
    const isFirst = afterAt === undefined || afterId === undefined;
    const after = isFirst ? null : { createdAt: afterAt, id: afterId };
    return callsBelow(queries, tenantId, filter, after, limit).prepare();
  },
);

/** A row of the CSV of calls, without its tags. */
const EXPORTED = {
  ...FOUND,
  id: calls.id,
  answeredBy: calls.answeredBy,
  latencyP50Ms: calls.latencyP50Ms,
  mos: calls.mos,
};
const readExported = flatRowReader(EXPORTED);

interface NamedCalls extends CallFilter {
  readonly tenantId: number;
  /** JSON array of ids. */
  readonly ids: string;
}

const namedCalls = rowStatement((queries, { tenantId, ids, ...filter }: NamedCalls) =>
  queries
    .select(EXPORTED)
    // A cross join keeps this order. Otherwise all calls of the tenant would be read.
    .from(sql`json_each(${ids}) AS named`)
    .crossJoin(calls)
    .where(
      and(
        eq(calls.id, sql`named.value`),
        fromTime(queries, tenantId, filter),
        filter.toMs === undefined ? undefined : lt(calls.createdAt, filter.toMs),
      ),
    )
    .prepare(),
);

/** The whole filter except its end. */
function fromTime(queries: Queries, tenantId: number, filter: CallFilter) {
  const { agentId, status, direction, missed, fromMs, tag } = filter;
  return and(
    eq(calls.tenantId, tenantId),
    agentId === undefined ? undefined : eq(calls.agentId, agentId),
    status && eq(calls.status, status),
    direction && eq(calls.direction, direction),
    missed && missedOf(calls, MISSED_STATUSES),
    fromMs === undefined ? undefined : gte(calls.createdAt, fromMs),
    taggedWith(queries, tenantId, tag),
  );
}

/**
 * The query of a page. Exported for a test of its query plan. The bound on the time alone enables
 * an index seek.
 */
export function callsBelow(
  queries: Queries,
  tenantId: number,
  filter: CallFilter,
  after: CallPlace | null,
  limit: number,
) {
  const below = after
    ? [
        lte(calls.createdAt, after.createdAt),
        or(lt(calls.createdAt, after.createdAt), lt(calls.id, after.id)),
      ]
    : [filter.toMs === undefined ? undefined : lt(calls.createdAt, filter.toMs)];
  const { missed, ...others } = filter;
  const rows = (status?: CallStatus) =>
    queries
      .select(EXPORTED)
      .from(calls)
      .where(
        and(fromTime(queries, tenantId, others), status && missedOf(calls, [status]), ...below),
      );
  return (missed ? unionAll(...eachMissed(rows)) : rows())
    .orderBy(desc(calls.createdAt), desc(calls.id))
    .limit(limit);
}
