/** Calls (specification 2 and 4, decisions 6). */

import { z } from "zod";
import { spaceSeparatedUtc } from "../../../core/clock.ts";
import { isE164 } from "../../../core/e164.ts";
import { CALL_STATUSES, ENDED_REASONS } from "../../../core/ended-reason.ts";
import { invalidField, notFound } from "../../../core/errors.ts";
import { type MicroEur, microEur, microToEur } from "../../../core/money.ts";
import { wireOf } from "../../../core/wire-names.ts";
import { transcriptOf } from "../../../domain/call/transcript-text.ts";
import type { CallNote } from "../../../domain/conversation/call-report.ts";
import type {
  CallItem as CallItemRow,
  CallRecords,
  CallRow,
  CallTurn,
} from "../../../operations/admin/call-records.ts";
import {
  e164In,
  eurOut,
  field,
  filled,
  flag,
  idIn,
  okReply,
  page,
  shown,
  timeOrNull,
  timeOut,
} from "../../contracts/schema.ts";
import { byteRange } from "../byte-range.ts";
import { contract, type Route, rawRoute, route, WrittenJson } from "../contract.ts";
import type { RecordingLinks } from "../recording-links.ts";
import { createCallTexts } from "./call-texts.ts";
import type { RouteContext } from "./context.ts";
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

const RECORDING_STATUSES = [
  "none",
  "recording",
  "processing",
  "ready",
  "emailed_deleted",
  "expired",
  "failed",
] as const;

const callUuid = shown(z.uuid(), "The call's UUID.", "019aa1b2-0000-7000-8000-000000000001");
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
  to_number: shown(z.string(), "Called number, E.164.", "+37060000002"),
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
  overage_seconds: seconds("Of these, paid by the wallet."),
  overage_eur_per_min: eurOut("Overage price of this call."),
  cost_eur: eurOut("What the wallet paid."),
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

const CallDetail = z
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
    sip: z.strictObject({
      call_id: shown(z.string().nullable(), "Call-ID of the SIP dialog.", null),
      final_code: shown(z.int().nullable(), "Final SIP code.", 200),
      codec: shown(z.string().nullable(), "Audio codec.", "PCMA"),
      packets_lost: shown(z.int().nullable(), "RTP packets lost.", 0),
      jitter_ms: optionalNumber("RTP jitter."),
      mos: optionalNumber("Estimated mean opinion score, 1 to 4.5."),
    }),
  })
  .meta({ id: "Call" });

const day = (description: string) =>
  field(z.iso.date(), {
    description: `${description} UTC.`,
    example: "2026-11-21",
    must: "be a date like 2026-11-21",
  }).optional();

const oneOf = <const Values extends readonly [string, ...string[]]>(
  values: Values,
  description: string,
) =>
  field(z.enum(values), {
    description,
    example: values[0],
    must: `be one of: ${values.join(", ")}`,
  }).optional();

export const callFilter = {
  agent_id: idIn("agents").optional(),
  status: oneOf(CALL_STATUSES, "Only calls in this state."),
  direction: oneOf(["inbound", "outbound"], "Only this direction."),
  from: day("Only calls of this day or later."),
  to: day("Only calls of this day or earlier."),
};

export const listCalls = contract({
  operationId: "listCalls",
  at: "GET /calls",
  cacheable: true,
  tag: "Calls",
  summary: "List calls, newest first",
  description: "Page by raising `offset`; `total` counts all that the filters let through.",
  query: z.strictObject({
    limit: page.limit(25),
    offset: page.offset(),
    ...callFilter,
  }),
  reply: okReply({
    calls: z.array(CallItem),
    total: shown(z.int(), "All calls that match.", 1),
  }),
  errors: ["valid_limit_required", "valid_offset_required"],
});

export const getCall = contract({
  operationId: "getCall",
  at: "GET /calls/{uuid}",
  noun: "call",
  tag: "Calls",
  summary: "One call: transcript, summary, recording, costs",
  reply: okReply({ call: CallDetail }),
});

export const createCall = contract({
  operationId: "createCall",
  at: "POST /calls",
  keyScope: "calls",
  tag: "Calls",
  summary: "Place a call, now or later",
  description:
    "Without `schedule_at` it fires within 60 s. Without `agent_id`: the agent of `from_number`'s number, else the tenant's only agent. A `from_number` that is not the tenant's falls back to the default caller id.",
  body: z
    .strictObject({
      to_number: e164In("Whom to call."),
      agent_id: idIn("agents").nullable().optional(),
      from_number: e164In("Caller id: one of the tenant's numbers.").nullable().optional(),
      schedule_at: field(z.iso.datetime({ offset: true }), {
        description: "When to call: ISO 8601 with `Z` or an offset, at most a year ahead.",
        example: "2026-11-21T04:05:06Z",
        must: "be an ISO 8601 time with Z or an offset, like 2026-11-21T04:05:06Z, not in the past and at most a year ahead",
      })
        .nullable()
        .optional(),
      reason: filled(
        300,
        "What the call is about: told to the agent when the person calls back within 14 days (callback memory).",
        "the appointment on Friday",
      ).optional(),
      sensitive: flag("Tell the reason only to a caller whose number was recognised.")
        .optional()
        .meta({ default: false }),
    })
    .meta({ id: "NewCall" }),
  reply: okReply({
    status: shown(z.enum(["queued_immediate", "scheduled"]), "What was made.", "queued_immediate"),
    call_uuid: callUuid,
    schedule_id: shown(z.int(), "Id of the schedule entry.", 1),
    from_number: shown(z.string(), "The caller id that will be shown.", "+37060000001"),
    scheduled_at: shown(
      z.string().nullable(),
      "UTC, space-separated; null: at once.",
      "2026-11-21 04:05:06",
    ),
  }),
  errors: [
    "valid_to_number_required",
    "valid_agent_id_required",
    "valid_schedule_at_required",
    "insufficient_balance",
    "plan_limit_reached",
    "destination_not_allowed",
    "not_found",
    "unknown_field",
  ],
});

const target = field(
  z
    .string()
    .max(255)
    .regex(
      /^(\+[1-9]\d{6,14}|[Ss][Ii][Pp]:([^\s@<>?",%]|%[0-9A-Fa-f]{2}){1,128}@[A-Za-z0-9.\-[\]:]{1,128})$/,
    ),
  {
    description: "Where to: an E.164 number or a SIP URI.",
    example: "+37060000003",
    must: "be a number in E.164 form or a SIP URI like sip:desk@example.com",
    reason: "transfer_to",
  },
);

export const transferCall = contract({
  operationId: "transferCall",
  at: "POST /calls/{uuid}/transfer",
  keyScope: "calls",
  noun: "call",
  tag: "Calls",
  summary: "Transfer a live call",
  description: "If the transfer fails, the caller returns to the agent.",
  body: z
    .strictObject({
      to: target,
      briefing: field(z.union([z.boolean(), z.string().trim().min(1).max(500)]), {
        description:
          "Attended transfer: what the person hears before the caller is put through. A text, or true for a summary of the call.",
        example: true,
        must: "be true, false, or a text of at most 500 characters",
      }).optional(),
    })
    .meta({ id: "Transfer" }),
  reply: okReply({
    call_uuid: callUuid,
    status: shown(z.literal("transferring"), "Under way.", "transferring"),
    to: shown(z.string(), "Where to.", "+37060000003"),
  }),
  errors: [
    "valid_to_required",
    "conflict",
    "destination_not_allowed",
    "plan_limit_reached",
    "unknown_field",
  ],
});

export const hangUpCall = contract({
  operationId: "hangUpCall",
  at: "POST /calls/{uuid}/hangup",
  keyScope: "calls",
  noun: "call",
  tag: "Calls",
  summary: "End a live call",
  reply: okReply({
    call_uuid: callUuid,
    status: shown(z.enum(CALL_STATUSES), "What became of the call.", "completed"),
  }),
  errors: ["conflict", "unknown_field"],
});

export const getRecording = contract({
  operationId: "getRecording",
  at: "GET /recordings/{uuid}",
  noun: "recording",
  tag: "Calls",
  summary: "A recording, by its signed link",
  description:
    "Needs no key: the address comes from `recording_url`, carries its signature and expires. Answers Range requests with 206.",
  open: true,
  query: z.strictObject({
    expires: field(z.int().positive(), {
      description: "Unix time at which the link ends.",
      example: 1795233906,
      must: "be as in the signed link",
    }),
    signature: field(z.string().max(128), {
      description: "HMAC of the link.",
      example: "0".repeat(64),
      must: "be as in the signed link",
    }),
  }),
  reply: z.string().meta({ format: "binary" }),
  replyType: "audio/mpeg",
  errors: ["valid_expires_required", "valid_signature_required", "not_found"],
});

const DAY_MS = 86_400_000;

export const presentItem = (call: CallItemRow) =>
  wireOf(CallItem, call, {
    from_number: call.fromNumber || null,
    cost_eur: microToEur(call.cost),
  });

type Conversation = Awaited<ReturnType<CallRecords["conversation"]>>;

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

function presentDetail({ call, turns, toolCalls, notes }: Conversation, links: RecordingLinks) {
  const hasRecording = call.recordingStatus === "ready" && call.recordingFile !== null;
  return {
    ...presentItem(call),
    agent_version: call.agentVersion,
    transcript: turns.length === 0 ? null : transcriptOf(turns),
    turns: turns.map(presentTurn),
    summary: call.summary,
    recording_url: hasRecording ? links.urlFor(call.callUuid).url : null,
    recording_status: call.recordingStatus,
    answered_by: call.answeredBy,
    billing: wireOf(CallBilling, call, {
      overage_eur_per_min: microToEur(call.overageRate),
      cost_eur: microToEur(call.cost),
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
      mos: call.mos,
    },
  };
}

/** UTC days, `to` included. */
const dayStart = (day: string | undefined) => (day === undefined ? undefined : Date.parse(day));
const dayEnd = (day: string | undefined) =>
  day === undefined ? undefined : Date.parse(day) + DAY_MS;

export const filterOf = (query: z.output<z.ZodObject<typeof callFilter>>) => ({
  agentId: query.agent_id,
  status: query.status,
  direction: query.direction,
  fromMs: dayStart(query.from),
  toMs: dayEnd(query.to),
});

const callRecordRoutes = ({ dependencies, recordingLinks }: RouteContext): Route[] => {
  const { callRecords } = dependencies.services;
  const texts = createCallTexts(callRecords, (call) => JSON.stringify(presentItem(call)));
  return [
    route(listCalls)(async ({ tenantId, query }) => {
      const filter = filterOf(query);
      // A database server is asked once: what is saved here is less than a round trip.
      if (dependencies.isStoreRemote) {
        const { calls, total } = await callRecords.list(tenantId, filter, query);
        return { ok: true, calls: calls.map(presentItem), total };
      }
      const { calls, total } = await texts.page(tenantId, filter, query);
      return new WrittenJson(`{"ok":true,"calls":[${calls.join()}],"total":${total}}`);
    }),
    route(getCall)(async ({ tenantId, params }) => ({
      ok: true,
      call: presentDetail(await callRecords.conversation(tenantId, params.uuid), recordingLinks),
    })),
  ];
};

const callControlRoutes = ({ dependencies: { calls, services } }: RouteContext): Route[] => [
  route(createCall)(async ({ tenantId, body }) => {
    const { to_number: toNumber, from_number: fromNumber, schedule_at: scheduleAt } = body;
    if (!isE164(toNumber))
      throw invalidField("to_number", "`to_number` must be E.164.", { reason: "number" });
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
  route(transferCall)(async ({ tenantId, params, body }) => {
    const { briefing } = body;
    await calls.transfer(tenantId, params.uuid, body.to, briefing === false ? null : briefing);
    return { ok: true, call_uuid: params.uuid, status: "transferring", to: body.to };
  }),
  route(hangUpCall)(async ({ tenantId, params }) => {
    await calls.hangUp(tenantId, params.uuid);
    const { status } = await services.callRecords.get(tenantId, params.uuid);
    return { ok: true, call_uuid: params.uuid, status };
  }),
];

export const callRoutes = (context: RouteContext): Route[] => [
  ...callRecordRoutes(context),
  ...callControlRoutes(context),
];

export const recordingRoutes = ({ dependencies, recordingLinks }: RouteContext) => {
  const { services, recordings } = dependencies;

  async function pathOf(callUuid: string): Promise<string> {
    const stored = await services.callRecords.linkedRecordingFile(callUuid);
    const path = stored === null ? null : await recordings.locate(stored);
    if (path === null) throw notFound("recording");
    return path;
  }

  return [
    rawRoute(getRecording)(async ({ params, query, http }) => {
      if (!recordingLinks.verify(params.uuid, query.expires, query.signature))
        throw notFound("recording");
      return recordingResponse(await pathOf(params.uuid), params.uuid, http);
    }),
  ];
};

/** The MP3, or the part of it that is asked for. */
export function recordingResponse(path: string, callUuid: string, request: Request): Response {
  const file = Bun.file(path);
  const headers = {
    "content-type": "audio/mpeg",
    "accept-ranges": "bytes",
    "cache-control": "private, no-store",
    "content-disposition": `inline; filename="${callUuid}.mp3"`,
  };
  const range = byteRange(request.headers.get("range"), file.size);
  if (range.kind === "unsatisfiable")
    return new Response(null, {
      status: 416,
      headers: { ...headers, "content-range": `bytes */${file.size}` },
    });
  if (range.kind === "whole") return new Response(file, { headers });
  return new Response(file.slice(range.start, range.end + 1, "audio/mpeg"), {
    status: 206,
    headers: { ...headers, "content-range": `bytes ${range.start}-${range.end}/${file.size}` },
  });
}
