/** Expectations on a rehearsed call: each failure names the turn at which it shows. */
import { expect, test } from "bun:test";
import { failuresOf } from "../../../src/domain/rehearsal/expectations.ts";
import { readScenario } from "../../../src/domain/rehearsal/read-scenario.ts";
import type { RehearsedCall, RehearsedTurn } from "../../../src/domain/rehearsal/rehearsed-call.ts";
import { junitXml } from "../../../src/domain/rehearsal/report.ts";

const turn = (
  index: number,
  text: string,
  startMs: number,
  endMs: number,
  latencyMs: number | null = null,
): RehearsedTurn => ({
  ...{ index, text, startMs, endMs, latencyMs, interrupted: false },
  speaker: index % 2 === 0 ? "agent" : "customer",
});

const CALL: RehearsedCall = {
  turns: [
    turn(0, "Hello.", 0, 1_000),
    turn(1, "What does it cost?", 2_000, 3_000),
    turn(2, "Sixty euros.", 4_500, 5_500, 1_500),
    turn(3, "Check my appointment, please.", 6_000, 9_000),
    turn(4, "On Tuesday.", 8_000, 9_500, 300),
  ],
  steps: [
    { step: 0, atMs: 2_000 },
    { step: 1, atMs: 6_000 },
  ],
  tools: [
    {
      ...{ tool: "check", ok: true, output: null, atMs: 7_000, durationMs: 100 },
      arguments: { number: "4172", who: { name: "Jonas", old: true } },
    },
  ],
  transfers: [{ target: "reception", outcome: "busy", atMs: 9_600 }],
  messages: [{ text: "Call me back.", atMs: 9_700 }],
  languages: [],
  interruptions: [{ atMs: 5_000, silentAfterMs: 900 }],
  ...{ unanswered: [], endedReason: "agent_hangup", durationMs: 10_000 },
  ...{ language: "en", day: "2026-11-23", recording: null },
};

const failing = (source: string) =>
  failuresOf(readScenario("a.yaml", `name: A\n${source}`), CALL).map(
    ({ turn: at, expected, found }) => [at, expected, found],
  );

test("what an answer must say is looked for in that answer, by value", () => {
  const script = (must: string) =>
    `script:\n  - say: What does it cost?\n    must: [${must}]\n  - say: Check my appointment, please.\n    must: [{says: {date: 2026-11-24}}]\n`;
  expect(failing(script("{says: {money: 60 EUR}}"))).toEqual([]);
  expect(failing(script("{says: {money: 40 EUR}}"))).toEqual([
    [2, "says 40 EUR", 'the agent said "Sixty euros."'],
  ]);
  expect(failing(script("on tuesday"))).toEqual([
    [2, 'says "on tuesday"', 'the agent said "Sixty euros."'],
  ]);
});

test("tools, transfers, messages and the end are compared; a part of the arguments is enough", () => {
  const of = (must: string) => failing(`script:\n  - hang_up: true\nmust: [${must}]\n`);
  expect(of("{tool: check, with: {who: {name: Jonas}}}")).toEqual([]);
  expect(of('{tool: check, with: {number: "9999"}}')[0]?.[0]).toBe(3);
  expect(of("{tool: other}")[0]?.[2]).toBe("other was not called");
  expect(of("{transferred_to: reception}")[0]?.[2]).toBe("transfer to reception: busy");
  expect(of("{message: call me back}, {ended: agent_hangup}, {language: en}")).toEqual([]);
  expect(of("{ended: transferred}, {language: lt}")).toHaveLength(2);
  expect(failing("script:\n  - hang_up: true\nnever: [sixty]\n")[0]?.[0]).toBe(2);
});

test("limits: latency, dead air, interruptions of either side, turns", () => {
  const of = (limits: string) => failing(`script: [{hang_up: true}]\nlimits: {${limits}}\n`);
  expect(of("latency_p95_ms: 1500, dead_air_ms: 1500, turns: 5")).toEqual([]);
  expect(of("latency_p95_ms: 1000")).toEqual([[2, "answers within 1000 ms (p95)", "1500 ms"]]);
  expect(of("dead_air_ms: 1000")[0]?.[0]).toBe(2);
  expect(of("turns: 4")[0]?.[0]).toBe(4);
  expect(of("silent_after_interruption_ms: 800")[0]?.[0]).toBe(2);
  expect(of("never_interrupts: true")[0]?.[0]).toBe(4);
});

test("a step that was never reached fails, and JUnit carries turn and transcript", () => {
  const scenario = readScenario(
    "a.yaml",
    "name: A & B\nscript:\n  - say: One\n  - say: Two\n  - say: Three\n    must: [x]\n",
  );
  const failures = failuresOf(scenario, CALL);
  expect(failures[0]?.expected).toBe("step 3 is reached");
  const agent = { name: "Desk", id: null, version: null };
  const result = { name: scenario.name, run: 1, agent, failures, call: CALL };
  const xml = junitXml({ results: [result], scenarios: 1, runs: 1, passed: 0 }, "clinic");
  expect(xml).toContain('<testsuite name="clinic" tests="1" failures="1">');
  expect(xml).toContain('name="A &amp; B"');
  expect(xml).toContain("turn 5: expected: step 3 is reached");
  expect(xml).toContain("3. Agent: Sixty euros.");
});
