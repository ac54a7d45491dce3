/** Everything that is known about a call, put together from its rows. */
import type { z } from "zod";
import { isoUtc } from "../../../../core/clock.ts";
import { wireOf } from "../../../../core/wire-names.ts";
import { stagesOf, timelineOf } from "../../../../domain/call/timeline.ts";
import type {
  CallDiagnosis,
  CallRecords,
  CallRow,
  CallTurn,
} from "../../../../operations/admin/call-records.ts";
import { route } from "../../contract.ts";
import { eurOrNull } from "../../routes/present.ts";
import * as contracts from "../contracts/calls.ts";
import { DASHBOARD_MOUNT } from "../document.ts";
import type { ProductContext } from "./context.ts";

type Conversation = Awaited<ReturnType<CallRecords["conversation"]>>;

const Delivery = contracts.CallDetails.shape.deliveries.element;
const Mail = contracts.CallDetails.shape.mails.element;

const presentTurn = (turn: CallTurn) => {
  const stages = stagesOf(turn.measures);
  return {
    index: turn.turnIndex,
    speaker: turn.speaker,
    text: turn.text,
    start_ms: turn.startMs,
    end_ms: turn.endMs,
    interrupted: turn.interrupted,
    latency_ms: turn.latencyMs,
    stages: stages && {
      endpointing_ms: stages.endpointingMs,
      stt_ms: stages.sttMs,
      llm_first_ms: stages.llmFirstMs,
      tts_first_ms: stages.ttsFirstMs,
      playout_ms: stages.playoutMs,
      early: turn.measures?.early ?? false,
    },
  };
};

const presentQuality = (quality: CallDiagnosis["quality"], zeroMs: number) =>
  quality.map((sample) => ({
    at_ms: sample.atMs - zeroMs,
    packets_sent: sample.sent,
    packets_received: sample.received,
    packets_lost: sample.lost,
    packets_late: sample.late,
    jitter_ms: sample.jitterMs,
    mos: sample.mos,
  }));

type CostLine = z.output<typeof contracts.CallDetails>["cost_lines"][number];

/** What the tenant paid, then what it cost the operator: the latter only for operators. */
function costLines(call: CallRow, isOperator: boolean): CostLine[] {
  const tokens = call.llmInputTokens + call.llmOutputTokens;
  const answeredSeconds = Math.round((call.answeredClockMs ?? 0) / 1000);
  const seconds = { side: "paid", unit: "s", cached: null } as const;
  const paid: CostLine[] = [
    { ...seconds, item: "plan_seconds", quantity: call.includedSeconds, amount_eur: 0 },
    {
      ...{ ...seconds, item: "overage", quantity: call.overageSeconds },
      amount_eur: eurOrNull(call.cost),
    },
  ];
  if (!isOperator) return paid;
  const goods = [
    ["stt", call.sttSeconds, "s", call.costStt],
    ["llm", tokens, "tokens", call.costLlm],
    ["tts", call.ttsCharacters, "characters", call.costTts],
    ["trunk", answeredSeconds, "s", call.costTrunk],
  ] as const;
  return [
    ...paid,
    ...goods.map(
      ([item, quantity, unit, amount]): CostLine => ({
        ...{ item, quantity, unit, amount_eur: eurOrNull(amount) },
        cached: item === "llm" ? call.llmCachedInputTokens : null,
        side: "goods",
      }),
    ),
  ];
}

const FAULTS = ["caller", "callee", "carrier", "engine", "us"] as const;

function detailsOf(
  { call, turns, toolCalls, notes }: Conversation,
  diagnosis: CallDiagnosis,
  isOperator: boolean,
) {
  const { callUuid, answeredAt, createdAt, endedAt } = call;
  const { sip, quality, deliveries, mails } = diagnosis;
  const zeroMs = answeredAt ?? createdAt;
  const spans = timelineOf({
    ...{ zeroMs, createdAt, answeredAt, endedAt, turns, toolCalls, sip, notes },
  });
  const hasAudio = call.recordingStatus === "ready" && call.recordingFile !== null;
  const base = `${DASHBOARD_MOUNT}/calls/${callUuid}`;
  return {
    call_uuid: callUuid,
    explanation: call.endedExplanation,
    fault: FAULTS.find((fault) => fault === call.fault) ?? null,
    agent_name: diagnosis.agentName,
    duration_ms: answeredAt === null || endedAt === null ? null : endedAt - answeredAt,
    timeline: spans.map(({ lane, startMs, endMs, label }) => ({
      ...{ lane, label, start_ms: Math.round(startMs), end_ms: Math.round(endMs) },
    })),
    turns: turns.map(presentTurn),
    tool_calls: toolCalls.map((toolCall) => ({
      tool: toolCall.tool,
      ok: toolCall.ok,
      http_status: toolCall.httpStatus,
      start_ms: toolCall.createdAt - toolCall.durationMs - zeroMs,
      duration_ms: toolCall.durationMs,
    })),
    rtp: presentQuality(quality, zeroMs),
    sip: sip.map(({ atMs, direction, line, detail }) => ({
      ...{ at_ms: atMs - zeroMs, direction, line, detail },
    })),
    deliveries: deliveries.map((delivery) =>
      wireOf(Delivery, delivery, { at: isoUtc(delivery.createdAt) }),
    ),
    mails: mails.map((mail) => wireOf(Mail, mail)),
    cost_lines: costLines(call, isOperator),
    answered_time_check: {
      clock_ms: call.answeredClockMs,
      rtp_ms: call.answeredRtpMs,
      engine_ms: call.answeredEngineMs,
      difference_ms: call.answeredDifferenceMs,
    },
    recording: {
      status: call.recordingStatus,
      audio_url: hasAudio ? `${base}/audio` : null,
      peaks_url: hasAudio && diagnosis.hasPeaks ? `${base}/peaks` : null,
    },
  };
}

export const callDetailsRoutes = ({ dependencies: { services } }: ProductContext) => [
  route(contracts.getCallDetails)(async ({ tenantId, params, session }) => {
    const conversation = await services.callRecords.conversation(tenantId, params.uuid);
    const diagnosis = await services.callRecords.diagnosis(conversation.call);
    const isOperator = session?.user.operator === true;
    return { ok: true, details: detailsOf(conversation, diagnosis, isOperator) };
  }),
];
