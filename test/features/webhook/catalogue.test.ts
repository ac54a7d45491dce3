import { describe, expect, test } from "bun:test";
import { microEur } from "../../../src/core/money.ts";
import {
  balanceLow,
  callAnswered,
  callBalanceLow,
  callEnded,
  callFailed,
  callStarted,
  eventDraft,
  recordingReady,
  testCallEnded,
  toolExecuted,
  transcriptCompleted,
} from "../../../src/features/webhook/catalogue.ts";
import {
  EVENT_TYPES,
  EVENTS,
  SPECIFIED_EVENT_TYPES,
} from "../../../src/features/webhook/event-types.ts";

const call = {
  callUuid: "019aa3c1-7a10-7abc-8def-0123456789ab",
  direction: "outbound" as const,
  fromNumber: "+37052000000",
  toNumber: "+37060000001",
  agentId: 7,
  language: "lt",
};
const ending = { status: "no_answer", reason: "no_answer", sipCode: 480 };
const at = Date.parse("2026-11-21T04:05:06.789Z");
const charge = { billableSeconds: 15, cost: microEur(30_000) };

/** Decisions 10, field by field. */
const FIELDS: Readonly<Record<string, string>> = {
  "call.started": "call_id direction from_number to_number agent_id status",
  "call.answered":
    "call_id direction from_number to_number agent_id status answered_at answered_by",
  "call.ended":
    "call_id duration_sec status direction from_number to_number agent_id ended_reason billable_seconds cost_eur",
  "call.failed": "call_id status ended_reason sip_code direction from_number to_number agent_id",
  "transcript.completed": "call_id transcript summary language",
  "recording.ready": "call_id recording_url duration_sec format expires_at",
  "tool.executed": "call_id tool ok http_status duration_ms",
};

const recording = { url: "https://x/1", durationMs: 9600, format: "mp3", expiresAtMs: at };
const drafts = [
  callStarted(call, "dialing"),
  callAnswered(call, at),
  callEnded(call, { ...ending, status: "completed" }, charge, 9001),
  callFailed(call, ending),
  transcriptCompleted(call, "Agent: Hello.", "A greeting."),
  recordingReady(call, recording),
  toolExecuted(call, "book_visit", { ok: false, httpStatus: null, durationMs: 12.4 }),
];

describe("the event catalogue", () => {
  test("has all seven types with exactly the decided fields", () => {
    expect(drafts.map((draft) => draft.type).sort()).toEqual([...SPECIFIED_EVENT_TYPES].sort());
    for (const draft of drafts) {
      EVENTS[draft.type].data.parse(draft.data);
      expect(Object.keys(draft.data).sort()).toEqual((FIELDS[draft.type] ?? "").split(" ").sort());
      expect(draft).toMatchObject({ callUuid: call.callUuid, agentId: 7 });
    }
  });

  test("adds only the low-balance and stopped-traffic events to the seven", () => {
    const added = [
      callBalanceLow(call, 59.9),
      balanceLow(microEur(7_500_000), microEur(1e7)),
      eventDraft("dialing.stopped", null, { kind: "new_countries", limit: 3 }),
    ];
    expect([...SPECIFIED_EVENT_TYPES, ...added.map((draft) => draft.type)]).toEqual([
      ...EVENT_TYPES,
    ]);
    expect(added.map((draft) => draft.data)).toEqual([
      {
        call_id: call.callUuid,
        direction: "outbound",
        agent_id: 7,
        seconds_left: 59,
        from_number: "+37052000000",
        to_number: "+37060000001",
      },
      { balance_eur: 7.5, threshold_eur: 10 },
      { kind: "new_countries", limit: 3 },
    ]);
    expect(added[1]).toMatchObject({ callUuid: null, agentId: null });
  });

  test("times are ISO 8601 with offset, durations whole seconds or milliseconds, money EUR", () => {
    const [, answered, ended, , , ready, tool] = drafts;
    expect(answered?.data).toMatchObject({
      answered_at: "2026-11-21T04:05:06+00:00",
      answered_by: "unknown",
    });
    expect(ended?.data).toMatchObject({ duration_sec: 10, billable_seconds: 15, cost_eur: 0.03 });
    expect(ready?.data).toMatchObject({
      duration_sec: 10,
      expires_at: "2026-11-21T04:05:06+00:00",
    });
    expect(tool?.data).toMatchObject({ duration_ms: 12, http_status: null });
  });

  test("a withheld number is null", () => {
    const withheld = { ...call, fromNumber: "" };
    expect(callStarted(withheld, "ringing").data.from_number).toBeNull();
  });

  test("a test event has the shape of a real call.ended without a number", () => {
    const data = testCallEnded(call.callUuid);
    expect(Object.keys(data).sort()).toEqual((FIELDS["call.ended"] ?? "").split(" ").sort());
    expect(JSON.stringify(data)).not.toContain("+");
    const talk = { status: "completed", ended_reason: "caller_hangup", direction: "inbound" };
    const nobody = { from_number: null, to_number: null, agent_id: null };
    expect(data).toEqual({
      call_id: call.callUuid,
      ...talk,
      ...nobody,
      duration_sec: 42,
      billable_seconds: 42,
      cost_eur: 0,
    } as typeof data);
  });
});
