/**
 * After a crash (appliance.md 5): calls that were live become `failed`/`interrupted`, are billed to
 * their last heartbeat at most, their events are sent, their recordings repaired and mailed. Runs
 * at start, before anything new is taken.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { repairWav } from "../media/recording/wav.ts";
import { type CallRow, callStore, NO_FIGURES } from "../store/call-store.ts";
import { callFailed } from "../webhook/catalogue.ts";
import { processRecording } from "./after-call.ts";
import type { CallContext } from "./context.ts";
import { endingByUs } from "./ending.ts";

/** Talk time that is certain: answer to the last heartbeat. */
function talkMsOf(call: CallRow): number {
  if (call.answeredAt === null) return 0;
  return Math.max(1, (call.heartbeatAt ?? call.answeredAt) - call.answeredAt);
}

async function repairedRecording(context: CallContext, call: CallRow) {
  const file = `${call.callUuid}.wav`;
  const path = join(context.settings.recordingsDir, file);
  if (call.answeredAt === null || !existsSync(path)) return null;
  const { durationMs } = await repairWav(path);
  return { file, durationMs };
}

async function interrupt(context: CallContext, call: CallRow): Promise<void> {
  const ending = endingByUs("failed", "interrupted");
  const talkMs = talkMsOf(call);
  const recording = await repairedRecording(context, call);
  await context.database.tx(async (queries) => {
    const charge = await context.billing.settle(
      queries,
      call.tenantId,
      call.callUuid,
      talkMs,
      call.overageRate,
    );
    const calls = callStore(queries);
    await calls.finish(
      call.tenantId,
      call.callUuid,
      ending,
      call.heartbeatAt ?? call.createdAt,
      null,
      {
        ...NO_FIGURES,
        billableSeconds: charge.billableSeconds,
        includedSeconds: charge.includedSeconds,
        overageSeconds: charge.overageSeconds,
        cost: charge.cost,
      },
    );
    await calls.setRecording(
      call.tenantId,
      call.callUuid,
      recording
        ? { status: "processing", file: recording.file, ms: recording.durationMs }
        : { status: "none" },
    );
    await context.events.emit(queries, call.tenantId, callFailed(call, ending));
  });
}

/** Answers how many calls were interrupted. Recordings go on in the background. */
export async function recoverCalls(context: CallContext): Promise<number> {
  const left = await callStore(context.database.read).leftLive();
  for (const call of left) await interrupt(context, call);
  const unprocessed = await callStore(context.database.read).leftUnprocessed();
  for (const call of unprocessed) void processRecording(context, call.tenantId, call.callUuid);
  if (left.length > 0) context.log.warn("call.recovered", { count: left.length });
  return left.length;
}
