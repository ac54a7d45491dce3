import { expect, test } from "bun:test";
import { type TracedCall, traceOfCall } from "../../src/ops/tracing/call-spans.ts";

const UUID = "0199f0a0-1111-7222-8333-444455556666";
const CALL: TracedCall = {
  callUuid: UUID,
  direction: "inbound",
  tenantId: 7,
  agentId: 3,
  sipCallId: "abc@carrier",
  beganMs: 10_000,
  ringingMs: null,
  answeredMs: 10_400,
  endedMs: 20_000,
  settledMs: 20_150,
  status: "completed",
  reason: "caller_hangup",
  sipCode: null,
  fault: null,
  turns: [
    { speaker: "customer", text: "Are you open?", startMs: 1000, endMs: 2000, latencyMs: null },
    {
      speaker: "agent",
      text: "Yes.",
      startMs: 2600,
      endMs: 3000,
      latencyMs: 600,
      measures: {
        endpointMs: 350,
        sttFinalMs: 400,
        firstTokenMs: 470,
        firstAudioMs: 560,
        firstPacketMs: 600,
        early: false,
      },
    },
  ],
  tools: [{ tool: "book", ok: false, httpStatus: 502, startMs: 12_700, endMs: 12_900 }],
  media: { codec: "PCMA", packetsReceived: 500, packetsLost: 1, jitterMs: 2.5, mos: 4.3 },
};

const config = (call: TracedCall) =>
  traceOfCall(call).spans.map(({ name, startMs, endMs, parent }) => [name, startMs, endMs, parent]);

test("a call's id is its trace's", () => {
  expect(traceOfCall(CALL).traceId).toBe("0199f0a01111722283334444" + "55556666");
});

test("an answer's steps are its child spans, from the caller's last word to the agent's first", () => {
  expect(config(CALL)).toEqual([
    ["call inbound", 10_000, 20_150, null],
    ["setup", 10_000, 10_400, 0],
    ["turn customer", 11_400, 12_400, 0],
    ["turn agent", 12_400, 13_400, 0],
    ["endpointing", 12_400, 12_750, 3],
    ["stt", 12_750, 12_800, 3],
    ["llm", 12_800, 12_870, 3],
    ["tts", 12_870, 12_960, 3],
    ["playout", 12_960, 13_000, 3],
    ["speech", 13_000, 13_400, 3],
    ["tool book", 12_700, 12_900, 0],
    ["hang-up", 20_000, 20_150, 0],
  ]);
});

test("a failed tool and a failed call are errors, a caller who hangs up is not", () => {
  const errors = (call: TracedCall) =>
    traceOfCall(call).spans.flatMap(({ name, error }) =>
      error === null ? [] : [`${name}: ${error}`],
    );
  expect(errors(CALL)).toEqual(["tool book: tool_failed"]);
  const failed = { ...CALL, status: "failed", reason: "carrier_error", tools: [] };
  expect(errors(failed)).toEqual(["call inbound: carrier_error"]);
});

test("an unanswered call has a set-up, an end, and no turn", () => {
  const silent = { ...CALL, answeredMs: null, turns: [], tools: [], media: null };
  expect(config(silent).map(([name]) => name)).toEqual(["call inbound", "setup", "hang-up"]);
  expect(config(silent)[1]).toEqual(["setup", 10_000, 20_000, 0]);
});

test("a trace contains no spoken word", () => {
  expect(JSON.stringify(traceOfCall(CALL))).not.toMatch(/open|Yes/);
});
