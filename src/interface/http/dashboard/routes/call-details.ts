/** Everything that is known about a call, put together from its rows. */
import type { z } from "zod";
import { agentStore } from "../../../../adapter/store/agent-store.ts";
import { callHistoryStore } from "../../../../adapter/store/call-history-store.ts";
import { callNotesStore } from "../../../../adapter/store/call-notes-store.ts";
import { diagnosticsStore } from "../../../../adapter/store/diagnostics-store.ts";
import { isoUtc } from "../../../../core/clock.ts";
import type { Queries } from "../../../../core/database.ts";
import { notFound } from "../../../../core/errors.ts";
import { stagesOf, timelineOf } from "../../../../domain/call/timeline.ts";
import { route } from "../../contract.ts";
import { eurOrNull, isoOrNull } from "../../routes/present.ts";
import * as contracts from "../contracts/calls.ts";
import { DASHBOARD_MOUNT } from "../document.ts";
import type { ProductContext } from "./context.ts";

type History = ReturnType<typeof callHistoryStore>;
type CallRow = NonNullable<Awaited<ReturnType<History["find"]>>>;
type TurnRow = Awaited<ReturnType<History["turns"]>>[number];
type CallDiagnostics = Awaited<ReturnType<ReturnType<typeof diagnosticsStore>["find"]>>;

const presentTurn = (turn: TurnRow) => {
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

const presentQuality = (quality: CallDiagnostics["quality"], zeroMs: number) =>
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
  const seconds = { side: "paid", unit: "s" } as const;
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
        side: "goods",
      }),
    ),
  ];
}

const FAULTS = ["caller", "callee", "carrier", "engine", "us"] as const;

type Store = ReturnType<typeof diagnosticsStore>;
type CallDelivery = Awaited<ReturnType<Store["deliveries"]>>[number];
type CallMail = Awaited<ReturnType<Store["mails"]>>[number];

const presentDelivery = (delivery: CallDelivery) => ({
  webhook_id: delivery.webhookId,
  event_id: delivery.eventId,
  delivery_id: delivery.deliveryId,
  type: delivery.type,
  attempt: delivery.attempt,
  status: delivery.status,
  http_status: delivery.httpStatus,
  duration_ms: delivery.durationMs,
  error: delivery.error,
  at: isoUtc(delivery.createdAt),
});

const presentMail = (mail: CallMail) => ({
  recipient: mail.recipient,
  status: mail.status,
  attempts: mail.attempts,
  last_error: mail.lastError,
  sent_at: isoOrNull(mail.sentAt),
});

async function detailsOf(queries: Queries, call: CallRow, isOperator: boolean) {
  const history = callHistoryStore(queries);
  const store = diagnosticsStore(queries);
  const { tenantId, callUuid, answeredAt, createdAt, endedAt } = call;
  const turns = await history.turns(call.id);
  const toolCalls = await history.toolCalls(call.id);
  const diagnostics = await store.find(call.id);
  const agent =
    call.agentId === null ? undefined : await agentStore(queries).find(tenantId, call.agentId);
  const zeroMs = answeredAt ?? createdAt;
  const spans = timelineOf({
    ...{ zeroMs, createdAt, answeredAt, endedAt, turns, toolCalls, sip: diagnostics.sip },
    notes: await callNotesStore(queries).of(call.id),
  });
  const hasAudio = call.recordingStatus === "ready" && call.recordingFile !== null;
  const base = `${DASHBOARD_MOUNT}/calls/${callUuid}`;
  return {
    call_uuid: callUuid,
    explanation: call.endedExplanation,
    fault: FAULTS.find((fault) => fault === call.fault) ?? null,
    agent_name: agent?.name ?? null,
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
    rtp: presentQuality(diagnostics.quality, zeroMs),
    sip: diagnostics.sip.map(({ atMs, direction, line, detail }) => ({
      ...{ at_ms: atMs - zeroMs, direction, line, detail },
    })),
    deliveries: (await store.deliveries(tenantId, callUuid)).map(presentDelivery),
    mails: (await store.mails(tenantId, callUuid)).map(presentMail),
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
      peaks_url: hasAudio && (await store.hasPeaks(call.id)) ? `${base}/peaks` : null,
    },
  };
}

export const callDetailsRoutes = ({ dependencies: { database } }: ProductContext) => [
  route(contracts.getCallDetails)(async ({ tenantId, params, session }) => {
    const call = await callHistoryStore(database.read).find(tenantId, params.uuid);
    if (!call) throw notFound("call");
    const isOperator = session?.user.operator === true;
    return { ok: true, details: await detailsOf(database.read, call, isOperator) };
  }),
];
