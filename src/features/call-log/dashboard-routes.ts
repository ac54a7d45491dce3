/** All details of a call: timeline, stages, quality, SIP message trace, deliveries, cost, waveform, audio. */

import { z } from "zod";
import { LANES, stagesOf, timelineOf } from "../../call/timeline.ts";
import { isoUtc } from "../../core/clock.ts";
import { notFound } from "../../core/errors.ts";
import { microToEur } from "../../core/money.ts";
import { wireOf } from "../../core/wire-names.ts";
import { contract, rawRoute, route } from "../../http/contract.ts";
import { eurOut, field, okReply, shown, timeOrNull, timeOut } from "../../http/contracts/schema.ts";
import { csvResponse } from "../../http/csv-response.ts";
import type { ProductContext } from "../../http/dashboard-context.ts";
import { DASHBOARD_MOUNT } from "../../http/mounts.ts";
import { eurOrNull } from "../../http/route-present.ts";
import { writtenOff } from "../billing/rating.ts";
import { pcapOf } from "./call-pcap.ts";
import type { CallDiagnosis, CallRow, CallTurn, Conversation } from "./call-records.ts";
import { recordingResponse } from "./routes.ts";
import { durationOf, foundCallFilter, foundFilterOf } from "./search-routes.ts";

const ms = (what: string) =>
  shown(z.number(), `${what} Time since the answer in ms. Negative before the answer.`, 0);
const stage = (what: string) =>
  shown(z.number().nullable(), `${what} In ms. \`null\` if not measured.`, 120);

export const CallDetails = z
  .strictObject({
    call_uuid: shown(z.uuid(), "UUID of the call.", "019aa1b2-0000-7000-8000-000000000001"),
    explanation: shown(
      z.string().nullable(),
      "Explanation of the call's end.",
      "The other side hung up.",
    ),
    fault: shown(
      z.enum(["caller", "callee", "carrier", "engine", "us"]).nullable(),
      "Party that caused the failure. `null` after a normal end.",
      null,
    ),
    agent_name: shown(
      z.string().nullable(),
      "Name of the agent. `null` if there was none or it was deleted.",
      "Reception",
    ),
    duration_ms: shown(z.number().nullable(), "Time from the answer to the end in ms.", 42_000),
    timeline: z.array(
      z.strictObject({
        lane: shown(z.enum(LANES), "Lane of the timeline.", "caller"),
        start_ms: ms("Start."),
        end_ms: ms("End. Equal to the start for a single moment."),
        label: shown(z.string(), "Description of the entry.", "Hello"),
      }),
    ),
    turns: z.array(
      z.strictObject({
        index: shown(z.int(), "Number of the turn, from 0, in order of their start.", 0),
        speaker: shown(z.enum(["agent", "customer"]), "Speaker.", "agent"),
        text: shown(z.string(), "Text of the turn.", "Hello!"),
        start_ms: ms("Start."),
        end_ms: ms("End."),
        interrupted: shown(z.boolean(), "Whether the other side interrupted.", false),
        latency_ms: stage("Time from the end of the caller's speech to the first audio."),
        sources: z.array(
          z.strictObject({
            file_id: shown(z.int(), "Id of the knowledge file.", 1),
            filename: shown(z.string(), "Name of the file at that time.", "prices.md"),
            heading: shown(
              z.string(),
              "Heading of the passage. Empty if there is none.",
              "Whitening",
            ),
          }),
        ),
        stages: z
          .strictObject({
            endpointing_ms: stage(
              "Time from the end of the caller's speech until the end of the turn is detected.",
            ),
            stt_ms: stage("Time from the end of the turn to the final transcription."),
            llm_first_ms: stage(
              "Time from the final transcription to the first words of the language model.",
            ),
            tts_first_ms: stage(
              "Time from the first words of the language model to the first audio.",
            ),
            playout_ms: stage("Time from the first audio to the first RTP packet."),
            early: shown(
              z.boolean(),
              "Whether the language model was called before the end of the turn.",
              false,
            ),
          })
          .nullable(),
      }),
    ),
    tool_calls: z.array(
      z.strictObject({
        tool: shown(z.string(), "Name of the tool.", "find_booking"),
        ok: shown(z.boolean(), "Whether the tool call succeeded.", true),
        http_status: shown(
          z.int().nullable(),
          "HTTP status of the response. `null` if there was none.",
          200,
        ),
        start_ms: ms("Start of the tool call."),
        duration_ms: shown(z.number(), "Duration in ms.", 120),
      }),
    ),
    rtp: z.array(
      z.strictObject({
        at_ms: ms("Time of the measurement."),
        packets_sent: shown(z.int(), "So far.", 250),
        packets_received: shown(z.int(), "So far.", 250),
        packets_lost: shown(z.int(), "So far.", 0),
        packets_late: shown(z.int(), "Packets so far that arrived too late to be played.", 0),
        jitter_ms: shown(z.number(), "Current jitter in ms.", 1.5),
        mos: shown(z.number(), "Estimated mean opinion score so far, 1 to 4.5.", 4.3),
      }),
    ),
    sip: z.array(
      z.strictObject({
        at_ms: ms("Time of the message."),
        direction: shown(z.enum(["in", "out"]), "Direction. `in`: received by Linevoice.", "in"),
        line: shown(
          z.string(),
          "Start line with the CSeq, without personal data.",
          "INVITE (1 INVITE)",
        ),
        detail: shown(
          z.string().nullable(),
          "Further details, such as reason or codec, without numbers and secrets.",
          null,
        ),
      }),
    ),
    deliveries: z.array(
      z.strictObject({
        webhook_id: shown(
          z.int().nullable(),
          "Id of the webhook. `null` for the agent's legacy URL.",
          1,
        ),
        event_id: shown(z.string(), "Id of the event.", `evt_${"0".repeat(32)}`),
        delivery_id: shown(z.string(), "Id of the delivery attempt.", `del_${"0".repeat(32)}`),
        type: shown(z.string(), "Event type.", "call.ended"),
        attempt: shown(z.int(), "Number of the attempt, from 1.", 1),
        status: shown(
          z.enum(["delivered", "failed"]),
          "Result of the attempt. `delivered` for a 2xx response.",
          "delivered",
        ),
        http_status: shown(
          z.int().nullable(),
          "HTTP status of the response. `null` if there was none.",
          200,
        ),
        duration_ms: shown(z.int(), "Duration in ms.", 87),
        error: shown(z.string().nullable(), "Reason of the failure. `null` if it succeeded.", null),
        at: timeOut("Time of the attempt."),
      }),
    ),
    mails: z.array(
      z.strictObject({
        recipient: shown(z.string(), "Recipient.", "office@example.com"),
        status: shown(z.enum(["pending", "sent", "dead"]), "State.", "sent"),
        attempts: shown(z.int(), "Number of failed attempts.", 0),
        last_error: shown(
          z.string().nullable(),
          "Reason of the last failure. `null` if there was none.",
          null,
        ),
        sent_at: timeOrNull(
          "Time when the mail provider accepted the mail. `null` if it was not sent.",
        ),
      }),
    ),
    cost_lines: z.array(
      z.strictObject({
        item: shown(
          z.enum(["plan_seconds", "overage", "stt", "llm", "tts", "trunk"]),
          "Item. The last four are costs of the operator.",
          "overage",
        ),
        side: shown(
          z.enum(["paid", "goods"]),
          "`paid`: charged to the tenant. `goods`: cost of the operator.",
          "paid",
        ),
        quantity: shown(z.number(), "Quantity, in `unit`.", 42),
        cached: shown(
          z.number().nullable(),
          "Part of the tokens that the provider read from its cache. `null` for other items.",
          null,
        ),
        unit: shown(z.enum(["s", "tokens", "characters"]), "Unit of the quantity.", "s"),
        amount_eur: shown(z.number().nullable(), "Amount in EUR. `null` if unknown.", 0.1),
      }),
    ),
    written_off_eur: eurOut(
      "Part of the overage that exceeded the wallet. The tenant doesn't owe it.",
    ),
    answered_time_check: z.strictObject({
      clock_ms: stage("Talk time by the server's clock."),
      rtp_ms: stage("Talk time by RTP."),
      engine_ms: stage("Talk time by the engine."),
      difference_ms: stage("Largest difference between them."),
    }),
    recording: z.strictObject({
      status: shown(z.string(), "Status of the recording.", "ready"),
      audio_url: shown(
        z.string().nullable(),
        "URL of the recording. `null` if there is none.",
        null,
      ),
      peaks_url: shown(
        z.string().nullable(),
        "URL of the waveform. `null` if there is none.",
        null,
      ),
    }),
  })
  .meta({ id: "CallDetails" });

export const getCallDetails = contract({
  operationId: "getCallDetails",
  at: "GET /calls/{uuid}/details",
  noun: "call",
  tag: "Calls",
  summary: "All details of a call",
  reply: okReply({ details: CallDetails }),
});

const samples = (what: string) =>
  shown(
    z.array(z.int().min(-128).max(127)),
    `${what}: lowest and highest value per interval.`,
    [-3, 4],
  );

export const getPeaks = contract({
  operationId: "getCallPeaks",
  at: "GET /calls/{uuid}/peaks",
  noun: "recording",
  tag: "Calls",
  summary: "Waveform of a recording",
  description:
    "Two numbers per interval: its lowest and its highest value. Deleted together with the recording.",
  reply: okReply({
    peaks: z.strictObject({
      duration_ms: shown(z.int(), "Length of the recording in ms.", 42_000),
      samples_per_second: shown(
        z.number(),
        "Number of intervals per second. The lists contain two numbers per interval.",
        50,
      ),
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
  summary: "Download the recording",
  description: "Range requests return 206.",
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
  summary: "SIP messages of a call as a capture file",
  description:
    "Contains the stored part of each message: start line, CSeq and details. Addresses are replaced with examples; bodies and numbers are left out. With `[rtp] packet_headers`, it also contains the headers of RTP and RTCP packets, without their payload.",
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
    description: "UUIDs of calls, separated by commas. Other filters are then ignored.",
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
  description: "All calls that match the filters of GET /calls. Streamed.",
  query: z.strictObject({ ...foundCallFilter, call_uuids: chosenCalls }),
  reply: z.string(),
  replyType: "text/csv",
});

export const getCallScenario = contract({
  operationId: "getCallScenario",
  at: "GET /calls/{uuid}/scenario",
  noun: "call",
  tag: "Calls",
  summary: "Create a rehearsal scenario from a call",
  description:
    "YAML. Rules replace names, numbers, dates and addresses, but can miss some: check the scenario before you store it. `from_call` is the UUID of the call. The stored scenario is deleted together with the call's transcript.",
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
