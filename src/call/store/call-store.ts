/**
 * Writes calls, turns and tool calls, one function per step of a call's life. Lists and analytics have
 * separate stores.
 */

import {
  and,
  count,
  eq,
  gt,
  gte,
  inArray,
  isNull,
  lt,
  ne,
  notInArray,
  or,
  sql,
  sum,
} from "drizzle-orm";
import type { CallReport, TurnRecord } from "../../conversation/call-report.ts";
import type { Queries } from "../../core/database.ts";
import { LIVE_STATUSES, OPEN_STATUSES } from "../../core/ended-reason.ts";
import {
  accountStatusArguments,
  accountStatusColumns,
} from "../../features/billing/billing-stores.ts";
import { diagnosticsStore } from "../../features/call-log/diagnostics-store.ts";
import { arg, rowStatement, statement } from "../../store/query/prepared.ts";
import {
  agents,
  callRollups,
  calls,
  holds,
  tenants,
  toolCalls,
  turns,
} from "../../store/schema/index.ts";
import { NO_TOTALS } from "../call-totals.ts";
import type { RecordingPeaks } from "../media-port.ts";
import type { CallRecords, FinishedCall, RecordingChange, StoredToolCall } from "../stores.ts";

export type CallRow = typeof calls.$inferSelect;
type NewCallRow = Omit<typeof calls.$inferInsert, "tenantId" | "id">;

/** The final code of an answered call's INVITE, whatever happened later. */
const SIP_OK = 200;

const HOUR_MS = 3_600_000;

/** Must match the text of the partial index `calls_recording_in_work`. */
export const IS_IN_WORK = sql`recording_status IN ('processing', 'recording')`;

/** Condition for a call of a tenant, for prepared statements. */
const OWN = and(eq(calls.callUuid, arg("callUuid")), eq(calls.tenantId, arg("tenantId")));

type CallChanges = Partial<Omit<NewCallRow, "callUuid">>;

const addCall = rowStatement((queries, row: typeof calls.$inferInsert) =>
  queries.insert(calls).values(row).prepare(),
);

const insertCall = rowStatement((queries, row: typeof calls.$inferInsert) =>
  queries.insert(calls).values(row).returning({ id: calls.id }).prepare(),
);

const updateCall = rowStatement((queries, changes: CallChanges) =>
  queries.update(calls).set(changes).where(OWN).prepare(),
);

const updateOpenCall = rowStatement((queries, changes: CallChanges) =>
  queries
    .update(calls)
    .set(changes)
    .where(and(OWN, inArray(calls.status, OPEN_STATUSES)))
    .prepare(),
);

/** After this much waiting, a scheduled call's start is the time of dialling instead of the request. */
const WAITED_MS = 60_000;

const startDialing = statement((queries) =>
  queries
    .update(calls)
    .set({
      status: "dialing",
      heartbeatAt: sql`${arg("nowMs")}`,
      node: sql`${arg("node")}`,
      fromNumber: sql`${arg("fromNumber")}`,
      agentVersion: sql`nullif(${arg("agentVersion")}, 0)`,
      createdAt: sql`iif(${calls.scheduleId} IS NOT NULL AND ${arg("nowMs")} - ${calls.createdAt} > ${WAITED_MS}, ${arg("nowMs")}, ${calls.createdAt})`,
    })
    .where(OWN)
    .prepare(),
);

const recordingColumns = ({ status, file, ms }: RecordingChange) => ({
  recordingStatus: status,
  ...(file === undefined ? {} : { recordingFile: file }),
  ...(ms === undefined ? {} : { recordingMs: ms }),
});

async function changeCall(
  queries: Queries,
  tenantId: number,
  callUuid: string,
  changes: CallChanges,
): Promise<void> {
  await updateCall(queries, changes).run({ ...changes, tenantId, callUuid });
}

const putTurn = rowStatement((queries, { callId, turnIndex, ...rest }: typeof turns.$inferInsert) =>
  queries
    .insert(turns)
    .values({ callId, turnIndex, ...rest })
    .onConflictDoUpdate({ target: [turns.callId, turns.turnIndex], set: rest })
    .prepare(),
);

/** Current values for checking a tenant's limits, as columns of any row. */
export function loadColumns(queries: Queries) {
  const live = queries
    .select({ n: count() })
    .from(calls)
    .where(and(eq(calls.tenantId, arg("tenantId")), inArray(calls.status, LIVE_STATUSES)));
  const exactly = queries
    .select({ cost: sum(calls.cost) })
    .from(calls)
    .where(
      and(
        eq(calls.tenantId, arg("tenantId")),
        gte(calls.createdAt, arg("sinceMs")),
        lt(calls.createdAt, arg("untilMs")),
      ),
    );
  const inHours = queries
    .select({ cost: sum(callRollups.cost) })
    .from(callRollups)
    .where(and(eq(callRollups.tenantId, arg("tenantId")), gt(callRollups.hour, arg("firstHour"))));
  const held = queries
    .select({ amount: sum(holds.amount) })
    .from(holds)
    .where(eq(holds.tenantId, arg("tenantId")));
  return {
    live: sql<number>`${live}`,
    spent: sql<number>`coalesce(${exactly}, 0) + coalesce(${inHours}, 0) + coalesce(${held}, 0)`,
  };
}

/** Arguments of `loadColumns`: whole hours from their sums, the first part exactly. */
export function loadArguments(tenantId: number, sinceMs: number) {
  const firstHour = Math.floor(sinceMs / HOUR_MS);
  return { tenantId, sinceMs, firstHour, untilMs: (firstHour + 1) * HOUR_MS };
}

const callLoad = statement((queries) =>
  queries.select(loadColumns(queries)).from(sql`(SELECT 1)`).prepare(),
);

const findCall = statement((queries) => queries.select().from(calls).where(OWN).prepare());

const findEndingCall = statement((queries) =>
  queries
    .select({
      call: calls,
      accountStatus: accountStatusColumns(),
      tenant: { callbackMemory: tenants.callbackMemory, crmBridge: tenants.crmBridge },
      hasAgentsOwnEndpoint: sql`coalesce(${agents.webhookUrl}, '') <> ''`.mapWith(Boolean),
    })
    .from(calls)
    .innerJoin(tenants, eq(tenants.id, calls.tenantId))
    .leftJoin(agents, and(eq(agents.id, calls.agentId), eq(agents.tenantId, calls.tenantId)))
    .where(and(OWN, inArray(calls.status, OPEN_STATUSES)))
    .prepare(),
);

const leaveProcessing = rowStatement((queries, changes: Partial<typeof calls.$inferInsert>) =>
  queries
    .update(calls)
    .set(changes)
    .where(and(OWN, eq(calls.recordingStatus, "processing")))
    .returning({
      id: calls.id,
      isMailed: sql`coalesce((SELECT transcript_email_enabled AND transcript_email <> ''
        FROM agents WHERE agents.id = calls.agent_id), 0)`.mapWith(Boolean),
    })
    .prepare(),
);

const GIVEN = sql`(SELECT value FROM json_each(${arg("callUuids")}))`;

const beat = statement((queries) =>
  queries
    .update(calls)
    .set({ heartbeatAt: sql`${arg("nowMs")}` })
    .where(and(inArray(calls.callUuid, GIVEN), inArray(calls.status, LIVE_STATUSES)))
    .returning({ callUuid: calls.callUuid })
    .prepare(),
);

const liveExcept = statement((queries) =>
  queries
    .select()
    .from(calls)
    .where(and(inArray(calls.status, LIVE_STATUSES), notInArray(calls.callUuid, GIVEN)))
    .prepare(),
);

export function callStore(queries: Queries) {
  return {
    ...callProgress(queries),
    ...callConversation(queries),
    ...callEnd(queries),
    ...callsOfNodes(queries),
    ...callLimits(queries),

    async add(tenantId: number, call: NewCallRow): Promise<void> {
      const values = { ...call, tenantId };
      await addCall(queries, values).run(values);
    },

    async insert(tenantId: number, call: NewCallRow): Promise<number> {
      const values = { ...call, tenantId };
      const [row] = await insertCall(queries, values).all(values);
      if (!row) throw new Error("the inserted call is not there");
      return row.id;
    },

    find(tenantId: number, callUuid: string): Promise<CallRow | undefined> {
      return findCall(queries).get({ tenantId, callUuid });
    },
  };
}

/** A call from dialling to the answer. */
function callProgress(queries: Queries) {
  const change = (tenantId: number, callUuid: string, changes: CallChanges) =>
    changeCall(queries, tenantId, callUuid, changes);
  const changeOpen = async (tenantId: number, callUuid: string, changes: CallChanges) => {
    await updateOpenCall(queries, changes).run({ ...changes, tenantId, callUuid });
  };

  return {
    /**
     * Written before the INVITE is sent. From here on the call is never dialled again. A scheduled call
     * counts from now on in lists, sums and limits, in the hour of dialling.
     */
    async markDialing(
      tenantId: number,
      callUuid: string,
      from: Parameters<CallRecords["markDialing"]>[2],
    ): Promise<void> {
      await startDialing(queries).run({ tenantId, callUuid, ...from });
    },

    async markRinging(tenantId: number, callUuid: string, nowMs: number): Promise<void> {
      const times = { ringingAt: nowMs, heartbeatAt: nowMs };
      await changeOpen(tenantId, callUuid, { status: "ringing", ...times });
    },

    async markAnswered(
      tenantId: number,
      callUuid: string,
      nowMs: number,
      isRecorded: boolean,
    ): Promise<void> {
      const times = { answeredAt: nowMs, heartbeatAt: nowMs };
      const recording = isRecorded ? ({ recordingStatus: "recording" } as const) : {};
      await changeOpen(tenantId, callUuid, { status: "in_progress", ...times, ...recording });
    },

    async setAnsweredBy(
      tenantId: number,
      callUuid: string,
      answeredBy: CallReport["answeredBy"],
    ): Promise<void> {
      await change(tenantId, callUuid, { answeredBy });
    },

    async setSip(tenantId: number, callUuid: string, sipCallId: string): Promise<void> {
      await change(tenantId, callUuid, { sipCallId });
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
      await changeCall(queries, tenantId, callUuid, recordingColumns(recording));
    },

    async leaveProcessing(
      tenantId: number,
      callUuid: string,
      { status, file }: Pick<RecordingChange, "status" | "file">,
      encoded: { readonly peaks: RecordingPeaks; readonly atMs: number } | null,
    ) {
      const changes = {
        recordingStatus: status,
        ...(file === undefined ? {} : { recordingFile: file }),
      };
      const [left] = await leaveProcessing(queries, changes).all({
        ...changes,
        tenantId,
        callUuid,
      });
      if (!left) return null;
      if (encoded)
        await diagnosticsStore(queries).putPeaks(tenantId, left.id, encoded.peaks, encoded.atMs);
      return { isMailed: left.isMailed };
    },

    async putTurn(callId: number, turn: TurnRecord): Promise<void> {
      const { index, ...rest } = turn;
      const values = { callId, turnIndex: index, ...rest };
      await putTurn(queries, values).run(values);
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
    /** Undefined if its end is already written. Must be the first read of the transaction that ends a call. */
    async findEnding(
      tenantId: number,
      call: { readonly uuid: string; readonly chargeKey: string },
    ) {
      return await findEndingCall(queries).get(accountStatusArguments(tenantId, call));
    },

    /** Writes the end of a call, once. Returns the changed fields. */
    async finish(tenantId: number, callUuid: string, finished: FinishedCall) {
      const { ending, endedAt, report, figures = NO_TOTALS, recording } = finished;
      const changes = {
        status: ending.status,
        endedReason: ending.reason,
        endedExplanation: ending.explanation,
        fault: ending.fault,
        sipFinalCode: ending.sipCode ?? (ending.status === "completed" ? SIP_OK : null),
        endedAt,
        ...figures,
        ...(recording ? recordingColumns(recording) : {}),
        ...report?.usage,
        ...(report && ending.status === "completed"
          ? {
              answeredBy: report.answeredBy,
              summary: report.summary || null,
              codec: report.media.codec,
              packetsLost: report.media.packetsLost,
              jitterMs: report.media.jitterMs,
              mos: report.media.mos,
              sentPacketsLost: report.media.reported?.packetsLost ?? null,
              sentJitterMs: report.media.reported?.jitterMs ?? null,
              roundTripMs: report.media.roundTripMs ?? null,
              srtp: report.media.srtp ?? "none",
            }
          : {}),
      };
      await changeCall(queries, tenantId, callUuid, changes);
      return changes;
    },
  };
}

/** Calls of a node, and calls left by a dead node. */
function callsOfNodes(queries: Queries) {
  return {
    /** Updates the heartbeat of this process's calls in one statement. Returns the open ones. */
    async heartbeat(callUuids: readonly string[], nowMs: number): Promise<Set<string>> {
      if (callUuids.length === 0) return new Set();
      const open = await beat(queries).all({ nowMs, callUuids: JSON.stringify(callUuids) });
      return new Set(open.map(({ callUuid }) => callUuid));
    },

    /** Open calls of all tenants except these. */
    async leftLive(except: readonly string[] = []): Promise<CallRow[]> {
      return await liveExcept(queries).all({ callUuids: JSON.stringify(except) });
    },

    /** Assigns open calls and unprocessed recordings to this node. */
    async adoptOrphaned(node: string): Promise<void> {
      const isLeft = or(inArray(calls.status, LIVE_STATUSES), IS_IN_WORK);
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

/** Current values for checking limits. */
function callLimits(queries: Queries) {
  return {
    /** `spent` counts the calls since then, for the daily limit. */
    async load(tenantId: number, sinceMs: number) {
      const row = await callLoad(queries).get(loadArguments(tenantId, sinceMs));
      return row ?? { live: 0, spent: 0 };
    },
  };
}
