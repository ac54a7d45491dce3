/** The stored turns of a call: speaker, time, and interruptions. */
import { expect, test } from "bun:test";
import type { TurnRecord } from "../../src/conversation/call-report.ts";
import { Transcript } from "../../src/conversation/transcript.ts";

function transcriptOf() {
  const told: TurnRecord[] = [];
  const transcript = new Transcript((turn) => told.push(turn));
  transcript.answered(1_000);
  return { transcript, told };
}

test("a caller's turn never counts as interrupted, and has no latency", () => {
  const { transcript, told } = transcriptOf();
  transcript.caller({ text: "hello", beganAt: 1_500.4, endedAt: 2_000.6 });
  expect(told).toEqual([
    {
      index: 0,
      speaker: "customer",
      text: "hello",
      startMs: 500,
      endMs: 1_001,
      interrupted: false,
      latencyMs: null,
    },
  ]);
  expect(transcript.turns).toEqual(told);
});

test("a turn from before the answer starts at the answer, and none ends before its start", () => {
  const { transcript, told } = transcriptOf();
  transcript.caller({ text: "hello", beganAt: 900, endedAt: 950 });
  expect(told).toMatchObject([{ startMs: 0, endMs: 0 }]);
});

test("an agent's turn that nobody heard is left out", () => {
  const { transcript, told } = transcriptOf();
  const turn = { beganAt: 1_100, endedAt: 1_200, latencyMs: 80, measures: null };
  transcript.agent({ ...turn, text: "", interrupted: true });
  transcript.agent({ ...turn, text: "Good", interrupted: true });
  expect(told).toMatchObject([{ index: 0, speaker: "agent", interrupted: true, latencyMs: 80 }]);
});
