/** API format of a call: its schema, and the conversion of a stored call (specification 4, decisions 6). */
import { z } from "zod";
import { transcriptOf } from "../../call/ended/transcript-text.ts";
import { RECORDING_STATUSES } from "../../call/stores.ts";
import type { CallNote } from "../../conversation/call-report.ts";
import { CALL_STATUSES, ENDED_REASONS } from "../../core/ended-reason.ts";
import { type MicroEur, microEur, microToEur } from "../../core/money.ts";
import { wireOf } from "../../core/wire-names.ts";
import { eurOut, shown, timeOrNull, timeOut } from "../../http/contracts/schema.ts";
import type { RecordingLinks } from "../../http/recording-links.ts";
import { eurOrNull } from "../../http/route-present.ts";
import { writtenOff } from "../billing/rating.ts";
import type { CallItem as CallItemRow, CallRow, CallTurn, Conversation } from "./call-records.ts";

const step = (what: string) => shown(z.int().nullable(), `${what} \`null\` if not measured.`, 400);

const TurnMeasures = z.strictObject({
  endpoint_ms: step("Time until the end of the turn was detected, ms."),
  stt_final_ms: step("Time until the final transcription, ms."),
  first_token_ms: step("Time until the first words of the language model, ms."),
  first_audio_ms: step("Time until the first audio, ms."),
  first_packet_ms: step("Time until the first RTP packet was sent, ms."),
  early: shown(
    z.boolean(),
    "Whether the language model was called before the end of the turn.",
    false,
  ),
});

const turnMeasures = shown(
  TurnMeasures.nullable(),
  "Stages of the answer latency, each in ms since the end of the caller's speech. `null` if not measured.",
  {
    endpoint_ms: 350,
    stt_final_ms: 420,
    first_token_ms: 430,
    first_audio_ms: 520,
    first_packet_ms: 540,
    early: false,
  },
);

const at = shown(z.int(), "Time since the answer, ms.", 120);

const Disclosure = z
  .strictObject({
    text: shown(z.string(), "Announced text.", "This call is recorded."),
    language: shown(z.string(), "Language of the text.", "en"),
    start_ms: at,
    end_ms: at,
    heard: shown(
      z.boolean(),
      "Whether the text was spoken completely. `false` if the call ended before.",
      true,
    ),
  })
  .meta({ id: "Disclosure" });

const Message = z
  .strictObject({
    text: shown(z.string(), "Text of the message.", "Please call me back."),
    caller_name: shown(
      z.string().nullable(),
      "Name as given by the caller. `null` if none was given.",
      "Jonas",
    ),
    callback: shown(
      z.string().nullable(),
      "Number or time for a callback. `null` if none was given.",
      null,
    ),
    at_ms: at,
  })
  .meta({ id: "Message" });

const LineProblem = z
  .strictObject({
    side: shown(
      z.enum(["received", "sent", "both"]),
      "Affected direction. `received`: audio to the agent. `sent`: audio from the agent. `both`: long delay.",
      "sent",
    ),
    loss_percent: shown(z.int(), "Share of lost or late packets in percent.", 12),
    delay_ms: shown(z.int(), "Jitter in ms. For `both`, the round-trip delay in ms.", 20),
    at_ms: at,
  })
  .meta({ id: "LineProblem" });

const TransferNote = z
  .strictObject({
    to: shown(z.string(), "Destination of the transfer: E.164 number or SIP URI.", "+37060000003"),
    method: shown(
      z.enum(["refer", "bridge"]),
      "Method of the transfer. `refer`: the carrier takes over the call. `bridge`: Linevoice connects a second call.",
      "bridge",
    ),
    outcome: shown(
      z.enum(["transferred", "busy", "no_answer", "declined", "failed"]),
      "Result of the transfer. After all results except the first, the caller is back with the agent.",
      "transferred",
    ),
    sip_code: shown(
      z.int().nullable(),
      "Final SIP status code of the destination. `null` if there was none.",
      null,
    ),
    at_ms: at,
  })
  .meta({ id: "TransferNote" });

const Answering = z
  .strictObject({
    result: shown(
      z.enum(["human", "machine", "unknown"]),
      "Who answered: a person, a machine, or not known.",
      "human",
    ),
    cause: shown(z.string(), "Evidence for the result.", "short_greeting"),
    at_ms: at,
  })
  .meta({ id: "Answering" });

const ToolLimit = z
  .strictObject({
    tool_calls: shown(z.int(), "Number of tool calls in the call up to this time.", 3),
    at_ms: at,
  })
  .meta({ id: "ToolLimit" });

export const callUuid = shown(
  z.uuid(),
  "UUID of the call.",
  "019aa1b2-0000-7000-8000-000000000001",
);
const optionalEur = (what: string) => shown(z.number().nullable(), `${what} EUR.`, null);
const optionalNumber = (what: string) => shown(z.number().nullable(), what, null);
const seconds = (what: string) => shown(z.int(), what, 42);

const itemShape = {
  call_uuid: callUuid,
  direction: shown(z.enum(["inbound", "outbound"]), "Direction of the call.", "inbound"),
  from_number: shown(
    z.string().nullable(),
    "Number of the caller: E.164, or a short number as the network sent it (`1001`). `null` if withheld or not a number.",
    "+37060000001",
  ),
  to_number: shown(
    z.string(),
    "Called number, E.164. Empty if the person's data was erased.",
    "+37060000002",
  ),
  status: shown(
    z.enum(CALL_STATUSES),
    "Status of the call. The last five values are final.",
    "completed",
  ),
  billable_seconds: seconds("Seconds charged. At least 15 for an answered call, otherwise 0."),
  cost_eur: eurOut("Amount charged to the wallet."),
  agent_id: shown(z.int().nullable(), "Id of the agent. `null` if no agent was assigned.", 1),
  created_at: timeOut(
    "Time when the call was requested or came in. For a scheduled call, time when it was placed.",
  ),
  answered_at: timeOrNull("Time of the answer. `null` if the call was not answered."),
  ended_at: timeOrNull("Time of the end. `null` if it is not over."),
  ended_reason: shown(
    z.enum(ENDED_REASONS).nullable(),
    "Reason that ended the call. `null` before its end.",
    "caller_hangup",
  ),
  schedule_id: shown(
    z.int().nullable(),
    "Id of the schedule entry. `null` if the call was not scheduled.",
    null,
  ),
};

export const CallItem = z.strictObject(itemShape).meta({ id: "CallItem" });

const Turn = z
  .strictObject({
    speaker: shown(z.enum(["agent", "customer"]), "Speaker.", "agent"),
    text: shown(z.string(), "Spoken text.", "Hello! How can I help you?"),
    start_ms: shown(z.int(), "Time since the answer, ms.", 0),
    end_ms: shown(z.int(), "Time since the answer, ms.", 1800),
    interrupted: shown(z.boolean(), "Whether the other side interrupted.", false),
    latency_ms: shown(
      z.int().nullable(),
      "Answer latency in ms: from the end of the caller's speech to the first audio. `null` if not measured, and for turns of the caller.",
      640,
    ),
    measures: turnMeasures,
  })
  .meta({ id: "Turn" });

const ToolCall = z
  .strictObject({
    tool: shown(z.string(), "Name of the tool.", "find_booking"),
    arguments: shown(z.record(z.string(), z.unknown()), "Arguments that the agent sent.", {
      day: "Monday",
    }),
    ok: shown(z.boolean(), "Whether the tool call succeeded.", true),
    http_status: shown(
      z.int().nullable(),
      "HTTP status of the response. `null` if there was none.",
      200,
    ),
    duration_ms: shown(z.int(), "Duration in ms.", 120),
    created_at: timeOut("Time of the call."),
  })
  .meta({ id: "ToolCall" });

const CallBilling = z.strictObject({
  billable_seconds: seconds("Number of seconds charged."),
  included_seconds: seconds("Seconds paid by the plan."),
  overage_seconds: seconds("Seconds beyond the plan, charged to the wallet up to its balance."),
  overage_eur_per_min: eurOut("Price per minute beyond the plan in this call."),
  cost_eur: eurOut("Amount charged to the wallet."),
  written_off_eur: eurOut(
    "Price of `overage_seconds` that exceeded the wallet, usually of the closing sentence. The tenant doesn't owe it.",
  ),
});

const CallUsage = z.strictObject({
  llm_input_tokens: shown(z.int(), "Number of input tokens of the language model.", 900),
  llm_cached_input_tokens: shown(
    z.int(),
    "Number of input tokens that the provider read from its cache.",
    700,
  ),
  llm_output_tokens: shown(z.int(), "Number of output tokens of the language model.", 120),
  tts_characters: shown(z.int(), "Number of characters sent to text to speech.", 400),
  stt_seconds: shown(z.number(), "Seconds of audio sent to speech to text.", 20.5),
  discarded: z
    .strictObject({
      llm_tokens: shown(z.int(), "Number of input and output tokens.", 310),
      tts_characters: shown(z.int(), "Number of characters sent to text to speech.", 42),
      stt_seconds: shown(z.number(), "Seconds of audio sent to speech to text.", 1.9),
    })
    .describe(
      "Usage for early answers, discarded because the caller continued to speak. Included in the values above.",
    ),
});

export const CallDetail = z
  .strictObject({
    ...itemShape,
    agent_version: shown(
      z.int().nullable(),
      "Number of the agent's version in this call. `null` if none was stored.",
      3,
    ),
    transcript: shown(
      z.string().nullable(),
      "Transcript as lines `Agent: …` and `Customer: …`. `null` if there is none or it has expired.",
      "Agent: Hello! How can I help you?\nCustomer: When are you open?",
    ),
    turns: z.array(Turn),
    summary: shown(
      z.string().nullable(),
      "Summary in one or two sentences. `null` if there is none.",
      "The caller asked for the hours.",
    ),
    recording_url: shown(
      z.string().nullable(),
      "Signed link to the MP3 file. Expires after 15 minutes. `null` if there is no recording.",
      null,
    ),
    recording_status: shown(
      z.enum(RECORDING_STATUSES),
      "Status of the recording. `emailed_deleted`: it was emailed, then deleted. If `recording.ready` was sent, it is deleted when the link in the event has expired. With the mail provider `outbox`, the email is a file at the operator's, stored for `[mail] outbox_keep_days`. `ready` after the email: the recording was too large to attach, so the email contains a link.",
      "ready",
    ),
    answered_by: shown(
      z.enum(["human", "machine", "unknown"]).nullable(),
      "Who answered: a person, a machine, or not known. `null` if nobody has answered.",
      "human",
    ),
    billing: CallBilling,
    cost_of_goods: z.strictObject({
      stt_eur: optionalEur("Cost of speech to text. `null` if unknown."),
      llm_eur: optionalEur("Cost of the language model. `null` if unknown."),
      tts_eur: optionalEur("Cost of text to speech. `null` if unknown."),
      trunk_eur: optionalEur("Cost of the carrier. `null` if unknown."),
      total_eur: optionalEur("Sum of the known costs. `null` if none is known."),
      discarded_eur: optionalEur(
        "Part of the sum for discarded early answers. `null` while the call is active.",
      ),
    }),
    usage: CallUsage,
    latency: z.strictObject({
      p50_ms: optionalNumber(
        "Median answer latency of the agent's turns in ms. `null` if none was measured.",
      ),
      p95_ms: optionalNumber(
        "95th percentile of the answer latency in ms. `null` if none was measured.",
      ),
    }),
    tool_calls: z.array(ToolCall),
    disclosure: shown(
      Disclosure.nullable(),
      "Proof of the announcement of AI and recording. `null` if it was not spoken.",
      null,
    ),
    messages: shown(z.array(Message), "Messages from the caller.", []),
    transfers: shown(z.array(TransferNote), "Attempted transfers, in order.", []),
    answering: shown(
      z.array(Answering),
      "Results of answering machine detection on outbound calls. A later entry corrects an earlier one.",
      [],
    ),
    tool_limits: shown(
      z.array(ToolLimit),
      "Limits that stopped tool calls: three rounds for one question, or `tool_calls_max` in the call.",
      [],
    ),
    sip: z.strictObject({
      call_id: shown(
        z.string().nullable(),
        "Call-ID of the SIP dialog. `null` if there was none, or the person's data was erased.",
        null,
      ),
      final_code: shown(
        z.int().nullable(),
        "Final SIP status code. `null` if there was none.",
        200,
      ),
      codec: shown(z.string().nullable(), "Audio codec. `null` if there was no audio.", "PCMA"),
      packets_lost: shown(
        z.int().nullable(),
        "Number of RTP packets lost on the way to us. `null` if there was no audio.",
        0,
      ),
      jitter_ms: optionalNumber("Jitter of the received RTP in ms. `null` if there was no audio."),
      sent_packets_lost: shown(
        z.int().nullable(),
        "Number of RTP packets lost on the way to the provider, by its receiver reports. `null` if it sent none.",
        0,
      ),
      sent_jitter_ms: optionalNumber(
        "Jitter of our RTP at the provider in ms, by its receiver reports. `null` if it sent none.",
      ),
      round_trip_ms: optionalNumber(
        "Round-trip network delay to the provider in ms, by RTCP. `null` if not measured.",
      ),
      mos: optionalNumber(
        "Estimated mean opinion score of the worse direction, including network delay, 1 to 4.5. `null` if not measured.",
      ),
      srtp: shown(
        z.string().nullable(),
        "Encryption of the audio: the SRTP suite, or `none`. `null` if there was no audio.",
        "AES_CM_128_HMAC_SHA1_80",
      ),
      line_problems: shown(z.array(LineProblem), "Periods with poor line quality.", []),
    }),
  })
  .meta({ id: "Call" });

export const presentItem = (call: CallItemRow) =>
  wireOf(CallItem, call, {
    from_number: call.fromNumber || null,
    cost_eur: microToEur(call.cost),
  });

const presentTurn = (turn: CallTurn) =>
  wireOf(Turn, turn, { measures: turn.measures && wireOf(TurnMeasures, turn.measures) });

type NoteOf<Kind extends CallNote["kind"]> = Extract<CallNote, { kind: Kind }>;

function ofKind<Kind extends CallNote["kind"]>(notes: readonly CallNote[], kind: Kind) {
  return notes.filter((note): note is NoteOf<Kind> => note.kind === kind);
}

function presentNotes(notes: readonly CallNote[]) {
  // An interrupted disclosure was repeated, so the last note counts.
  const disclosure = ofKind(notes, "disclosure").at(-1);
  return {
    disclosure: disclosure ? wireOf(Disclosure, disclosure, { start_ms: disclosure.atMs }) : null,
    messages: ofKind(notes, "message").map((note) => wireOf(Message, note)),
    transfers: ofKind(notes, "transfer").map((note) => wireOf(TransferNote, note)),
    tool_limits: ofKind(notes, "tool_limit").map((note) => wireOf(ToolLimit, note)),
    answering: ofKind(notes, "answered_by").map((note) => wireOf(Answering, note)),
  };
}

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
    discarded_eur: eurOrNull(call.costDiscarded),
  };
}

export function presentDetail(
  { call, turns, toolCalls, notes }: Conversation,
  links: RecordingLinks,
) {
  const hasRecording = call.recordingStatus === "ready" && call.recordingFile !== null;
  return {
    ...presentItem(call),
    agent_version: call.agentVersion,
    transcript: transcriptOf(turns) || null,
    turns: turns.map(presentTurn),
    // Version 0.1.0 stored an empty text for a missing summary.
    summary: call.summary || null,
    recording_url: hasRecording ? links.urlFor(call.callUuid).url : null,
    recording_status: call.recordingStatus,
    answered_by: call.answeredBy,
    billing: wireOf(CallBilling, call, {
      overage_eur_per_min: microToEur(call.overageRate),
      cost_eur: microToEur(call.cost),
      written_off_eur: microToEur(writtenOff({ ...call, overagePerMinute: call.overageRate })),
    }),
    cost_of_goods: costOfGoods(call),
    usage: wireOf(CallUsage, call, {
      discarded: {
        llm_tokens: call.discardedTokens,
        tts_characters: call.discardedCharacters,
        stt_seconds: call.discardedSttSeconds,
      },
    }),
    latency: { p50_ms: call.latencyP50Ms, p95_ms: call.latencyP95Ms },
    tool_calls: toolCalls.map((toolCall) => wireOf(ToolCall, toolCall)),
    ...presentNotes(notes),
    sip: {
      call_id: call.sipCallId,
      final_code: call.sipFinalCode,
      codec: call.codec,
      packets_lost: call.packetsLost,
      jitter_ms: call.jitterMs,
      sent_packets_lost: call.sentPacketsLost,
      sent_jitter_ms: call.sentJitterMs,
      round_trip_ms: call.roundTripMs,
      mos: call.mos,
      srtp: call.srtp,
      line_problems: ofKind(notes, "line").map((note) => wireOf(LineProblem, note)),
    },
  };
}
