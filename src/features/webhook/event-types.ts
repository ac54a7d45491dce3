/**
 * The event catalogue: each type with its data, an example and its purpose. The list of types, the API
 * document, the dashboard's list and the table of docs/webhooks.md are generated from it.
 */
import { z } from "zod";
import { shown, timeOut } from "../../core/schema.ts";

interface EventEntry<Data extends z.ZodObject = z.ZodObject> {
  /** `specification` for the seven of section 6, else the first version that sends it. */
  readonly since: "specification" | `${number}.${number}.${number}`;
  readonly summary: string;
  /** An unset value is null, never a missing key. */
  readonly data: Data;
  readonly example: z.input<Data>;
}

/** Keeps the exact type of the schema. */
const event = <Data extends z.ZodObject>(entry: EventEntry<Data>): EventEntry<Data> => entry;

const EXAMPLE_CALL_ID = "019aa1b2-0000-7000-8000-000000000001";
const call_id = shown(z.uuid(), "UUID of the call.", EXAMPLE_CALL_ID);
const status = shown(z.string(), "Status of the call.", "completed");
const ended_reason = shown(z.string(), "Reason that ended the call.", "caller_hangup");
const amount = (description: string) => shown(z.number(), `${description} EUR.`, 0.25);
const number = (whose: string) =>
  shown(
    z.string().nullable(),
    `${whose} E.164, or a short number. \`null\` if withheld.`,
    "+37060000001",
  );
const parties = {
  direction: shown(z.enum(["inbound", "outbound"]), "Direction of the call.", "inbound"),
  from_number: number("Number of the caller:"),
  to_number: number("Called number:"),
  agent_id: shown(z.int().nullable(), "Id of the agent. `null` if it was deleted.", 1),
};
const exampleParties = {
  direction: "inbound",
  from_number: "+37060000001",
  to_number: "+37052000000",
  agent_id: 1,
} as const;

export const EVENTS = {
  "call.started": event({
    since: "specification",
    summary: "A call was dialled, or is ringing",
    data: z.strictObject({ call_id, ...parties, status }),
    example: { call_id: EXAMPLE_CALL_ID, ...exampleParties, status: "ringing" },
  }),
  "call.answered": event({
    since: "specification",
    summary: "The call was answered",
    data: z.strictObject({
      call_id,
      ...parties,
      status,
      answered_at: timeOut("Time of the answer."),
      answered_by: shown(
        z.enum(["human", "machine", "unknown"]),
        "Who answered: a person, a machine, or not known.",
        "human",
      ),
    }),
    example: {
      call_id: EXAMPLE_CALL_ID,
      ...exampleParties,
      status: "in_progress",
      answered_at: "2026-11-21T04:05:06+00:00",
      answered_by: "human",
    },
  }),
  "call.ended": event({
    since: "specification",
    summary: "An answered call has ended. Each call sends this or call.failed, once",
    data: z.strictObject({
      call_id,
      duration_sec: shown(z.int(), "Time from the answer to the end, in seconds, rounded up.", 42),
      status,
      ...parties,
      ended_reason,
      billable_seconds: shown(
        z.int(),
        "Seconds charged. At least 15 for an answered call, otherwise 0.",
        42,
      ),
      cost_eur: amount("Amount charged to the wallet."),
    }),
    example: {
      call_id: EXAMPLE_CALL_ID,
      duration_sec: 42,
      status: "completed",
      ...exampleParties,
      ended_reason: "caller_hangup",
      billable_seconds: 42,
      cost_eur: 0,
    },
  }),
  "call.failed": event({
    since: "specification",
    summary: "A call ended without an answer, or was interrupted because the appliance stopped",
    data: z.strictObject({
      call_id,
      status,
      ended_reason,
      sip_code: shown(z.int().nullable(), "Final SIP status code. `null` if there was none.", 486),
      ...parties,
    }),
    example: {
      call_id: EXAMPLE_CALL_ID,
      status: "busy",
      ended_reason: "busy",
      sip_code: 486,
      ...exampleParties,
    },
  }),
  "transcript.completed": event({
    since: "specification",
    summary: "Transcript and summary are ready",
    data: z.strictObject({
      call_id,
      transcript: shown(
        z.string().nullable(),
        "Transcript as lines `Agent: …` and `Customer: …`. `null` if nothing was said or understood.",
        "Agent: Hello.",
      ),
      summary: shown(
        z.string().nullable(),
        "Summary in one or two sentences. `null` if there is none.",
        "The caller booked a visit.",
      ),
      language: shown(
        z.string().nullable(),
        "Language of the conversation. `null` if the call had no agent.",
        "en",
      ),
    }),
    example: {
      call_id: EXAMPLE_CALL_ID,
      transcript: "Agent: Hello.\nCustomer: I would like a visit.",
      summary: "The caller booked a visit.",
      language: "en",
    },
  }),
  "recording.ready": event({
    since: "specification",
    summary: "The recording can be downloaded",
    data: z.strictObject({
      call_id,
      recording_url: shown(
        z.url(),
        "Signed link to the recording. Expires at `expires_at`.",
        "https://voice.example.com/api/v1/recordings/019aa1b2",
      ),
      duration_sec: shown(z.int(), "Length of the recording in seconds.", 42),
      format: shown(z.string(), "Audio format.", "mp3"),
      expires_at: timeOut("Time when the link expires."),
    }),
    example: {
      call_id: EXAMPLE_CALL_ID,
      recording_url: `https://voice.example.com/api/v1/recordings/${EXAMPLE_CALL_ID}?expires=1795233906&signature=${"0".repeat(64)}`,
      duration_sec: 42,
      format: "mp3",
      expires_at: "2026-11-21T04:05:06+00:00",
    },
  }),
  "tool.executed": event({
    since: "specification",
    summary: "A tool was called. Arguments and response are not included",
    data: z.strictObject({
      call_id,
      tool: shown(z.string(), "Name of the tool.", "find_booking"),
      ok: shown(z.boolean(), "Whether the tool call succeeded.", true),
      http_status: shown(
        z.int().nullable(),
        "HTTP status of the response. `null` if there was none.",
        200,
      ),
      duration_ms: shown(z.int(), "Duration in ms.", 120),
    }),
    example: {
      call_id: EXAMPLE_CALL_ID,
      tool: "find_booking",
      ok: true,
      http_status: 200,
      duration_ms: 120,
    },
  }),
  "call.balance_low": event({
    since: "0.1.0",
    summary: "Plan and wallet cover only 60 more seconds. Sent once per call",
    data: z.strictObject({
      call_id,
      ...parties,
      seconds_left: shown(z.int(), "Seconds until the agent ends the call.", 60),
    }),
    example: { call_id: EXAMPLE_CALL_ID, ...exampleParties, seconds_left: 60 },
  }),
  "balance.low": event({
    since: "0.1.0",
    summary:
      "The wallet fell below a threshold of `[payments] low_balance_eur`. Sent with an email",
    data: z.strictObject({
      balance_eur: amount("Wallet balance."),
      threshold_eur: amount("Threshold that was crossed."),
    }),
    example: { balance_eur: 1.9, threshold_eur: 2 },
  }),
  "dialing.stopped": event({
    since: "0.2.0",
    summary:
      "Calls to many new numbers (within an hour) or new countries (within a day) were stopped. Sent at most once per day, with an email",
    data: z.strictObject({
      kind: shown(
        z.enum(["new_numbers", "new_countries"]),
        "Kind of the new destinations.",
        "new_numbers",
      ),
      limit: shown(z.int(), "Maximum number of new destinations.", 100),
    }),
    example: { kind: "new_numbers", limit: 100 },
  }),
};

export type EventType = keyof typeof EVENTS;
/** The data of an event of this type. */
export type EventData<Type extends EventType> = z.input<(typeof EVENTS)[Type]["data"]>;

/** In the order of the catalogue. */
export const EVENT_TYPES = Object.keys(EVENTS) as [EventType, ...EventType[]];
/** All other types are additions, sent only to webhooks that select them. */
export const SPECIFIED_EVENT_TYPES = EVENT_TYPES.filter(
  (type) => EVENTS[type].since === "specification",
);
