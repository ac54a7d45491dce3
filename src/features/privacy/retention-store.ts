/**
 * Finds and deletes expired data of all tenants, one batch at a time. Bounds are inclusive: data exactly as
 * old as its limit is deleted. Runs inside the retention job's transactions.
 */
import {
  and,
  asc,
  eq,
  exists,
  inArray,
  isNotNull,
  isNull,
  lte,
  ne,
  notExists,
  or,
  type SQL,
  sql,
} from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import type { Queries } from "../../core/database.ts";
import {
  agentScenarios,
  callDiagnostics,
  callMemories,
  callNotes,
  callPurposes,
  calls,
  crmCache,
  crmPosts,
  deliveries,
  events,
  mails,
  outbox,
  pinAttempts,
  tenants,
  toolCalls,
  turns,
} from "../../store/schema/index.ts";
import { callAnnotationStore } from "../call-log/call-annotation-store.ts";
import { searchIndexStore } from "../call-log/search-index-store.ts";
import type { OldRows, RetentionRecords } from "./retention.ts";

const DAY_MS = 86_400_000;
const BLOCK_DAYS = 30;
/** Six months in total, for any number of paid blocks. */
const EXTENDED_DAYS_MAX = 180;
/** Notes that contain a caller's words or a number. */
const WORDS_OF_PEOPLE: (typeof callNotes.$inferSelect.kind)[] = ["message", "transfer"];
/** The event that contains a transcript. */
const TRANSCRIPT_EVENT = "transcript.completed";

/** The tenant's limit: the appliance's days, extended by paid blocks up to six months. */
const transcriptDays = (baseDays: number) =>
  sql<number>`max(${baseDays}, min(${baseDays} + ${BLOCK_DAYS} * ${tenants.retentionBlocks}, ${EXTENDED_DAYS_MAX}))`;

export function retentionStore(queries: Queries): RetentionRecords {
  return {
    ...expiredRecordings(queries),
    deleteEvents: (before, limit) =>
      deleteBatch(queries, [events.id, oldEvents(queries, before)], limit),
    deleteOld: (what, beforeMs, limit) => deleteBatch(queries, OLD[what](beforeMs, queries), limit),

    /** Deletes the texts and diagnostics of expired calls. Returns the number of calls. */
    async expireTranscripts(nowMs: number, baseDays: number, limit: number): Promise<number> {
      const due = await queries
        .select({ id: calls.id, tenantId: calls.tenantId, callUuid: calls.callUuid })
        .from(tenants)
        // A cross join keeps this order: an index search per tenant instead of a full scan.
        .crossJoin(calls)
        .where(
          and(
            eq(calls.tenantId, tenants.id),
            isNull(calls.transcriptExpiredAt),
            isNotNull(calls.endedAt),
            sql`${calls.endedAt} <= ${nowMs} - ${DAY_MS} * ${transcriptDays(baseDays)}`,
          ),
        )
        .limit(limit);
      const ids = due.map(({ id }) => id);
      if (ids.length === 0) return 0;
      const index = searchIndexStore(queries);
      const indexed = new Set(await index.indexed(ids));
      for (const { id, tenantId } of due)
        if (indexed.has(id)) await index.unindex(tenantId, id, nowMs, false);
      await index.setDue(ids, nowMs);
      await queries.delete(turns).where(inArray(turns.callId, ids));
      const uuids = due.map(({ callUuid }) => callUuid);
      await queries.delete(agentScenarios).where(inArray(agentScenarios.callUuid, uuids));
      await queries.delete(callDiagnostics).where(inArray(callDiagnostics.callId, ids));
      await callAnnotationStore(queries).deleteOf(ids);
      // Proof of disclosure stays with the record: the text is the operator's.
      await queries
        .delete(callNotes)
        .where(and(inArray(callNotes.callId, ids), inArray(callNotes.kind, WORDS_OF_PEOPLE)));
      await queries.update(toolCalls).set({ arguments: {} }).where(inArray(toolCalls.callId, ids));
      await queries.update(calls).set({ transcriptExpiredAt: nowMs }).where(inArray(calls.id, ids));
      return ids.length;
    },
  };
}

/** Expired recordings. */
function expiredRecordings(
  queries: Queries,
): Pick<RetentionRecords, "recordingsEndedBy" | "markRecordingExpired" | "isFileNeeded"> {
  return {
    /** Files of calls that ended by then, except those that an email still needs. */
    async recordingsEndedBy(beforeMs: number, limit: number) {
      const waiting = queries
        .select({ id: mails.id })
        .from(mails)
        .where(and(eq(mails.status, "pending"), eq(mails.attachment, calls.recordingFile)));
      const due = await queries
        .select({
          tenantId: calls.tenantId,
          callUuid: calls.callUuid,
          file: calls.recordingFile,
        })
        .from(calls)
        .where(
          and(
            isNotNull(calls.recordingFile),
            lte(calls.endedAt, beforeMs),
            inArray(calls.recordingStatus, ["ready", "failed"]),
            sql`not ${exists(waiting)}`,
          ),
        )
        .orderBy(asc(calls.endedAt))
        .limit(limit);
      return due.flatMap(({ file, ...call }) => (file === null ? [] : [{ ...call, file }]));
    },

    async markRecordingExpired(tenantId: number, callUuid: string): Promise<void> {
      await queries
        .update(calls)
        .set({ recordingStatus: "expired", recordingFile: null })
        .where(and(eq(calls.callUuid, callUuid), eq(calls.tenantId, tenantId)));
    },

    /** True if a call, or a pending email, still needs the file. */
    async isFileNeeded(callUuid: string, file: string): Promise<boolean> {
      const call = await queries
        .select({ file: calls.recordingFile, status: calls.recordingStatus })
        .from(calls)
        .where(eq(calls.callUuid, callUuid))
        .get();
      if (call && (call.file === file || ["recording", "processing"].includes(call.status)))
        return true;
      const mail = await queries
        .select({ id: mails.id })
        .from(mails)
        .where(and(eq(mails.status, "pending"), eq(mails.attachment, file)))
        .get();
      return mail !== undefined;
    },
  };
}

/** Events that every subscriber has received or finally missed. Their outbox rows are deleted too. */
function oldEvents(
  queries: Queries,
  before: { readonly anyMs: number; readonly transcriptMs: number },
): SQL | undefined {
  const waiting = queries
    .select({ id: outbox.id })
    .from(outbox)
    .where(and(eq(outbox.eventId, events.id), eq(outbox.status, "pending")));
  return and(
    lte(events.createdAt, Math.max(before.anyMs, before.transcriptMs)),
    or(
      and(ne(events.type, TRANSCRIPT_EVENT), lte(events.createdAt, before.anyMs)),
      and(eq(events.type, TRANSCRIPT_EVENT), lte(events.createdAt, before.transcriptMs)),
    ),
    sql`not ${exists(waiting)}`,
  );
}

/** A table's primary key, and the condition for its old rows. */
type OldRowsOf = readonly [SQLiteColumn, SQL | undefined];

const OLD: Readonly<Record<OldRows, (beforeMs: number, queries: Queries) => OldRowsOf>> = {
  deliveries: (beforeMs) => [deliveries.id, lte(deliveries.createdAt, beforeMs)],
  memories: (beforeMs) => [callMemories.id, lte(callMemories.attemptedAt, beforeMs)],
  pin_attempts: (beforeMs) => [pinAttempts.id, lte(pinAttempts.attemptedAt, beforeMs)],
  crm_answers: (beforeMs) => [crmCache.id, lte(crmCache.fetchedAt, beforeMs)],
  /** Delivered or failed messages: they contain a transcript. */
  crm_messages(beforeMs) {
    const isOver = inArray(crmPosts.status, ["delivered", "failed"]);
    return [crmPosts.id, and(isOver, lte(crmPosts.createdAt, beforeMs))];
  },
  /** Sent or failed emails, except one whose recording still has to be deleted. */
  mails(beforeMs) {
    const isSent = and(eq(mails.status, "sent"), isNull(mails.attachment));
    return [mails.id, and(lte(mails.createdAt, beforeMs), or(eq(mails.status, "dead"), isSent))];
  },
  /** Purposes of ended calls only: a call may be planned a year ahead. */
  purposes(beforeMs, queries) {
    const unfinished = queries
      .select({ one: sql`1` })
      .from(calls)
      .where(and(eq(calls.callUuid, callPurposes.callUuid), isNull(calls.endedAt)));
    const old = and(lte(callPurposes.createdAt, beforeMs), notExists(unfinished));
    return [callPurposes.callUuid, old];
  },
};

async function deleteBatch(
  queries: Queries,
  [key, where]: OldRowsOf,
  limit: number,
): Promise<number> {
  const old = queries.select({ key }).from(key.table).where(where).limit(limit);
  const gone = await queries.delete(key.table).where(inArray(key, old)).returning({ key });
  return gone.length;
}
