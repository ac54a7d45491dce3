/**
 * Recovers calls whose process died (appliance.md 5). They become `failed`/`interrupted` and are billed until
 * their last heartbeat at most. Their events are sent, and their recordings repaired and mailed. The CRM,
 * callback memory and campaigns get the result too.
 *
 * At the start, before new calls are accepted, this handles the calls of this node's previous run. Later,
 * `watchLeftCalls` handles calls without a heartbeat: calls of dead nodes on the same store, and our calls
 * whose end could not be stored. It also retries recordings after storage errors.
 */

import type { Timer } from "../../core/clock.ts";
import type { Queries } from "../../core/database.ts";
import { describeError } from "../../core/errors.ts";
import { microToEur } from "../../core/money.ts";
import { type Billing, chargeKey } from "../../features/billing/billing.ts";
import type { Callers } from "../../features/contact/caller-identification.ts";
import { LOST_AFTER_MS } from "../../features/mail/mail-queue.ts";
import { callFailed, transcriptCompleted } from "../../features/webhook/catalogue.ts";
import { remoteNumber } from "../call-identity.ts";
import { NO_TOTALS } from "../call-totals.ts";
import { processRecording, queueMail, type RecordingPorts } from "../ended/after-call.ts";
import {
  discardRecording,
  dropHalfFiles,
  NO_RECORDING,
  type OrphanedRecording,
  orphanedRecording,
} from "../ended/orphaned-recording.ts";
import { transcriptOf } from "../ended/transcript-text.ts";
import { endingByUs } from "../ending.ts";
import type { CallRegistry } from "../live/registry.ts";
import type { StoredCall } from "../stores.ts";

export interface RecoveryPorts extends RecordingPorts {
  readonly node: string;
  readonly billing: Pick<Billing, "heldSeconds" | "settle">;
  readonly registry: Pick<CallRegistry, "find" | "all">;
  readonly callers: Pick<Callers, "ended" | "wake">;
}

const LOOK_EVERY_MS = 10_000;
const LOST_AT_ONCE_MAX = 100;
/** Twelve heartbeats. */
const SILENT_MS = 60_000;
/** A call without the ACK of our 2xx ends after 64·T1 (RFC 3261 13.3.1.4), plus a second to end. */
const UNCONFIRMED_MS_MAX = 33_000;
/** Maximum gap between two successful reads. After a longer gap, heartbeats within it are unknown. */
const GAP_MS_MAX = 3 * LOOK_EVERY_MS;

/**
 * Guaranteed talk time: from the answer to the last heartbeat.
 * Both are wall-clock times, and that clock may have been set in between. The hold grew with the monotonic
 * clock, so the call lasted no longer than its hold pays for.
 */
async function answeredMsOf(
  context: Pick<RecoveryPorts, "billing">,
  queries: Queries,
  call: StoredCall,
): Promise<number> {
  if (call.answeredAt === null) return 0;
  const { tenantId, callUuid } = call;
  const held = await context.billing.heldSeconds(queries, tenantId, callUuid);
  const heldMs = held === null ? Number.POSITIVE_INFINITY : held * 1000;
  const beatMs = (call.heartbeatAt ?? call.answeredAt) - call.answeredAt;
  return Math.max(1, Math.min(beatMs, heldMs));
}

const isHere = (context: Pick<RecoveryPorts, "node">, call: StoredCall) =>
  call.node === null || call.node === context.node;

const isLong = ({ ms = 0 }: { readonly ms?: number }) => ms > UNCONFIRMED_MS_MAX;

/** Decides about the recording. A recording on another node's disk waits for that node. */
async function recordingOf(context: RecoveryPorts, call: StoredCall): Promise<OrphanedRecording> {
  const { callUuid, answeredAt } = call;
  if (isHere(context, call)) {
    const left = await orphanedRecording(context, callUuid);
    // The answer is stored with its ACK. Without one nobody talked, unless the store failed.
    const isTalk = answeredAt !== null || (left.status === "processing" && isLong(left));
    return isTalk ? left : await discardRecording(context, callUuid);
  }
  return answeredAt === null ? NO_RECORDING : { status: "processing", file: `${callUuid}.wav` };
}

async function interrupt(context: RecoveryPorts, call: StoredCall): Promise<void> {
  const { tenantId, callUuid } = call;
  const ending = endingByUs("failed", "interrupted");
  const recording = await recordingOf(context, call);
  await context.database.tx(async (queries) => {
    const calls = context.stores.calls(queries);
    const asked = { uuid: callUuid, chargeKey: chargeKey(callUuid) };
    const open = await calls.findEnding(tenantId, asked);
    if (!open || open.call.heartbeatAt !== call.heartbeatAt) return;
    const answeredMs = await answeredMsOf(context, queries, call);
    const { billableSeconds, includedSeconds, overageSeconds, cost } = await context.billing.settle(
      queries,
      tenantId,
      callUuid,
      answeredMs,
      call.overageRate,
    );
    const charged = { billableSeconds, includedSeconds, overageSeconds, cost };
    const figures = { ...NO_TOTALS, ...charged };
    const endedAt =
      call.answeredAt === null
        ? (call.heartbeatAt ?? call.createdAt)
        : call.answeredAt + answeredMs;
    await calls.finish(tenantId, callUuid, { ending, endedAt, figures, recording });
    if (call.answeredAt !== null && recording.status !== "processing")
      await queueMail(context, queries, call, null);
    const transcript = transcriptOf(await calls.turns(call.id));
    const told = call.answeredAt === null ? [] : [transcriptCompleted(call, transcript, "")];
    await context.events.emit(queries, tenantId, callFailed(call, ending), ...told);
    await context.callers.ended(queries, {
      tenantId,
      callUuid,
      direction: call.direction,
      number: remoteNumber(call),
      agentId: call.agentId,
      status: ending.status,
      endedReason: ending.reason,
      startedAt: call.answeredAt ?? call.createdAt,
      answeredMs,
      summary: "",
      line: "",
      transcript,
      costEur: microToEur(cost),
      tenant: open.tenant,
    });
  });
  context.events.wake();
  context.mails.wake();
  context.callers.wake();
}

/** Processes our recording of a call that another node ended, if it was not repaired yet. */
async function takeUpRecording(context: RecoveryPorts, call: StoredCall): Promise<void> {
  if (call.recordingMs === null && call.recordingFile?.endsWith(".wav")) {
    const recording = await recordingOf(context, call);
    await context.database.tx((queries) =>
      context.stores.calls(queries).setRecording(call.tenantId, call.callUuid, recording),
    );
  }
  await processRecording(context, call.tenantId, call.callUuid);
}

/** Returns the number of interrupted calls. Recordings are processed in the background. */
export async function recoverCalls(context: RecoveryPorts): Promise<number> {
  const { database, node, log } = context;
  await dropHalfFiles(context);
  const left = (await context.stores.calls(database.read).leftLive()).filter((call) =>
    isHere(context, call),
  );
  for (const call of left) await interrupt(context, call);
  for (const call of await context.stores.calls(database.read).leftUnprocessed(node))
    takeUpRecording(context, call).catch((error) =>
      log.error("recording.recovery_failed", {
        call_id: call.callUuid,
        error: describeError(error),
      }),
    );
  if (left.length > 0) log.warn("call.recovered", { count: left.length });
  return left.length;
}

/**
 * If a node has not processed a recording for a day (our monotonic time), it is considered lost, and the mail
 * goes without the recording. If the node returns, the retention job deletes the files.
 *
 * `since`: when each recording was first seen.
 */
async function giveUpLost(context: RecoveryPorts, since: Map<string, number>): Promise<void> {
  const { database, node, clock, log } = context;
  const left = await context.stores
    .recordings(database.read)
    .leftByOtherNodes(node, LOST_AT_ONCE_MAX);
  const present = new Set(left.map((call) => call.callUuid));
  for (const uuid of since.keys()) if (!present.has(uuid)) since.delete(uuid);
  for (const call of left) {
    const { tenantId, callUuid } = call;
    const firstMs = since.get(callUuid) ?? clock.monotonic();
    since.set(callUuid, firstMs);
    if (clock.monotonic() - firstMs < LOST_AFTER_MS) continue;
    await database.tx(async (queries) => {
      const calls = context.stores.calls(queries);
      if ((await calls.find(tenantId, callUuid))?.recordingStatus !== "processing") return;
      await calls.setRecording(tenantId, callUuid, { status: "failed" });
      await queueMail(context, queries, call, null);
    });
    log.warn("recording.node_lost", { call_id: callUuid, node: call.node });
    context.mails.wake();
  }
}

/**
 * Ends calls whose heartbeat did not change for a minute of our monotonic time. Clock
 * changes and differences between nodes therefore end nothing.
 *
 * Time in which this node could not read the store does not count: the call's node could not write to it
 * either. Cancel the timer after the last call.
 */
export function watchLeftCalls(context: RecoveryPorts): Timer {
  const { database, clock, registry, log } = context;
  /** First time that each recording of another node was seen, by call. */
  const unprocessedSince = new Map<string, number>();
  const seen = new Map<string, { readonly heartbeatAt: number | null; readonly since: number }>();

  let lookedAt = clock.monotonic();

  async function look(): Promise<void> {
    const askedAt = clock.monotonic();
    const own = registry.all.map((call) => call.identity.callUuid);
    const live = await context.stores.calls(database.read).leftLive(own);
    if (clock.monotonic() - lookedAt > GAP_MS_MAX) seen.clear();
    lookedAt = askedAt;
    // One of our calls may have started meanwhile.
    const remoteCalls = live.filter((call) => !registry.find(call.tenantId, call.callUuid));
    const present = new Set(remoteCalls.map((call) => call.callUuid));
    for (const uuid of seen.keys()) if (!present.has(uuid)) seen.delete(uuid);
    for (const call of await context.stores.calls(database.read).leftUnprocessed(context.node))
      void processRecording(context, call.tenantId, call.callUuid);
    await giveUpLost(context, unprocessedSince);
    for (const call of remoteCalls) {
      const known = seen.get(call.callUuid);
      if (known === undefined || known.heartbeatAt !== call.heartbeatAt) {
        seen.set(call.callUuid, { heartbeatAt: call.heartbeatAt, since: clock.monotonic() });
        continue;
      }
      if (clock.monotonic() - known.since < SILENT_MS) continue;
      log.warn("call.orphaned", { call_id: call.callUuid });
      await interrupt(context, call);
      if (isHere(context, call) && call.answeredAt !== null)
        void processRecording(context, call.tenantId, call.callUuid);
    }
  }

  let looking = false;
  return clock.every(LOOK_EVERY_MS, () => {
    if (looking) return;
    looking = true;
    look()
      .catch((error) => log.error("call.watch_failed", { error: describeError(error) }))
      .finally(() => {
        looking = false;
      });
  });
}
