/** Finds and deletes the rows about one person's number, of one tenant. */
import { and, count, eq, inArray, or, type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Queries } from "../../core/database.ts";
import {
  callComments,
  callDiagnostics,
  callNotes,
  calls,
  callTags,
  events,
  mails,
  phoneNumbers,
  schedules,
  toolCalls,
  turns,
} from "../../store/schema/index.ts";
import { callAnnotationStore } from "../call-log/call-annotation-store.ts";
import { searchIndexStore } from "../call-log/search-index-store.ts";
import { personStore } from "./person-store.ts";

/** How long an erased call stays out of the index. After that it is indexed in its new state. */
const UNINDEXED_MS = 600_000;
/** Bound variables per statement. */
const CHUNK = 500;

export type PersonsCall = Pick<
  typeof calls.$inferSelect,
  "id" | "callUuid" | "status" | "recordingStatus" | "recordingFile"
>;

function chunksOf<Item>(items: readonly Item[]): Item[][] {
  const chunks: Item[][] = [];
  for (let at = 0; at < items.length; at += CHUNK) chunks.push(items.slice(at, at + CHUNK));
  return chunks;
}

export function eraseStore(queries: Queries) {
  return {
    ...eraseSearch(queries),
    ...eraseIndexed(queries),

    /** Deletes texts, copies and numbers. The call stays in bills and reports. */
    async erase(
      tenantId: number,
      number: string,
      found: readonly PersonsCall[],
      nowMs: number,
    ): Promise<void> {
      const index = searchIndexStore(queries);
      for (const ids of chunksOf(found.map(({ id }) => id))) {
        for (const id of await index.indexed(ids)) await index.unindex(tenantId, id, nowMs, true);
        await index.setDue(ids, nowMs);
        await queries.delete(turns).where(inArray(turns.callId, ids));
        await queries.delete(toolCalls).where(inArray(toolCalls.callId, ids));
        await queries.delete(callNotes).where(inArray(callNotes.callId, ids));
        await queries.delete(callDiagnostics).where(inArray(callDiagnostics.callId, ids));
        await callAnnotationStore(queries).deleteOf(ids);
        await queries
          .update(calls)
          .set({
            fromNumber: sql`CASE WHEN from_number = ${number} THEN '' ELSE from_number END`,
            toNumber: sql`CASE WHEN to_number = ${number} THEN '' ELSE to_number END`,
            summary: null,
            endedExplanation: null,
            sipCallId: null,
            transcriptExpiredAt: sql`coalesce(transcript_expired_at, ${nowMs})`,
            recordingStatus: sql`CASE WHEN recording_file IS NULL THEN recording_status ELSE 'expired' END`,
            recordingFile: null,
          })
          .where(inArray(calls.id, ids));
      }
      for (const uuids of chunksOf(found.map(({ callUuid }) => callUuid))) {
        await queries.delete(events).where(inArray(events.callUuid, uuids));
        await queries.delete(mails).where(inArray(mails.callUuid, uuids));
      }
      await personStore(queries).erase(
        tenantId,
        number,
        found.map(({ callUuid }) => callUuid),
      );
      await queries
        .update(schedules)
        .set({ toNumber: "" })
        .where(and(eq(schedules.tenantId, tenantId), eq(schedules.toNumber, number)));
    },
  };
}

function eraseIndexed(queries: Queries) {
  return {
    /**
     * Removes a call from the word index, and its unique words from the word list. Runs before `erase`, with
     * one call per transaction, because each has hundreds of words.
     */
    async unindex(tenantId: number, callId: number, nowMs: number): Promise<void> {
      await searchIndexStore(queries).unindex(tenantId, callId, nowMs + UNINDEXED_MS, true);
    },
  };
}

/** Finds the rows about a number. */
function eraseSearch(queries: Queries) {
  return {
    async isOwnNumber(tenantId: number, number: string): Promise<boolean> {
      const found = await queries
        .select({ id: phoneNumbers.id })
        .from(phoneNumbers)
        .where(and(eq(phoneNumbers.tenantId, tenantId), eq(phoneNumbers.numberE164, number)))
        .get();
      return found !== undefined;
    },

    async callsWith(tenantId: number, number: string): Promise<PersonsCall[]> {
      return queries
        .select({
          id: calls.id,
          callUuid: calls.callUuid,
          status: calls.status,
          recordingStatus: calls.recordingStatus,
          recordingFile: calls.recordingFile,
        })
        .from(calls)
        .where(
          and(
            eq(calls.tenantId, tenantId),
            or(eq(calls.fromNumber, number), eq(calls.toNumber, number)),
          ),
        );
    },

    async pendingSchedules(tenantId: number, number: string) {
      return queries
        .select({ id: schedules.id, callUuid: schedules.callUuid })
        .from(schedules)
        .where(
          and(
            eq(schedules.tenantId, tenantId),
            eq(schedules.toNumber, number),
            eq(schedules.status, "pending"),
          ),
        );
    },

    async countOf(callUuids: readonly string[], callIds: readonly number[]) {
      const sums = { turns: 0, tool_calls: 0, tags: 0, comments: 0, events: 0, mails: 0 };
      for (const ids of chunksOf(callIds)) {
        sums.turns += await rows(queries, turns, inArray(turns.callId, ids));
        sums.tool_calls += await rows(queries, toolCalls, inArray(toolCalls.callId, ids));
        sums.tags += await rows(queries, callTags, inArray(callTags.callId, ids));
        sums.comments += await rows(queries, callComments, inArray(callComments.callId, ids));
      }
      for (const uuids of chunksOf(callUuids)) {
        sums.events += await rows(queries, events, inArray(events.callUuid, uuids));
        sums.mails += await rows(queries, mails, inArray(mails.callUuid, uuids));
      }
      return sums;
    },
  };
}

async function rows(queries: Queries, table: SQLiteTable, where: SQL) {
  const row = await queries.select({ n: count() }).from(table).where(where).get();
  return row?.n ?? 0;
}
