/**
 * The `webhooks` section of the OpenAPI document: what is POSTed to a tenant's endpoint (specification 6,
 * decisions.md 10). The examples are made by the builders of the real events.
 */
import { z } from "zod";
import { isoUtc } from "../../core/clock.ts";
import { microEur } from "../../core/money.ts";
import {
  balanceLow,
  callAnswered,
  callBalanceLow,
  callEnded,
  callFailed,
  callStarted,
  dialingStopped,
  recordingReady,
  toolExecuted,
  transcriptCompleted,
} from "../../domain/webhook/catalogue.ts";
import { EVENT_TYPES, type EventDraft, type EventType } from "../../domain/webhook/ports.ts";
import { shown, timeOut } from "../contracts/schema.ts";

type Json = Record<string, unknown>;

const callId = shown(z.uuid(), "The call.", "019aa1b2-0000-7000-8000-000000000001");
const number = (whose: string) =>
  shown(
    z.string().nullable(),
    `${whose} E.164, or a short number; null: withheld.`,
    "+37060000001",
  );
const parties = {
  direction: shown(z.enum(["inbound", "outbound"]), "Who called whom.", "inbound"),
  from_number: number("The caller."),
  to_number: number("The called number."),
  agent_id: shown(z.int().nullable(), "The agent; null: none any more.", 1),
};
const status = shown(z.string(), "State of the call.", "completed");
const endedReason = shown(z.string(), "Why it ended.", "caller_hangup");
const amount = (description: string) => shown(z.number(), `${description} EUR.`, 0.25);

interface EventNotes {
  readonly summary: string;
  readonly data: z.ZodObject;
  readonly example: EventDraft;
}

const CALL = {
  callUuid: "019aa1b2-0000-7000-8000-000000000001",
  direction: "inbound",
  fromNumber: "+37060000001",
  toNumber: "+37052000000",
  agentId: 1,
} as const;
const AT_MS = Date.UTC(2026, 10, 21, 4, 5, 6);

/** Every type, so that none can be forgotten here. */
export const EVENT_NOTES: Readonly<Record<EventType, EventNotes>> = {
  "call.started": {
    summary: "Dialling began, or it rings",
    data: z.strictObject({ call_id: callId, ...parties, status }),
    example: callStarted(CALL, "ringing"),
  },
  "call.answered": {
    summary: "The call was answered",
    data: z.strictObject({
      call_id: callId,
      ...parties,
      status,
      answered_at: timeOut("When it was answered."),
      answered_by: shown(z.enum(["human", "machine", "unknown"]), "Who answered.", "human"),
    }),
    example: callAnswered(CALL, AT_MS, "human"),
  },
  "call.ended": {
    summary: "An answered call is over. Each call ends with this or call.failed, once",
    data: z.strictObject({
      call_id: callId,
      duration_sec: shown(z.int(), "From answer to hang-up, seconds begun.", 42),
      status,
      ...parties,
      ended_reason: endedReason,
      billable_seconds: shown(z.int(), "What is charged for.", 42),
      cost_eur: amount("What the wallet paid."),
    }),
    example: callEnded(
      CALL,
      { status: "completed", reason: "caller_hangup", sipCode: null },
      { billableSeconds: 42, cost: microEur(0) },
      41_200,
    ),
  },
  "call.failed": {
    summary: "A call ended without an answer",
    data: z.strictObject({
      call_id: callId,
      status,
      ended_reason: endedReason,
      sip_code: shown(z.int().nullable(), "SIP status; null: none came.", 486),
      ...parties,
    }),
    example: callFailed(CALL, { status: "busy", reason: "busy", sipCode: 486 }),
  },
  "transcript.completed": {
    summary: "Transcript and summary are ready",
    data: z.strictObject({
      call_id: callId,
      transcript: shown(z.string(), "Lines of `Agent:` and `Customer:`.", "Agent: Hello."),
      summary: shown(z.string(), "One or two sentences.", "The caller booked a visit."),
      language: shown(z.string().nullable(), "Of the conversation.", "en"),
    }),
    example: transcriptCompleted(
      { ...CALL, language: "en" },
      "Agent: Hello.\nCustomer: I would like a visit.",
      "The caller booked a visit.",
    ),
  },
  "recording.ready": {
    summary: "The recording can be fetched",
    data: z.strictObject({
      call_id: callId,
      recording_url: shown(
        z.url(),
        "Signed link that expires.",
        "https://voice.example.com/api/v1/recordings/019aa1b2",
      ),
      duration_sec: shown(z.int(), "Its length.", 42),
      format: shown(z.string(), "Media type's name.", "mp3"),
      expires_at: timeOut("When the link ends."),
    }),
    example: recordingReady(CALL, {
      url: `https://voice.example.com/api/v1/recordings/${CALL.callUuid}?expires=1795233906&signature=${"0".repeat(64)}`,
      ...{ durationMs: 42_000, format: "mp3", expiresAtMs: AT_MS },
    }),
  },
  "tool.executed": {
    summary: "A tool was called. Neither arguments nor answer are told",
    data: z.strictObject({
      call_id: callId,
      tool: shown(z.string(), "Its name.", "find_booking"),
      ok: shown(z.boolean(), "Whether it answered well.", true),
      http_status: shown(z.int().nullable(), "Of its answer; null: none came.", 200),
      duration_ms: shown(z.int(), "How long it took.", 120),
    }),
    example: toolExecuted(CALL, "find_booking", { ok: true, httpStatus: 200, durationMs: 120 }),
  },
  "call.balance_low": {
    summary: "Money for a live call runs low (an addition to the specification)",
    data: z.strictObject({
      call_id: callId,
      ...parties,
      seconds_left: shown(z.int(), "Until the agent says goodbye.", 60),
    }),
    example: callBalanceLow(CALL, 60),
  },
  "balance.low": {
    summary: "The wallet fell below a threshold (an addition to the specification)",
    data: z.strictObject({
      balance_eur: amount("The wallet."),
      threshold_eur: amount("The threshold."),
    }),
    example: balanceLow(microEur(1_900_000), microEur(2_000_000)),
  },
  "dialing.stopped": {
    summary: "Calls to new numbers or countries were stopped (an addition to the specification)",
    data: z.strictObject({
      kind: shown(
        z.enum(["new_numbers", "new_countries"]),
        "What there were many of.",
        "new_numbers",
      ),
      limit: shown(z.int(), "How many are allowed.", 100),
    }),
    example: dialingStopped("new_numbers", 100),
  },
};

const requestHeader = (
  name: string,
  description: string,
  schema: Json,
  example: unknown,
): Json => ({
  ...{ name, in: "header", required: true, description, schema, example },
});

const headersOf = (type: EventType): Json[] => [
  requestHeader("X-LV-Event", "Event type.", { type: "string", const: type }, type),
  requestHeader(
    "X-LV-Delivery-Id",
    "This attempt; a retry has a new one.",
    { type: "string", pattern: "^del_[0-9a-f]{32}$" },
    `del_${"0".repeat(32)}`,
  ),
  requestHeader(
    "X-LV-Timestamp",
    "Unix time in seconds. Reject what is older than five minutes.",
    { type: "string", pattern: "^[0-9]{1,12}$" },
    "1795233906",
  ),
  requestHeader(
    "X-LV-Signature",
    "`v1` is the HMAC-SHA-256 of timestamp, a dot and the raw body, keyed with the signing secret, in hex.",
    { type: "string", pattern: "^t=[0-9]{1,12},v1=[0-9a-f]{64}$" },
    `t=1795233906,v1=${"0".repeat(64)}`,
  ),
];

const envelope = (type: EventType, data: z.ZodObject) =>
  z.strictObject({
    id: shown(z.string(), "The event; the same in every retry.", `evt_${"0".repeat(32)}`),
    type: shown(z.literal(type), "Event type.", type),
    created_at: timeOut("When it happened."),
    data,
  });

/** `show` turns a schema into JSON Schema, as for the answers of the API. */
export function webhooksSection(show: (schema: z.ZodType, io: "output") => Json): Json {
  const delivery = (type: EventType): Json => {
    const { summary, data, example } = EVENT_NOTES[type];
    const value = {
      id: `evt_${"0".repeat(32)}`,
      type,
      created_at: isoUtc(AT_MS),
      data: example.data,
    };
    return {
      post: {
        operationId: `on_${type.replaceAll(".", "_")}`,
        tags: ["Webhooks"],
        summary,
        security: [],
        parameters: headersOf(type),
        requestBody: {
          required: true,
          content: {
            "application/json": { schema: show(envelope(type, data), "output"), example: value },
          },
        },
        responses: {
          "2XX": { description: "Received. Deduplicate on `id`." },
          410: { description: "Switches the webhook off." },
          default: { description: "Anything else is tried again, up to 8 times." },
        },
      },
    };
  };
  return Object.fromEntries(EVENT_TYPES.map((type) => [type, delivery(type)]));
}
