/** Recordings after the call: announced, sent by email, deleted. */
import { and, asc, desc, eq, exists, isNotNull, isNull, lte, ne, or } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import { calls, events, outbox } from "../../store/schema/index.ts";
import { type CallRow, IS_IN_WORK } from "./call-store.ts";

export function recordingStore(queries: Queries) {
  return {
    ...recordingDeletion(queries),

    /** When `recording.ready` of the call was sent to an endpoint; null if none has subscribed to it. */
    async announcedAt(tenantId: number, callUuid: string): Promise<number | null> {
      const subscribed = queries
        .select({ id: outbox.id })
        .from(outbox)
        .where(eq(outbox.eventId, events.id));
      const event = await queries
        .select({ createdAt: events.createdAt })
        .from(events)
        .where(
          and(
            eq(events.tenantId, tenantId),
            eq(events.callUuid, callUuid),
            eq(events.type, "recording.ready"),
            exists(subscribed),
          ),
        )
        .orderBy(desc(events.createdAt))
        .limit(1)
        .get();
      return event?.createdAt ?? null;
    },

    /** Recordings that other nodes have not encoded yet, oldest first, of all tenants. */
    async leftByOtherNodes(node: string, limit: number): Promise<CallRow[]> {
      return await queries
        .select()
        .from(calls)
        .where(
          and(
            IS_IN_WORK,
            eq(calls.recordingStatus, "processing"),
            isNotNull(calls.node),
            ne(calls.node, node),
          ),
        )
        .orderBy(asc(calls.id))
        .limit(limit);
    },
  };
}

/** Files to delete after they were sent by email. */
function recordingDeletion(queries: Queries) {
  return {
    /** Schedules the deletion of a recording sent by email. */
    async deleteAt(tenantId: number, callUuid: string, atMs: number): Promise<void> {
      await queries
        .update(calls)
        .set({ recordingDeleteAt: atMs })
        .where(and(eq(calls.tenantId, tenantId), eq(calls.callUuid, callUuid)));
    },

    /** Recordings due for deletion on this node's disk, of all tenants. */
    async dueForDeletion(nowMs: number, node: string, limit: number) {
      return await queries
        .select({ tenantId: calls.tenantId, callUuid: calls.callUuid, file: calls.recordingFile })
        .from(calls)
        .where(
          and(
            isNotNull(calls.recordingFile),
            lte(calls.recordingDeleteAt, nowMs),
            or(isNull(calls.node), eq(calls.node, node)),
          ),
        )
        .orderBy(asc(calls.recordingDeleteAt))
        .limit(limit);
    },

    /** Marks the recording as deleted after it was sent by email. */
    async markMailed(tenantId: number, callUuid: string): Promise<void> {
      await queries
        .update(calls)
        .set({ recordingStatus: "emailed_deleted", recordingFile: null, recordingDeleteAt: null })
        .where(and(eq(calls.tenantId, tenantId), eq(calls.callUuid, callUuid)));
    },
  };
}
