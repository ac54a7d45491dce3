/**
 * Writes calls, turns and tool calls, one function per step of a call's life. Lists and analytics
 * have their own stores.
 */

import { and, count, eq, gt, gte, inArray, isNull, lt, ne, or, sql, sum } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import type { FinalFigures } from "../../domain/call/final-figures.ts";
import type { CallEnding } from "../../domain/call/state.ts";
import type { RecordingChange, StoredToolCall } from "../../domain/call/stores.ts";
import type { CallReport, TurnRecord } from "../../domain/conversation/call-report.ts";
import { prepared } from "./prepared.ts";
import { callRollups, calls, toolCalls, turns } from "./schema/index.ts";

export type CallRow = typeof calls.$inferSelect;
type NewCallRow = Omit<typeof calls.$inferInsert, "tenantId" | "id">;

/** The INVITE of an answered call ended with 200, whatever happened later. */
const SIP_OK = 200;

const HOUR_MS = 3_600_000;

const LIVE = ["dialing", "ringing", "in_progress"] as const;
const OPEN = ["queued", ...LIVE] as const;

/** Must match the text of the partial index `calls_recording_in_work`. */
export const IS_IN_WORK = sql`recording_status IN ('processing', 'recording')`;

/** `own` for a prepared statement. */
const OWN = and(
  eq(calls.callUuid, sql.placeholder("callUuid")),
  eq(calls.tenantId, sql.placeholder("tenantId")),
);

const own = (tenantId: number, callUuid: string) =>
  and(eq(calls.callUuid, callUuid), eq(calls.tenantId, tenantId));

export function callStore(queries: Queries) {
  return {
    ...callProgress(queries),
    ...callConversation(queries),
    ...callEnd(queries),
    ...callsOfNodes(queries),
    ...callLimits(queries),

    async insert(tenantId: number, call: NewCallRow): Promise<number> {
      const [row] = await queries
        .insert(calls)
        .values({ ...call, tenantId })
        .returning({ id: calls.id });
      if (!row) throw new Error("insert answered no row");
      return row.id;
    },

    find(tenantId: number, callUuid: string): Promise<CallRow | undefined> {
      const statement = prepared(queries, "calls.find", () =>
        queries.select().from(calls).where(OWN).prepare(),
      );
      return statement.get({ tenantId, callUuid });
    },
  };
}

/** A call from dialling to the answer. */
function callProgress(queries: Queries) {
  return {
    /** Written before the INVITE is sent: from here on the call is never dialled again. */
    async markDialing(
      tenantId: number,
      callUuid: string,
      node: string,
      nowMs: number,
    ): Promise<void> {
      await queries
        .update(calls)
        .set({ status: "dialing", heartbeatAt: nowMs, node })
        .where(own(tenantId, callUuid));
    },

    async markRinging(tenantId: number, callUuid: string, nowMs: number): Promise<void> {
      await queries
        .update(calls)
        .set({ status: "ringing", ringingAt: nowMs, heartbeatAt: nowMs })
        .where(and(own(tenantId, callUuid), inArray(calls.status, [...OPEN])));
    },

    async markAnswered(tenantId: number, callUuid: string, nowMs: number): Promise<void> {
      await queries
        .update(calls)
        .set({ status: "in_progress", answeredAt: nowMs, heartbeatAt: nowMs })
        .where(and(own(tenantId, callUuid), inArray(calls.status, [...OPEN])));
    },

    async setAnsweredBy(
      tenantId: number,
      callUuid: string,
      answeredBy: CallReport["answeredBy"],
    ): Promise<void> {
      await queries.update(calls).set({ answeredBy }).where(own(tenantId, callUuid));
    },

    async setSip(tenantId: number, callUuid: string, sipCallId: string): Promise<void> {
      await queries.update(calls).set({ sipCallId }).where(own(tenantId, callUuid));
    },
  };
}

/** Turns and tool calls. */
function callConversation(queries: Queries) {
  return {
    async setRecording(
      tenantId: number,
      callUuid: string,
      recording: RecordingChange,
    ): Promise<void> {
      await queries
        .update(calls)
        .set({
          recordingStatus: recording.status,
          ...(recording.file === undefined ? {} : { recordingFile: recording.file }),
          ...(recording.ms === undefined ? {} : { recordingMs: recording.ms }),
        })
        .where(own(tenantId, callUuid));
    },

    async putTurn(callId: number, turn: TurnRecord): Promise<void> {
      const { index, ...rest } = turn;
      await queries
        .insert(turns)
        .values({ callId, turnIndex: index, ...rest })
        .onConflictDoUpdate({ target: [turns.callId, turns.turnIndex], set: rest });
    },

    turns(callId: number) {
      return queries.select().from(turns).where(eq(turns.callId, callId)).orderBy(turns.turnIndex);
    },

    async addToolCall(callId: number, toolCall: StoredToolCall): Promise<void> {
      await queries.insert(toolCalls).values({ ...toolCall, callId });
    },
  };
}

/** The end of a call, once. */
function callEnd(queries: Queries) {
  return {
    /** True if the end is not written yet. Check it first in the transaction that ends a call. */
    async isOpen(tenantId: number, callUuid: string): Promise<boolean> {
      const statement = prepared(queries, "calls.status", () =>
        queries.select({ status: calls.status }).from(calls).where(OWN).prepare(),
      );
      const row = await statement.get({ tenantId, callUuid });
      return row !== undefined && (OPEN as readonly string[]).includes(row.status);
    },

    /** Writes the end of a call, once. */
    async finish(
      tenantId: number,
      callUuid: string,
      ending: CallEnding,
      endedAt: number,
      report: CallReport | null,
      figures: FinalFigures,
    ): Promise<void> {
      await queries
        .update(calls)
        .set({
          status: ending.status,
          endedReason: ending.reason,
          endedExplanation: ending.explanation,
          fault: ending.fault,
          sipFinalCode: ending.sipCode ?? (ending.status === "completed" ? SIP_OK : null),
          endedAt,
          ...figures,
          ...(report
            ? {
                answeredBy: report.answeredBy,
                summary: report.summary,
                codec: report.media.codec,
                packetsLost: report.media.packetsLost,
                jitterMs: report.media.jitterMs,
                mos: report.media.mos,
                ...report.usage,
              }
            : {}),
        })
        .where(own(tenantId, callUuid));
    },
  };
}

/** Calls of a node, and calls that a dead node left behind. */
function callsOfNodes(queries: Queries) {
  return {
    /**
     * Updates the heartbeat of this process's calls in one statement. Returns those that are still
     * open.
     */
    async heartbeat(callUuids: readonly string[], nowMs: number): Promise<Set<string>> {
      if (callUuids.length === 0) return new Set();
      const open = await queries
        .update(calls)
        .set({ heartbeatAt: nowMs })
        .where(and(inArray(calls.callUuid, [...callUuids]), inArray(calls.status, [...LIVE])))
        .returning({ callUuid: calls.callUuid });
      return new Set(open.map(({ callUuid }) => callUuid));
    },

    /** Calls of all tenants that a crash left open. */
    leftLive(): Promise<CallRow[]> {
      return queries
        .select()
        .from(calls)
        .where(inArray(calls.status, [...LIVE]));
    },

    /** Open calls and unprocessed recordings are this node's from now on. */
    async adoptLeft(node: string): Promise<void> {
      const isLeft = or(inArray(calls.status, [...LIVE]), IS_IN_WORK);
      await queries
        .update(calls)
        .set({ node })
        .where(and(isLeft, ne(calls.node, node)));
    },

    /** Unprocessed recordings on this node's disk, of all tenants. */
    leftUnprocessed(node: string): Promise<CallRow[]> {
      return queries
        .select()
        .from(calls)
        .where(and(IS_IN_WORK, or(isNull(calls.node), eq(calls.node, node))));
    },
  };
}

/** The figures that limits are checked against. */
function callLimits(queries: Queries) {
  return {
    async liveCount(tenantId: number): Promise<number> {
      const row = await queries
        .select({ n: count() })
        .from(calls)
        .where(and(eq(calls.tenantId, tenantId), inArray(calls.status, [...LIVE])))
        .get();
      return row?.n ?? 0;
    },

    /**
     * Cost of calls since then in micro-euro, for the daily limit: whole hours from their sums, the
     * first part exactly.
     */
    async spentSince(tenantId: number, sinceMs: number): Promise<number> {
      const firstHour = Math.floor(sinceMs / HOUR_MS);
      const exactly = await queries
        .select({ total: sql<number>`coalesce(${sum(calls.cost)}, 0)` })
        .from(calls)
        .where(
          and(
            eq(calls.tenantId, tenantId),
            gte(calls.createdAt, sinceMs),
            lt(calls.createdAt, (firstHour + 1) * HOUR_MS),
          ),
        )
        .get();
      const summed = await queries
        .select({ total: sql<number>`coalesce(${sum(callRollups.cost)}, 0)` })
        .from(callRollups)
        .where(and(eq(callRollups.tenantId, tenantId), gt(callRollups.hour, firstHour)))
        .get();
      return Number(exactly?.total ?? 0) + Number(summed?.total ?? 0);
    },
  };
}
