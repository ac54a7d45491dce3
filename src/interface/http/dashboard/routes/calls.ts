/** All details of a call: timeline, stages, quality, SIP message trace, deliveries, cost, waveform, audio. */

import { z } from "zod";
import { isoUtc } from "../../../../core/clock.ts";
import { notFound } from "../../../../core/errors.ts";
import { microToEur } from "../../../../core/money.ts";
import { wireOf } from "../../../../core/wire-names.ts";
import { writtenOff } from "../../../../domain/billing/rating.ts";
import { LANES, stagesOf, timelineOf } from "../../../../domain/call/timeline.ts";
import type {
  CallDiagnosis,
  CallRow,
  CallTurn,
  Conversation,
} from "../../../../operations/admin/call-records.ts";
import { eurOut, field, okReply, shown, timeOrNull, timeOut } from "../../../contracts/schema.ts";
import { contract, rawRoute, route } from "../../contract.ts";
import { csvResponse } from "../../csv-response.ts";
import { DASHBOARD_MOUNT } from "../../mounts.ts";
import { recordingResponse } from "../../routes/calls.ts";
import { eurOrNull } from "../../routes/present.ts";
import { pcapOf } from "../call-pcap.ts";
import type { ProductContext } from "./context.ts";
import { durationOf, foundCallFilter, foundFilterOf } from "./found-calls.ts";

const ms = (what: string) =>
  shown(z.number(), `${what} From the answer, ms; before it: negative.`, 0);
const stage = (what: string) =>
  shown(z.number().nullable(), `${what} ms; null: not measured.`, 120);

export const CallDetails = z
  .strictObject({
    call_uuid: shown(z.uuid(), "The call's UUID.", "019aa1b2-0000-7000-8000-000000000001"),
    explanation: shown(z.string().nullable(), "How it ended, in words.", "The other side hung up."),
    fault: shown(
      z.enum(["caller", "callee", "carrier", "engine", "us"]).nullable(),
      "Whose fault it was; null: a normal end.",
      null,
    ),
    agent_name: shown(z.string().nullable(), "The agent; null: none or deleted.", "Reception"),
    duration_ms: shown(z.number().nullable(), "From the answer to the end.", 42_000),
    timeline: z.array(
      z.strictObject({
        lane: shown(z.enum(LANES), "Which lane.", "caller"),
        start_ms: ms("Where it begins."),
        end_ms: ms("Where it ends; equal: a moment."),
        label: shown(z.string(), "What it was.", "Hello"),
      }),
    ),
    turns: z.array(
      z.strictObject({
        index: shown(z.int(), "0, 1, 2, … as they began.", 0),
        speaker: shown(z.enum(["agent", "customer"]), "Who spoke.", "agent"),
        text: shown(z.string(), "What was said.", "Hello!"),
        start_ms: ms("Where it begins."),
        end_ms: ms("Where it ends."),
        interrupted: shown(z.boolean(), "The other side cut in.", false),
        latency_ms: stage("Last speech of the caller to first audio."),
        sources: z.array(
          z.strictObject({
            file_id: shown(z.int(), "The knowledge file.", 1),
            filename: shown(z.string(), "Its name then.", "prices.md"),
            heading: shown(z.string(), "Where in it; empty: nothing names it.", "Whitening"),
          }),
        ),
        stages: z
          .strictObject({
            endpointing_ms: stage("Last speech to the end of the turn."),
            stt_ms: stage("End of the turn to its text."),
            llm_first_ms: stage("Text to the first words of the answer."),
            tts_first_ms: stage("First words to the first audio."),
            playout_ms: stage("First audio to its first packet."),
            early: shown(
              z.boolean(),
              "The answer was begun before the silence was long enough.",
              false,
            ),
          })
          .nullable(),
      }),
    ),
    tool_calls: z.array(
      z.strictObject({
        tool: shown(z.string(), "Name of the tool.", "find_booking"),
        ok: shown(z.boolean(), "Whether it answered well.", true),
        http_status: shown(z.int().nullable(), "Of the answer.", 200),
        start_ms: ms("When it was called."),
        duration_ms: shown(z.number(), "How long it took.", 120),
      }),
    ),
    rtp: z.array(
      z.strictObject({
        at_ms: ms("When it was looked at."),
        packets_sent: shown(z.int(), "So far.", 250),
        packets_received: shown(z.int(), "So far.", 250),
        packets_lost: shown(z.int(), "So far.", 0),
        packets_late: shown(z.int(), "So far, arrived too late to be played.", 0),
        jitter_ms: shown(z.number(), "Now.", 1.5),
        mos: shown(z.number(), "Estimated listening quality so far, 1 to 4.5.", 4.3),
      }),
    ),
    sip: z.array(
      z.strictObject({
        at_ms: ms("When it passed."),
        direction: shown(z.enum(["in", "out"]), "As seen from us.", "in"),
        line: shown(
          z.string(),
          "Start line, with the CSeq; nothing personal.",
          "INVITE (1 INVITE)",
        ),
        detail: shown(
          z.string().nullable(),
          "More of the message: reason, codec, without numbers and secrets.",
          null,
        ),
      }),
    ),
    deliveries: z.array(
      z.strictObject({
        webhook_id: shown(z.int().nullable(), "null: the agent's legacy URL.", 1),
        event_id: shown(z.string(), "The event.", `evt_${"0".repeat(32)}`),
        delivery_id: shown(z.string(), "The attempt.", `del_${"0".repeat(32)}`),
        type: shown(z.string(), "Event type.", "call.ended"),
        attempt: shown(z.int(), "1 is the first.", 1),
        status: shown(z.enum(["delivered", "failed"]), "2xx is delivered.", "delivered"),
        http_status: shown(z.int().nullable(), "null: no answer.", 200),
        duration_ms: shown(z.int(), "How long it took.", 87),
        error: shown(z.string().nullable(), "Why it failed.", null),
        at: timeOut("When it was attempted."),
      }),
    ),
    mails: z.array(
      z.strictObject({
        recipient: shown(z.string(), "To whom.", "office@example.com"),
        status: shown(z.enum(["pending", "sent", "dead"]), "State.", "sent"),
        attempts: shown(z.int(), "Failed attempts.", 0),
        last_error: shown(z.string().nullable(), "Why the last one failed.", null),
        sent_at: timeOrNull("When it was accepted."),
      }),
    ),
    cost_lines: z.array(
      z.strictObject({
        item: shown(
          z.enum(["plan_seconds", "overage", "stt", "llm", "tts", "trunk"]),
          "What for; the last four are the operator's own cost.",
          "overage",
        ),
        side: shown(z.enum(["paid", "goods"]), "Paid by the tenant, or cost of goods.", "paid"),
        quantity: shown(z.number(), "How much.", 42),
        cached: shown(
          z.number().nullable(),
          "Of these, what the provider still had; null: not for this.",
          null,
        ),
        unit: shown(z.enum(["s", "tokens", "characters"]), "Of what.", "s"),
        amount_eur: shown(z.number().nullable(), "EUR; null: not known.", 0.1),
      }),
    ),
    written_off_eur: eurOut("Of overage, what the wallet no longer had; nobody owes it."),
    answered_time_check: z.strictObject({
      clock_ms: stage("Talk time by the clock."),
      rtp_ms: stage("By RTP."),
      engine_ms: stage("By the engine."),
      difference_ms: stage("Largest disagreement."),
    }),
    recording: z.strictObject({
      status: shown(z.string(), "State of the recording.", "ready"),
      audio_url: shown(z.string().nullable(), "Where to hear it; null: there is none.", null),
      peaks_url: shown(z.string().nullable(), "Its waveform; null: there is none.", null),
    }),
  })
  .meta({ id: "CallDetails" });

export const getCallDetails = contract({
  operationId: "getCallDetails",
  at: "GET /calls/{uuid}/details",
  noun: "call",
  tag: "Calls",
  summary: "Everything that is known about a call",
  reply: okReply({ details: CallDetails }),
});

const samples = (what: string) =>
  shown(
    z.array(z.int().min(-128).max(127)),
    `${what}: lowest and highest value of each slot.`,
    [-3, 4],
  );

export const getPeaks = contract({
  operationId: "getCallPeaks",
  at: "GET /calls/{uuid}/peaks",
  noun: "recording",
  tag: "Calls",
  summary: "The waveform of a recording",
  description:
    "Two numbers a slot: the lowest and the highest value in it. Gone when the recording is.",
  reply: okReply({
    peaks: z.strictObject({
      duration_ms: shown(z.int(), "Length of the recording.", 42_000),
      samples_per_second: shown(z.number(), "Slots a second; the lists have twice as many.", 50),
      left: samples("Caller"),
      right: samples("Agent"),
    }),
  }),
});

export const getAudio = contract({
  operationId: "getCallAudio",
  at: "GET /calls/{uuid}/audio",
  noun: "recording",
  tag: "Calls",
  summary: "The recording",
  description: "Answers Range requests with 206.",
  audited: true,
  reply: z.string().meta({ format: "binary" }),
  replyType: "audio/mpeg",
});

export const getCallPcap = contract({
  operationId: "getCallPcap",
  at: "GET /calls/{uuid}/signalling.pcap",
  noun: "call",
  tag: "Calls",
  role: "operator",
  summary: "The signalling of a call as a capture file",
  description:
    "Made of what is kept of each message: start line, CSeq and details. Addresses are examples; bodies and numbers are not in it. With `[rtp] packet_headers` also the headers of RTP and RTCP packets, without what they carry.",
  audited: true,
  reply: z.string().meta({ format: "binary" }),
  replyType: "application/vnd.tcpdump.pcap",
});

const CHOSEN_MAX = 200;

const chosenCalls = field(
  z
    .string()
    .transform((list) => list.split(","))
    .pipe(z.array(z.uuid()).max(CHOSEN_MAX)),
  {
    description: "Only these calls, separated by commas, whatever the filters say.",
    example: "019aa1b2-0000-7000-8000-000000000001",
    must: `be at most ${CHOSEN_MAX} UUIDs of calls, separated by commas`,
  },
).optional();

/** The filters of GET /calls, without its paging. */
export const callsCsv = contract({
  operationId: "getCallsCsv",
  at: "GET /calls.csv",
  weight: 10,
  recent: true,
  tag: "Calls",
  summary: "Calls as CSV, newest first",
  audited: true,
  description: "All that the filters of GET /calls let through, streamed.",
  query: z.strictObject({ ...foundCallFilter, call_uuids: chosenCalls }),
  reply: z.string(),
  replyType: "text/csv",
});

export const getCallScenario = contract({
  operationId: "getCallScenario",
  at: "GET /calls/{uuid}/scenario",
  noun: "call",
  tag: "Calls",
  summary: "A call as a scenario to rehearse",
  description:
    "YAML. Names, numbers, dates and addresses are replaced as well as rules can: check it before you keep it. `from_call` names the call, and the kept scenario is deleted with its transcript.",
  audited: true,
  reply: z.string(),
  replyType: "text/plain",
});

const Delivery = CallDetails.shape.deliveries.element;
const Mail = CallDetails.shape.mails.element;

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
    sources: (turn.sources ?? []).map(({ fileId, filename, heading }) => ({
      file_id: fileId,
      filename,
      heading,
    })),
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

const presentToolCall = (toolCall: Conversation["toolCalls"][number], zeroMs: number) => ({
  tool: toolCall.tool,
  ok: toolCall.ok,
  http_status: toolCall.httpStatus,
  start_ms: toolCall.createdAt - toolCall.durationMs - zeroMs,
  duration_ms: toolCall.durationMs,
});

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

type CostLine = z.output<typeof CallDetails>["cost_lines"][number];

/** Charges to the tenant and, for operators only, the operator's costs. */
function costLines(call: CallRow, isOperator: boolean): CostLine[] {
  const tokens = call.llmInputTokens + call.llmOutputTokens;
  const answeredSeconds = Math.round((call.answeredClockMs ?? 0) / 1000);
  const seconds = { side: "paid", unit: "s", cached: null } as const;
  const paid: CostLine[] = [
    { ...seconds, item: "plan_seconds", quantity: call.includedSeconds, amount_eur: 0 },
    {
      ...seconds,
      item: "overage",
      quantity: call.overageSeconds,
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
        item,
        quantity,
        unit,
        amount_eur: eurOrNull(amount),
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
    zeroMs,
    createdAt,
    answeredAt,
    endedAt,
    turns,
    toolCalls,
    sip,
    notes,
  });
  const hasAudio = call.recordingStatus === "ready" && call.recordingFile !== null;
  const base = `${DASHBOARD_MOUNT}/calls/${callUuid}`;
  return {
    call_uuid: callUuid,
    explanation: call.endedExplanation,
    fault: FAULTS.find((fault) => fault === call.fault) ?? null,
    agent_name: diagnosis.agentName,
    duration_ms: durationOf(call),
    timeline: spans.map(({ lane, startMs, endMs, label }) => ({
      lane,
      label,
      start_ms: Math.round(startMs),
      end_ms: Math.round(endMs),
    })),
    turns: turns.map(presentTurn),
    tool_calls: toolCalls.map((toolCall) => presentToolCall(toolCall, zeroMs)),
    rtp: presentQuality(quality, zeroMs),
    sip: sip.map(({ atMs, direction, line, detail }) => ({
      at_ms: atMs - zeroMs,
      direction,
      line,
      detail,
    })),
    deliveries: deliveries.map((delivery) =>
      wireOf(Delivery, delivery, { at: isoUtc(delivery.createdAt) }),
    ),
    mails: mails.map((mail) => wireOf(Mail, mail)),
    cost_lines: costLines(call, isOperator),
    written_off_eur: microToEur(writtenOff({ ...call, overagePerMinute: call.overageRate })),
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

const callDetailsRoutes = ({ dependencies: { services } }: ProductContext) => [
  route(getCallDetails)(async ({ tenantId, params, session }) => {
    const conversation = await services.callRecords.conversation(tenantId, params.uuid);
    const diagnosis = await services.callRecords.diagnosis(conversation.call);
    const isOperator = session?.user.operator === true;
    return { ok: true, details: detailsOf(conversation, diagnosis, isOperator) };
  }),
  route(getCallScenario)(async ({ tenantId, params }) => {
    const yaml = await services.callRecords.scenario(tenantId, params.uuid);
    return new Response(yaml, {
      headers: {
        "content-type": "text/plain; charset=utf-8",
        "content-disposition": `attachment; filename="${params.uuid.slice(0, 8)}.yaml"`,
      },
    });
  }),
];

const callFileRoutes = ({ dependencies }: ProductContext) => {
  const { services, recordings, clock } = dependencies;
  const { callRecords } = services;
  return [
    route(getPeaks)(async ({ tenantId, params }) => {
      const peaks = await callRecords.peaks(tenantId, params.uuid);
      return {
        ok: true,
        peaks: {
          duration_ms: peaks.durationMs,
          samples_per_second: peaks.slotsPerSecond,
          left: [...peaks.left],
          right: [...peaks.right],
        },
      };
    }),
    rawRoute(getAudio)(async ({ tenantId, params, http }) => {
      const path = await recordings.locate(await callRecords.recordingFile(tenantId, params.uuid));
      if (path === null) throw notFound("recording");
      return recordingResponse(path, params.uuid, http);
    }),
    rawRoute(getCallPcap)(async ({ tenantId, params }) => {
      const { call } = await callRecords.conversation(tenantId, params.uuid);
      const { sip } = await callRecords.diagnosis(call);
      const headers = await callRecords.packetHeaders(call);
      return new Response(pcapOf(call.callUuid, sip, headers), {
        headers: {
          "content-type": "application/vnd.tcpdump.pcap",
          "content-disposition": `attachment; filename="${call.callUuid}.pcap"`,
        },
      });
    }),
    rawRoute(callsCsv)(async ({ tenantId, query }) => {
      const day = isoUtc(clock.now()).slice(0, 10);
      const { words, call_uuids: chosen } = query;
      if (chosen) return csvResponse(callRecords.chosenCsv(tenantId, chosen), `calls-${day}.csv`);
      const lines = callRecords.csv(
        tenantId,
        await foundFilterOf(services.callSearch, tenantId, query),
        words.trim() === ""
          ? undefined
          : (calls) => services.callSearch.matches(tenantId, calls, words),
      );
      return csvResponse(lines, `calls-${day}.csv`);
    }),
  ];
};

export const callRoutes = (context: ProductContext) => [
  ...callDetailsRoutes(context),
  ...callFileRoutes(context),
];
