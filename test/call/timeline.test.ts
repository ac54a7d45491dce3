import { expect, test } from "bun:test";
import { stagesOf, timelineOf } from "../../src/call/timeline.ts";

const measures = {
  endpointMs: 350,
  sttFinalMs: 420,
  firstTokenMs: 430,
  firstAudioMs: 520,
  firstPacketMs: 540,
  early: false,
};

test("stages are the times between milestones and add up to the whole latency", () => {
  const stages = stagesOf(measures);
  expect(stages).toEqual({
    endpointingMs: 350,
    sttMs: 70,
    llmFirstMs: 10,
    ttsFirstMs: 90,
    playoutMs: 20,
  });
  const sum = Object.values(stages ?? {}).reduce<number>((total, step) => total + (step ?? 0), 0);
  expect(sum).toBe(540);
});

test("steps started before the end of the silence have no negative duration", () => {
  const early = { ...measures, sttFinalMs: 300, firstTokenMs: 320, firstAudioMs: 340, early: true };
  const stages = stagesOf(early);
  expect(stages).toEqual({
    endpointingMs: 350,
    sttMs: 0,
    llmFirstMs: 0,
    ttsFirstMs: 0,
    playoutMs: 190,
  });
  expect(stagesOf(null)).toBeNull();
});

test("an unmeasured step is null, and the next one counts from the last known milestone", () => {
  const spoken = { ...measures, sttFinalMs: null, firstTokenMs: null };
  expect(stagesOf(spoken)).toMatchObject({ sttMs: null, llmFirstMs: null, ttsFirstMs: 170 });
});

test("without an earlier milestone, a step counts from its own first milliseconds", () => {
  const none = { endpointMs: null, sttFinalMs: null, firstTokenMs: null, firstAudioMs: null };
  const at = { ...measures, ...none, firstPacketMs: 30 };
  expect(stagesOf({ ...at, sttFinalMs: 2, firstTokenMs: 5 })).toMatchObject({ llmFirstMs: 3 });
  expect(stagesOf({ ...at, firstTokenMs: 2, firstAudioMs: 5 })).toMatchObject({ ttsFirstMs: 3 });
  expect(stagesOf({ ...at, firstAudioMs: 2 })).toMatchObject({ playoutMs: 28 });
});

test("a turn with unmeasured silence begins its steps with its latency", () => {
  const call = { zeroMs: 0, createdAt: 0, answeredAt: null, endedAt: null };
  const turn = {
    speaker: "agent" as const,
    text: "Yes.",
    startMs: 1_000,
    endMs: 2_000,
    latencyMs: 90,
    measures: { ...measures, endpointMs: null, sttFinalMs: null, firstTokenMs: 2, firstAudioMs: 8 },
  };
  const spans = timelineOf({ ...call, turns: [turn], toolCalls: [], sip: [], notes: [] });
  expect(spans.map(({ lane, startMs }) => [lane, startMs])).toEqual([
    ["tts", 910],
    ["agent", 1_000],
  ]);
});

test("a turn that answers no question has no steps before its words", () => {
  const call = { zeroMs: 0, createdAt: 0, answeredAt: null, endedAt: null };
  const greeting = {
    speaker: "agent" as const,
    text: "Hello.",
    startMs: 1_000,
    endMs: 2_000,
    latencyMs: null,
    measures,
  };
  const spans = timelineOf({ ...call, turns: [greeting], toolCalls: [], sip: [], notes: [] });
  expect(spans.map(({ lane }) => lane)).toEqual(["agent"]);
});

test("all entries of a call use one clock that starts at the answer", () => {
  const spans = timelineOf({
    zeroMs: 10_000,
    createdAt: 8_000,
    answeredAt: 10_000,
    endedAt: 20_000,
    turns: [
      {
        speaker: "agent",
        text: "From nine.",
        startMs: 3_000,
        endMs: 4_000,
        latencyMs: 540,
        measures,
      },
      {
        speaker: "customer",
        text: "When?",
        startMs: 1_000,
        endMs: 2_460,
        latencyMs: null,
        measures: null,
      },
    ],
    toolCalls: [{ tool: "find", durationMs: 100, createdAt: 13_500 }],
    sip: [{ atMs: 8_010, direction: "in", line: "INVITE (1 INVITE)", detail: null }],
    notes: [{ kind: "transfer", atMs: 9_000, to: "+37060000001", method: "refer", ...over() }],
  });
  expect(spans.map(({ lane, startMs, endMs }) => [lane, startMs, endMs])).toEqual([
    ["sip", -2_000, 0],
    ["sip", -1_990, -1_990],
    ["caller", 1_000, 2_460],
    ["stt", 2_810, 2_880],
    ["llm", 2_880, 2_890],
    ["tts", 2_890, 2_980],
    ["agent", 3_000, 4_000],
    ["tool", 3_400, 3_500],
    ["sip", 9_000, 9_000],
  ]);
  expect(JSON.stringify(spans)).not.toContain("+370");
});

const over = () => ({ outcome: "transferred" as const, sipCode: 200 });
