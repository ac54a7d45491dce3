/**
 * Writes the end of a call once: transcript, final state, charge and events in one transaction. Then it
 * processes the recording.
 *
 * It retries while the store fails. If the process dies first, recovery.ts does the rest.
 */

import { basename } from "node:path";
import { isDeepStrictEqual } from "node:util";
import {
  type CallReport,
  type DiscardedWork,
  NOTHING_DISCARDED,
  type TurnRecord,
} from "../../conversation/call-report.ts";
import { sleep, within } from "../../core/clock.ts";
import type { Queries } from "../../core/database.ts";
import { describeError } from "../../core/errors.ts";
import { microEur, microToEur } from "../../core/money.ts";
import { checkAnsweredTime, isTooFarOff } from "../../features/billing/answered-time-check.ts";
import { type Billing, chargeKey } from "../../features/billing/billing.ts";
import { costOfGoods, type GoodsPrices } from "../../features/billing/cost-of-goods.ts";
import type { Charge } from "../../features/billing/ports.ts";
import type { Callers } from "../../features/contact/caller-identification.ts";
import type { KnowledgeIndex, KnowledgeScope } from "../../features/knowledge/knowledge-index.ts";
import { knowledgeOfTurns } from "../../features/knowledge/turn-knowledge.ts";
import { callEnded, callFailed, transcriptCompleted } from "../../features/webhook/catalogue.ts";
import { type CallIdentity, remoteNumber } from "../call-identity.ts";
import type { CallSettings } from "../call-settings.ts";
import type { CallTotals } from "../call-totals.ts";
import type { CallChannel } from "../media-port.ts";
import type { CallState } from "../state.ts";
import type { EndingCall, StoredCall } from "../stores.ts";
import { processRecording, queueMail, type RecordingPorts } from "./after-call.ts";
import { latenciesOf } from "./latencies.ts";
import {
  discardRecording,
  NO_RECORDING,
  type OrphanedRecording,
  orphanedRecording,
} from "./orphaned-recording.ts";
import { transcriptOf } from "./transcript-text.ts";

export interface FinishPorts extends RecordingPorts {
  readonly settings: Pick<CallSettings, "recordingsDir" | "prices">;
  readonly billing: Pick<Billing, "settle">;
  /** Default: no caller is known. */
  readonly callers: Pick<Callers, "ended" | "wake">;
  /** Missing: no sources are looked up. */
  readonly knowledgeIndex?: KnowledgeIndex;
}

const ATTEMPTS_MAX = 5;
const RETRY_MS = 500;
/** Maximum time that a call's end waits for the sources of its answers. */
const SOURCES_MS_MAX = 3_000;

/** Stored turns by index. */
type StoredTurns = ReadonlyMap<number, TurnRecord>;

type EndedState = Pick<
  Extract<CallState, { name: "ended" }>,
  "ending" | "answeredMs" | "sinceAnswerMs"
>;

/** Stored with the call. A difference above the tolerance is logged for the operator. */
function answeredTimeFigures(
  context: Pick<FinishPorts, "log">,
  call: CallIdentity,
  answeredMs: number,
  report: CallReport | null,
) {
  const check = checkAnsweredTime({
    answeredClockMs: answeredMs,
    answeredRtpMs: report?.answeredRtpMs ?? null,
    // The recogniser got discarded early audio twice, but the caller spoke it once.
    answeredEngineMs: report
      ? (report.usage.sttSeconds - report.usage.discarded.sttSeconds) * 1000
      : null,
  });
  if (isTooFarOff(check))
    context.log.warn("call.answered_time_differs", {
      call_id: call.callUuid,
      clock_ms: check.answeredClockMs,
      rtp_ms: check.answeredRtpMs,
      engine_ms: check.answeredEngineMs,
    });
  return check;
}

/**
 * Returns the answer time. If it was not stored (store down, no ACK), calculates it from the talk time and
 * stores it.
 */
async function makeUpForAnswer(
  context: Pick<FinishPorts, "stores" | "clock">,
  queries: Queries,
  { tenantId, callUuid, answeredAt }: StoredCall,
  { sinceAnswerMs }: EndedState,
): Promise<number | null> {
  if (sinceAnswerMs <= 0 || answeredAt !== null) return answeredAt;
  const atMs = Math.round(context.clock.now() - sinceAnswerMs);
  await context.stores.calls(queries).markAnswered(tenantId, callUuid, atMs, false);
  return atMs;
}

/** From the worker's report, or from the file on disk if the worker sent none. */
async function recordingOf(
  context: FinishPorts,
  call: CallIdentity,
  answeredMs: number,
  report: CallReport | null,
): Promise<OrphanedRecording> {
  if (answeredMs === 0)
    return report?.recording ? await discardRecording(context, call.callUuid) : NO_RECORDING;
  if (!report?.recording) return await orphanedRecording(context, call.callUuid);
  const { path, durationMs } = report.recording;
  return { status: "processing", file: basename(path), ms: durationMs };
}

/** Discarded speculative work. */
function discardedFigures(discarded: DiscardedWork, prices: GoodsPrices) {
  const { stt, llm, tts } = costOfGoods(discarded, 0, prices);
  return {
    costDiscarded: microEur(stt + llm + tts),
    discardedTokens: discarded.llmInputTokens + discarded.llmOutputTokens,
    discardedCharacters: discarded.ttsCharacters,
    discardedSttSeconds: discarded.sttSeconds,
  };
}

function figuresOf(
  context: FinishPorts,
  call: CallIdentity,
  answeredMs: number,
  report: CallReport | null,
  charge: Charge,
): CallTotals {
  const goods = report
    ? costOfGoods(report.usage, answeredMs, context.settings.prices)
    : { stt: microEur(0), llm: microEur(0), tts: microEur(0), trunk: microEur(0) };
  return {
    billableSeconds: charge.billableSeconds,
    includedSeconds: charge.includedSeconds,
    overageSeconds: charge.overageSeconds,
    cost: charge.cost,
    costStt: goods.stt,
    costLlm: goods.llm,
    costTts: goods.tts,
    costTrunk: goods.trunk,
    ...discardedFigures(report?.usage.discarded ?? NOTHING_DISCARDED, context.settings.prices),
    ...answeredTimeFigures(context, call, answeredMs, report),
    ...latenciesOf(report?.turns ?? []),
  };
}

/** Emits the webhook events, and stores the data to remember about the other party. */
async function reportEnd(
  context: FinishPorts,
  queries: Queries,
  call: CallIdentity,
  { ending, answeredMs }: EndedState,
  report: CallReport | null,
  charge: Charge,
  open: Pick<EndingCall, "tenant" | "hasAgentsOwnEndpoint"> & { readonly startedAt: number },
): Promise<void> {
  const { events, callers } = context;
  const { tenantId } = call;
  const transcript = transcriptOf(report?.turns ?? []);
  const summary = report?.summary ?? "";
  const ended = callEnded(call, ending, charge, answeredMs);
  const reported =
    ending.status === "completed"
      ? [
          open.hasAgentsOwnEndpoint ? ended : { ...ended, agentId: null },
          transcriptCompleted(call, transcript, summary),
        ]
      : [callFailed(call, ending)];
  const remembered = callers.ended(queries, {
    tenantId,
    callUuid: call.callUuid,
    direction: call.direction,
    agentId: call.agentId,
    status: ending.status,
    endedReason: ending.reason,
    startedAt: open.startedAt,
    answeredMs,
    number: remoteNumber(call),
    summary,
    line: report?.line ?? "",
    transcript,
    costEur: microToEur(charge.cost),
    tenant: open.tenant,
  });
  await Promise.all([events.emit(queries, tenantId, ...reported), remembered]);
}

interface StoredEnd {
  /** The call as stored now. Undefined if its end was written before. */
  readonly call?: StoredCall;
  /** True if a mail is queued. */
  readonly isMailed: boolean;
}

async function store(
  context: FinishPorts,
  call: CallIdentity,
  state: EndedState,
  report: CallReport | null,
  recording: OrphanedRecording,
  storedTurns: StoredTurns,
): Promise<StoredEnd> {
  const { ending, answeredMs, sinceAnswerMs } = state;
  const nowMs = context.clock.now();
  return await context.database.tx(async (queries) => {
    const calls = context.stores.calls(queries);
    const asked = { uuid: call.callUuid, chargeKey: chargeKey(call.callUuid) };
    const open = await calls.findEnding(call.tenantId, asked);
    if (!open) return { isMailed: false };
    for (const turn of report?.turns ?? [])
      if (!isDeepStrictEqual(turn, storedTurns.get(turn.index)))
        await calls.putTurn(call.rowId, turn);
    const answeredAt = await makeUpForAnswer(context, queries, open.call, state);
    // The wall clock may have been set in between, so the duration comes from the monotonic clock.
    const endedAt = answeredAt === null ? nowMs : answeredAt + Math.round(sinceAnswerMs);
    const charge = await context.billing.settle(
      queries,
      call.tenantId,
      call.callUuid,
      answeredMs,
      call.overageRate,
      open.accountStatus,
    );
    const figures = figuresOf(context, call, answeredMs, report, charge);
    const finished = { ending, endedAt, report, figures, recording };
    const changes = await calls.finish(call.tenantId, call.callUuid, finished);
    const startedAt = answeredAt ?? open.call.createdAt;
    await reportEnd(context, queries, call, state, report, charge, { ...open, startedAt });
    const ended = { ...open.call, answeredAt, ...changes };
    const isMailedLater = answeredMs === 0 || recording.status === "processing";
    return {
      call: ended,
      isMailed: !isMailedLater && (await queueMail(context, queries, ended, null)),
    };
  }, "background");
}

/** Adds the sources of answers, and the questions without an answer. */
async function withKnowledge(
  { knowledgeIndex, clock }: FinishPorts,
  report: CallReport,
  scope: KnowledgeScope | null,
): Promise<CallReport> {
  const looked = knowledgeOfTurns(report.turns, scope, knowledgeIndex ?? null);
  const found = (await within(clock, SOURCES_MS_MAX, looked)) ?? [];
  return { ...report, turns: report.turns.map((turn, at) => ({ ...turn, ...found[at] })) };
}

/** Closes the media, stores the end and starts the follow-up work. Returns the media report. */
export async function finishCall(
  context: FinishPorts,
  call: CallIdentity,
  state: EndedState,
  channel: CallChannel | null,
  storedTurns: StoredTurns = new Map(),
): Promise<CallReport | null> {
  const closed = channel ? await channel.close(state.ending.reason) : null;
  const report = closed && (await withKnowledge(context, closed, channel?.knowledgeScope ?? null));
  const recording = await recordingOf(context, call, state.answeredMs, report);
  let stored: StoredEnd;
  for (let attempt = 1; ; attempt++) {
    try {
      stored = await store(context, call, state, report, recording, storedTurns);
      break;
    } catch (error) {
      context.log.error("call.finish_failed", {
        call_id: call.callUuid,
        attempt,
        error: describeError(error),
      });
      if (attempt === ATTEMPTS_MAX) throw error;
      await sleep(context.clock, RETRY_MS * 2 ** attempt);
    }
  }
  context.events.wake();
  context.callers.wake();
  if (stored.isMailed) context.mails.wake();
  if (state.answeredMs > 0)
    void processRecording(context, call.tenantId, call.callUuid, stored.call);
  return report;
}
