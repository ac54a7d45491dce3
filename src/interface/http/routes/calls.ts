/** Calls over HTTP: lists and details from the store, requests to the call service. */

import type { z } from "zod";
import { isoUtc, spaceSeparatedUtc } from "../../../core/clock.ts";
import { isE164 } from "../../../core/e164.ts";
import { invalidField } from "../../../core/errors.ts";
import { type MicroEur, microEur, microToEur } from "../../../core/money.ts";
import { wireOf } from "../../../core/wire-names.ts";
import { transcriptOf } from "../../../domain/call/transcript-text.ts";
import type { CallNote, TurnMeasures } from "../../../domain/conversation/call-report.ts";
import type {
  CallItem,
  CallRecords,
  CallRow,
  CallTurn,
} from "../../../operations/admin/call-records.ts";
import { type Route, route } from "../contract.ts";
import * as contracts from "../contracts/calls.ts";
import type { RecordingLinks } from "../recording-links.ts";
import type { RouteContext } from "./context.ts";
import { eurOrNull } from "./present.ts";

const DAY_MS = 86_400_000;

const presentItem = (call: CallItem) =>
  wireOf(contracts.CallItem, call, {
    from_number: call.fromNumber || null,
    cost_eur: microToEur(call.cost),
  });

type Conversation = Awaited<ReturnType<CallRecords["conversation"]>>;

const presentTurn = (turn: CallTurn) => ({
  speaker: turn.speaker,
  text: turn.text,
  start_ms: turn.startMs,
  end_ms: turn.endMs,
  interrupted: turn.interrupted,
  latency_ms: turn.latencyMs,
  measures: turn.measures && presentMeasures(turn.measures),
});

const presentMeasures = (measures: TurnMeasures) => ({
  endpoint_ms: measures.endpointMs,
  stt_final_ms: measures.sttFinalMs,
  first_token_ms: measures.firstTokenMs,
  first_audio_ms: measures.firstAudioMs,
  first_packet_ms: measures.firstPacketMs,
  early: measures.early,
});

type NoteOf<Kind extends CallNote["kind"]> = Extract<CallNote, { kind: Kind }>;

function ofKind<Kind extends CallNote["kind"]>(notes: readonly CallNote[], kind: Kind) {
  return notes.filter((note): note is NoteOf<Kind> => note.kind === kind);
}

function presentNotes(notes: readonly CallNote[]) {
  const [disclosure] = ofKind(notes, "disclosure");
  return {
    disclosure: disclosure
      ? {
          text: disclosure.text,
          language: disclosure.language,
          start_ms: disclosure.atMs,
          end_ms: disclosure.endMs,
          heard: disclosure.heard,
        }
      : null,
    messages: ofKind(notes, "message").map(({ text, callerName, callback, atMs }) => ({
      text,
      caller_name: callerName,
      callback,
      at_ms: atMs,
    })),
    transfers: ofKind(notes, "transfer").map(({ to, method, outcome, sipCode, atMs }) => ({
      to,
      method,
      outcome,
      sip_code: sipCode,
      at_ms: atMs,
    })),
    answering: ofKind(notes, "answered_by").map(({ result, cause, atMs }) => ({
      result,
      cause,
      at_ms: atMs,
    })),
  };
}

const presentToolCall = (call: Conversation["toolCalls"][number]) => ({
  tool: call.tool,
  arguments: { ...call.arguments },
  ok: call.ok,
  http_status: call.httpStatus,
  duration_ms: call.durationMs,
  created_at: isoUtc(call.createdAt),
});

function costOfGoods(call: CallRow) {
  const parts = [call.costStt, call.costLlm, call.costTts, call.costTrunk];
  const known = parts.filter((part): part is MicroEur => part !== null);
  const sum = known.reduce((total, part) => total + part, 0);
  return {
    stt_eur: eurOrNull(call.costStt),
    llm_eur: eurOrNull(call.costLlm),
    tts_eur: eurOrNull(call.costTts),
    trunk_eur: eurOrNull(call.costTrunk),
    total_eur: known.length === 0 ? null : microToEur(microEur(sum)),
  };
}

function presentDetail({ call, turns, toolCalls, notes }: Conversation, links: RecordingLinks) {
  const hasRecording = call.recordingStatus === "ready" && call.recordingFile !== null;
  return {
    ...presentItem(call),
    transcript: turns.length === 0 ? null : transcriptOf(turns),
    turns: turns.map(presentTurn),
    summary: call.summary,
    recording_url: hasRecording ? links.urlFor(call.callUuid).url : null,
    recording_status: call.recordingStatus,
    answered_by: call.answeredBy,
    billing: {
      billable_seconds: call.billableSeconds,
      included_seconds: call.includedSeconds,
      overage_seconds: call.overageSeconds,
      overage_eur_per_min: microToEur(call.overageRate),
      cost_eur: microToEur(call.cost),
    },
    cost_of_goods: costOfGoods(call),
    usage: {
      llm_input_tokens: call.llmInputTokens,
      llm_cached_input_tokens: call.llmCachedInputTokens,
      llm_output_tokens: call.llmOutputTokens,
      tts_characters: call.ttsCharacters,
      stt_seconds: call.sttSeconds,
    },
    latency: { p50_ms: call.latencyP50Ms, p95_ms: call.latencyP95Ms },
    tool_calls: toolCalls.map(presentToolCall),
    ...presentNotes(notes),
    sip: {
      call_id: call.sipCallId,
      final_code: call.sipFinalCode,
      codec: call.codec,
      packets_lost: call.packetsLost,
      jitter_ms: call.jitterMs,
      mos: call.mos,
    },
  };
}

/** UTC days, `to` included. */
const dayStart = (day: string | undefined) => (day === undefined ? undefined : Date.parse(day));
const dayEnd = (day: string | undefined) =>
  day === undefined ? undefined : Date.parse(day) + DAY_MS;

export const filterOf = (query: z.output<z.ZodObject<typeof contracts.callFilter>>) => ({
  agentId: query.agent_id,
  status: query.status,
  direction: query.direction,
  fromMs: dayStart(query.from),
  toMs: dayEnd(query.to),
});

const callRecordRoutes = ({ dependencies, recordingLinks }: RouteContext): Route[] => {
  const { callRecords } = dependencies.services;
  return [
    route(contracts.listCalls)(async ({ tenantId, query }) => {
      const { calls, total } = await callRecords.list(tenantId, filterOf(query), query);
      return { ok: true, calls: calls.map(presentItem), total };
    }),
    route(contracts.getCall)(async ({ tenantId, params }) => ({
      ok: true,
      call: presentDetail(await callRecords.conversation(tenantId, params.uuid), recordingLinks),
    })),
  ];
};

const callControlRoutes = ({ dependencies: { calls, services } }: RouteContext): Route[] => [
  route(contracts.createCall)(async ({ tenantId, body }) => {
    const { to_number: toNumber, from_number: fromNumber, schedule_at: scheduleAt } = body;
    if (!isE164(toNumber)) throw invalidField("to_number", "`to_number` must be E.164.");
    const requested = await calls.request(tenantId, {
      toNumber,
      fromNumber: fromNumber && isE164(fromNumber) ? fromNumber : null,
      agentId: body.agent_id ?? null,
      scheduleAtMs: scheduleAt ? Date.parse(scheduleAt) : null,
      purpose:
        body.reason === undefined
          ? null
          : { reason: body.reason, sensitive: body.sensitive ?? false, origin: "api" },
    });
    const { scheduledAtMs } = requested;
    return {
      ok: true,
      status: scheduledAtMs === null ? "queued_immediate" : "scheduled",
      call_uuid: requested.callUuid,
      schedule_id: requested.scheduleId,
      from_number: requested.fromNumber,
      scheduled_at: scheduledAtMs === null ? null : spaceSeparatedUtc(scheduledAtMs),
    };
  }),
  route(contracts.transferCall)(async ({ tenantId, params, body }) => {
    const { briefing } = body;
    await calls.transfer(tenantId, params.uuid, body.to, briefing === false ? null : briefing);
    return { ok: true, call_uuid: params.uuid, status: "transferring", to: body.to };
  }),
  route(contracts.hangUpCall)(async ({ tenantId, params }) => {
    await calls.hangUp(tenantId, params.uuid);
    const { status } = await services.callRecords.get(tenantId, params.uuid);
    return { ok: true, call_uuid: params.uuid, status };
  }),
];

export const callRoutes = (context: RouteContext): Route[] => [
  ...callRecordRoutes(context),
  ...callControlRoutes(context),
];
