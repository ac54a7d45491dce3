/** What a call looks like in the API: its schema, and a stored call in that form (specification 4, decisions 6). */
import { z } from "zod";
import { CALL_STATUSES, ENDED_REASONS } from "../../../core/ended-reason.ts";
import { type MicroEur, microEur, microToEur } from "../../../core/money.ts";
import { wireOf } from "../../../core/wire-names.ts";
import { writtenOff } from "../../../domain/billing/rating.ts";
import { transcriptOf } from "../../../domain/call/ended/transcript-text.ts";
import { RECORDING_STATUSES } from "../../../domain/call/stores.ts";
import type { CallNote } from "../../../domain/conversation/call-report.ts";
import type {
  CallItem as CallItemRow,
  CallRow,
  CallTurn,
  Conversation,
} from "../../../operations/admin/call-records.ts";
import { eurOut, shown, timeOrNull, timeOut } from "../../contracts/schema.ts";
import type { RecordingLinks } from "../recording-links.ts";
import { eurOrNull } from "./present.ts";

const step = (what: string) => shown(z.int().nullable(), what, 400);

const TurnMeasures = z.strictObject({
  endpoint_ms: step("The silence was judged long enough."),
  stt_final_ms: step("The final text was there."),
  first_token_ms: step("The LLM's first words."),
  first_audio_ms: step("The voice's first samples."),
  first_packet_ms: step("The first packet left."),
  early: shown(z.boolean(), "The LLM was asked on stable words, ahead of time.", false),
});

const turnMeasures = shown(
  TurnMeasures.nullable(),
  "Where an answer's latency went: ms from the customer's last speech to each step; null: not measured.",
  {
    endpoint_ms: 350,
    stt_final_ms: 420,
    first_token_ms: 430,
    first_audio_ms: 520,
    first_packet_ms: 540,
    early: false,
  },
);

const at = shown(z.int(), "From the answer, ms.", 120);

const Disclosure = z
  .strictObject({
    text: shown(z.string(), "The words that were said.", "This call is recorded."),
    language: shown(z.string(), "Their language.", "en"),
    start_ms: at,
    end_ms: at,
    heard: shown(z.boolean(), "Said to its end; false: the line went before.", true),
  })
  .meta({ id: "Disclosure" });

const Message = z
  .strictObject({
    text: shown(z.string(), "What the caller wants to have passed on.", "Please call me back."),
    caller_name: shown(z.string().nullable(), "As the caller said it.", "Jonas"),
    callback: shown(z.string().nullable(), "Number or time to call back.", null),
    at_ms: at,
  })
  .meta({ id: "Message" });

const LineProblem = z
  .strictObject({
    side: shown(
      z.enum(["received", "sent", "both"]),
      "`received`: audio to the agent; `sent`: audio from the agent; `both`: long delay.",
      "sent",
    ),
    loss_percent: shown(z.int(), "Packets lost or late.", 12),
    delay_ms: shown(z.int(), "Jitter; for `both` the delay there and back.", 20),
    at_ms: at,
  })
  .meta({ id: "LineProblem" });

const TransferNote = z
  .strictObject({
    to: shown(z.string(), "Where to.", "+37060000003"),
    method: shown(
      z.enum(["refer", "bridge"]),
      "`refer`: the carrier took the call over; `bridge`: a second leg was dialled.",
      "bridge",
    ),
    outcome: shown(
      z.enum(["transferred", "busy", "no_answer", "declined", "failed"]),
      "How it went; all but the first brought the caller back to the agent.",
      "transferred",
    ),
    sip_code: shown(z.int().nullable(), "Final code of the far end, where it gave one.", null),
    at_ms: at,
  })
  .meta({ id: "TransferNote" });

const Answering = z
  .strictObject({
    result: shown(z.enum(["human", "machine", "unknown"]), "Who answered.", "human"),
    cause: shown(z.string(), "What told it.", "short_greeting"),
    at_ms: at,
  })
  .meta({ id: "Answering" });

const ToolLimit = z
  .strictObject({
    tool_calls: shown(z.int(), "Tool calls of this call up to then.", 3),
    at_ms: at,
  })
  .meta({ id: "ToolLimit" });

export const callUuid = shown(z.uuid(), "The call's UUID.", "019aa1b2-0000-7000-8000-000000000001");
const optionalEur = (what: string) => shown(z.number().nullable(), `${what} EUR.`, null);
const optionalNumber = (what: string) => shown(z.number().nullable(), what, null);
const seconds = (what: string) => shown(z.int(), what, 42);

const itemShape = {
  call_uuid: callUuid,
  direction: shown(z.enum(["inbound", "outbound"]), "Who called.", "inbound"),
  from_number: shown(
    z.string().nullable(),
    "Caller: E.164, or a short number as the network gave it (`1001`). null: withheld, or no number.",
    "+37060000001",
  ),
  to_number: shown(
    z.string(),
    "Called number, E.164; empty: that person was erased.",
    "+37060000002",
  ),
  status: shown(z.enum(CALL_STATUSES), "State; the last five are final.", "completed"),
  billable_seconds: seconds("Seconds billed: at least 15 when answered, else 0."),
  cost_eur: eurOut("What the wallet paid."),
  agent_id: shown(z.int().nullable(), "The agent; null: none.", 1),
  created_at: timeOut(
    "When it was asked for or came in; of a call that waited for its time: when it was placed.",
  ),
  answered_at: timeOrNull("When it was answered."),
  ended_at: timeOrNull("When it ended."),
  ended_reason: shown(
    z.enum(ENDED_REASONS).nullable(),
    "Why it ended; null: not yet.",
    "caller_hangup",
  ),
  schedule_id: shown(z.int().nullable(), "The schedule entry it came from.", null),
};

export const CallItem = z.strictObject(itemShape).meta({ id: "CallItem" });

const Turn = z
  .strictObject({
    speaker: shown(z.enum(["agent", "customer"]), "Who spoke.", "agent"),
    text: shown(z.string(), "What was said.", "Hello! How can I help you?"),
    start_ms: shown(z.int(), "From the answer, ms.", 0),
    end_ms: shown(z.int(), "From the answer, ms.", 1800),
    interrupted: shown(z.boolean(), "The other side cut in.", false),
    latency_ms: shown(
      z.int().nullable(),
      "Agent turns: from the customer's last speech to the first audio.",
      640,
    ),
    measures: turnMeasures,
  })
  .meta({ id: "Turn" });

const ToolCall = z
  .strictObject({
    tool: shown(z.string(), "Name of the tool.", "find_booking"),
    arguments: shown(z.record(z.string(), z.unknown()), "What the agent sent.", { day: "Monday" }),
    ok: shown(z.boolean(), "Whether it answered well.", true),
    http_status: shown(z.int().nullable(), "Of the endpoint's answer.", 200),
    duration_ms: shown(z.int(), "How long it took.", 120),
    created_at: timeOut("When it was called."),
  })
  .meta({ id: "ToolCall" });

const CallBilling = z.strictObject({
  billable_seconds: seconds("Seconds billed."),
  included_seconds: seconds("Of these, paid by the plan."),
  overage_seconds: seconds("Of these, beyond the plan: paid by the wallet, as far as it lasted."),
  overage_eur_per_min: eurOut("Overage price of this call."),
  cost_eur: eurOut("What the wallet paid."),
  written_off_eur: eurOut(
    "What overage_seconds cost beyond that, mostly the closing phrase of a call that emptied the wallet. Nobody owes it.",
  ),
});

const CallUsage = z.strictObject({
  llm_input_tokens: shown(z.int(), "Tokens read by the language model.", 900),
  llm_cached_input_tokens: shown(
    z.int(),
    "Of these, tokens that the provider still had from an earlier request.",
    700,
  ),
  llm_output_tokens: shown(z.int(), "Tokens written by the language model.", 120),
  tts_characters: shown(z.int(), "Characters spoken.", 400),
  stt_seconds: shown(z.number(), "Seconds of speech recognised.", 20.5),
  discarded: z
    .strictObject({
      llm_tokens: shown(z.int(), "Tokens read and written.", 310),
      tts_characters: shown(z.int(), "Characters spoken.", 42),
      stt_seconds: shown(z.number(), "Seconds of speech recognised.", 1.9),
    })
    .describe(
      "Of these, what was begun at the caller's first silence and thrown away because they went on.",
    ),
});

export const CallDetail = z
  .strictObject({
    ...itemShape,
    agent_version: shown(
      z.int().nullable(),
      "Number of the agent's version that ran; null: none was stored.",
      3,
    ),
    transcript: shown(
      z.string().nullable(),
      "Lines `Agent: …` and `Customer: …`; null: none or expired.",
      "Agent: Hello! How can I help you?\nCustomer: When are you open?",
    ),
    turns: z.array(Turn),
    summary: shown(
      z.string().nullable(),
      "One or two sentences.",
      "The caller asked for the hours.",
    ),
    recording_url: shown(
      z.string().nullable(),
      "Signed link to the MP3 that expires after 15 minutes; null: there is none.",
      null,
    ),
    recording_status: shown(
      z.enum(RECORDING_STATUSES),
      "State of the recording. `emailed_deleted`: nothing of it is left but the mail; where an endpoint was told with `recording.ready`, it becomes that when the event's link has expired. With the mail provider `outbox` the mail is a file of the operator, kept for `[mail] outbox_keep_days`. `ready` after the mail: it was too large to attach, and the mail has a link.",
      "ready",
    ),
    answered_by: shown(
      z.enum(["human", "machine", "unknown"]).nullable(),
      "Who answered; null: nobody yet.",
      "human",
    ),
    billing: CallBilling,
    cost_of_goods: z.strictObject({
      stt_eur: optionalEur("Speech recognition."),
      llm_eur: optionalEur("Language model."),
      tts_eur: optionalEur("Speech synthesis."),
      trunk_eur: optionalEur("Carrier."),
      total_eur: optionalEur("Sum of what is known; null: nothing is."),
      discarded_eur: optionalEur("Of the sum, for work that was begun early and thrown away."),
    }),
    usage: CallUsage,
    latency: z.strictObject({
      p50_ms: optionalNumber("Median latency of the agent's turns."),
      p95_ms: optionalNumber("95th percentile."),
    }),
    tool_calls: z.array(ToolCall),
    disclosure: shown(
      Disclosure.nullable(),
      "Proof that the caller was told about AI and recording; null: it was not said.",
      null,
    ),
    messages: shown(z.array(Message), "Messages the caller left.", []),
    transfers: shown(z.array(TransferNote), "Transfers that were tried, in order.", []),
    answering: shown(
      z.array(Answering),
      "Outbound: who was judged to answer; a later entry corrects an earlier one.",
      [],
    ),
    tool_limits: shown(
      z.array(ToolLimit),
      "When the agent had to answer without tools: it had used them three times for one question, or `tool_calls_max` in the call.",
      [],
    ),
    sip: z.strictObject({
      call_id: shown(z.string().nullable(), "Call-ID of the SIP dialog.", null),
      final_code: shown(z.int().nullable(), "Final SIP code.", 200),
      codec: shown(z.string().nullable(), "Audio codec.", "PCMA"),
      packets_lost: shown(z.int().nullable(), "RTP packets lost on the way to us.", 0),
      jitter_ms: optionalNumber("Jitter of the RTP that we received."),
      sent_packets_lost: shown(
        z.int().nullable(),
        "RTP packets lost on the way to the provider, by its receiver reports; null: it sent none.",
        0,
      ),
      sent_jitter_ms: optionalNumber("Jitter of our RTP at the provider, by its receiver reports."),
      round_trip_ms: optionalNumber("Network delay to the provider and back, by RTCP."),
      mos: optionalNumber(
        "Estimated mean opinion score of the worse direction, network delay included, 1 to 4.5.",
      ),
      srtp: shown(
        z.string().nullable(),
        "Encryption of the audio: the SRTP suite, or `none`; null: no audio.",
        "AES_CM_128_HMAC_SHA1_80",
      ),
      line_problems: shown(z.array(LineProblem), "Stretches in which the line was bad.", []),
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
  // One that was cut was said again.
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
    // Where none was made, version 0.1.0 stored an empty text.
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
