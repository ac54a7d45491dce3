/** Expectations on a rehearsed call: each failure names the turn where it shows. */
import { expect, test } from "bun:test";
import { failuresOf, percentile } from "../../../src/features/rehearsal/expectations.ts";
import { readScenario } from "../../../src/features/rehearsal/read-scenario.ts";
import {
  NOT_LIVE,
  type RehearsedCall,
  type RehearsedTurn,
} from "../../../src/features/rehearsal/rehearsed-call.ts";
import { junitXml, resultLines, summaryLine } from "../../../src/features/rehearsal/report.ts";

const turn = (
  index: number,
  text: string,
  startMs: number,
  endMs: number,
  latencyMs: number | null = null,
): RehearsedTurn => ({
  index,
  text,
  startMs,
  endMs,
  latencyMs,
  interrupted: false,
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
      tool: "check",
      ok: true,
      output: null,
      atMs: 7_000,
      durationMs: 100,
      arguments: { number: "4172", who: { name: "Jonas", old: true } },
    },
  ],
  transfers: [{ target: "reception", outcome: "busy", atMs: 9_600 }],
  messages: [{ text: "Call me back.", atMs: 9_700 }],
  languages: [],
  interruptions: [{ atMs: 5_000, silentAfterMs: 900 }],
  unanswered: [],
  endedReason: "agent_hangup",
  durationMs: 10_000,
  language: "en",
  day: "2026-11-23",
  recording: null,
};

const failing = (source: string) =>
  failuresOf(readScenario("a.yaml", `name: A\n${source}`), CALL).map(
    ({ turn: at, expected, found }) => [at, expected, found],
  );

test("required words are searched in the step's own answer, by value", () => {
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

test("tools, transfers, messages and the end are compared; partial arguments are enough", () => {
  const of = (must: string) => failing(`script:\n  - hang_up: true\nmust: [${must}]\n`);
  expect(of("{tool: check, with: {who: {name: Jonas}}}")).toEqual([]);
  expect(of('{tool: check, with: {number: "9999"}}')[0]?.[0]).toBe(3);
  expect(of("{tool: other}")[0]?.[2]).toBe("other was not called");
  expect(of("{transferred_to: reception}")[0]?.[2]).toBe("transfer to reception: busy");
  expect(of("{message: call me back}, {ended: agent_hangup}, {language: en}")).toEqual([]);
  expect(of("{ended: transferred}, {language: lt}")).toHaveLength(2);
  expect(failing("script:\n  - hang_up: true\nnever: [sixty]\n")[0]?.[0]).toBe(2);
});

test("a tool call without an answer in the scenario fails at the turn of the call", () => {
  const [tool] = CALL.tools;
  if (!tool) throw new Error("there is no tool");
  const asked = (error: string) =>
    failuresOf(readScenario("a.yaml", "name: A\nscript: [{hang_up: true}]\n"), {
      ...CALL,
      unanswered: ["check"],
      tools: [{ ...tool, ok: false, output: { error } }],
    });
  const expected = "the scenario answers the tool check";
  const found = "check was called, and `tools` has no answer";
  expect(asked("no answer")).toEqual([{ turn: 3, expected, found }]);
  expect(asked(NOT_LIVE)).toEqual([{ turn: 3, expected, found: NOT_LIVE }]);
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

test("an unreached step fails, and JUnit reports turn and transcript", () => {
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

/** Turn, expectation and finding of each failure of a whole-call expectation. */
const told = (wanted: string, call: Partial<RehearsedCall> = {}) => {
  const scenario = readScenario("a.yaml", `name: A\nscript: [{hang_up: true}]\n${wanted}`);
  return failuresOf(scenario, { ...CALL, ...call }).map(({ turn: at, expected, found }) => [
    ...[at, expected, found],
  ]);
};

test.each([
  ["must: [nine]", 4, 'says "nine"', 'the agent said "On Tuesday."'],
  ["must: [{says: {regex: 'ni+ne'}}]", 4, "says /ni+ne/", 'the agent said "On Tuesday."'],
  ["must: [{says: {number: 9}}]", 4, "says 9", 'the agent said "On Tuesday."'],
  ["must: [{says: {date: 2026-12-24}}]", 4, "says 2026-12-24", 'the agent said "On Tuesday."'],
  ["never: [{says: {money: 60 EUR}}]", 2, "never: says 60 EUR", 'the agent said "Sixty euros."'],
  ["must: [{tool: other}]", 4, "calls other", "other was not called"],
  [
    ...(["must: [{tool: check, with: {who: {name: Ona}}}]", 3] as const),
    'calls check with {"who":{"name":"Ona"}}',
    'it was called with {"number":"4172","who":{"name":"Jonas","old":true}}',
  ],
  [
    ...(["never: [{tool: check, with: {who: {old: true}}}]", 3] as const),
    'never: calls check with {"who":{"old":true}}',
    'check {"number":"4172","who":{"name":"Jonas","old":true}}',
  ],
  ["must: [{transferred_to: desk}]", 4, "transfers to desk", "transfer to reception: busy"],
  ["must: [{message: never}]", 4, 'takes a message with "never"', 'the message "Call me back."'],
  [
    "never: [{message: back}]",
    4,
    'never: takes a message with "back"',
    'the message "Call me back."',
  ],
  ["must: [{language: lt}]", 4, "speaks lt", "it spoke en"],
  ["never: [{language: en}]", 4, "never: speaks en", "it spoke en"],
  ["must: [{ended: transferred}]", 4, "ends with transferred", "the call ended with agent_hangup"],
  [
    "never: [{ended: agent_hangup}]",
    4,
    "never: ends with agent_hangup",
    "the call ended with agent_hangup",
  ],
] as const)("a failure of %s names turn %d", (wanted, at, expected, found) => {
  expect(told(wanted)).toEqual([[at, expected, found]]);
});

test("a missing answer, transfer, message or tool result is reported", () => {
  const nothing = { turns: [], tools: [], transfers: [], messages: [] };
  expect(told("must: [nine, {transferred_to: desk}, {message: a}]", nothing)).toEqual([
    [null, 'says "nine"', "the agent said nothing"],
    [null, "transfers to desk", "the caller was not transferred"],
    [null, 'takes a message with "a"', "no message was taken"],
  ]);
  expect(told("", { unanswered: ["check"] })).toEqual([
    [null, "the scenario answers the tool check", "check was called, and `tools` has no answer"],
  ]);
});

test("a transfer counts only if it succeeded and went to the expected target", () => {
  const transfers = (outcome: string) => [{ target: "desk", outcome, atMs: 9_600 }];
  const wanted = "must: [{transferred_to: desk}]";
  expect(told(wanted, { transfers: transfers("transferred") })).toEqual([]);
  expect(told(wanted, { transfers: transfers("declined") })).toHaveLength(1);
  expect(told("never: [{transferred_to: desk}]", { transfers: transfers("transferred") })).toEqual([
    [4, "never: transfers to desk", "the caller was transferred to desk"],
  ]);
});

test("the language is the last one spoken before the check", () => {
  const languages = [
    { language: "lt", atMs: 3_000 },
    { language: "ru", atMs: 7_000 },
  ] as const;
  expect(told("must: [{language: ru}]", { languages })).toEqual([]);
  const first = "script: [{say: A, must: [{language: lt}]}, {say: B, must: [{language: ru}]}]";
  const scenario = readScenario("a.yaml", `name: A\n${first}`);
  expect(failuresOf(scenario, { ...CALL, languages })).toEqual([]);
});

test("a list argument may contain more values than expected", () => {
  const tools = [{ ...CALL.tools[0], arguments: { days: ["mon", "tue"], who: "Ona" } }];
  const call = { tools } as unknown as Partial<RehearsedCall>;
  expect(told("must: [{tool: check, with: {days: [tue]}}]", call)).toEqual([]);
  expect(told("must: [{tool: check, with: {days: [wed]}}]", call)).toHaveLength(1);
  expect(told("must: [{tool: check, with: {who: [Ona]}}]", call)).toHaveLength(1);
  expect(told("must: [{tool: check, with: {who: {name: Ona}}}]", call)).toHaveLength(1);
});

test("a step's answer ends where the next step begins", () => {
  const wanted = (must: string) =>
    failing(`script:\n  - {say: A, must: [${must}]}\n  - {say: B}\n`);
  expect(wanted("sixty euros")).toEqual([]);
  expect(wanted("tuesday")).toHaveLength(1);
  expect(wanted("{tool: check}")).toEqual([[2, "calls check", "check was not called"]]);
  expect(failing("script: [{say: A}, {say: B}, {say: C}]")).toEqual([]);
  expect(failing("script: [{say: A}, {say: B}, {say: C, never: [x]}]")).toEqual([
    [4, "step 3 is reached", "the call ended before (agent_hangup)"],
  ]);
});

test("an event at the start of the next step belongs to the next step", () => {
  const script = (first: string, second: string) =>
    readScenario(
      "a.yaml",
      `name: A\nscript: [{say: A, must: [${first}]}, {say: B, must: [${second}]}]`,
    );
  const at = (atMs: number) => ({
    ...CALL,
    language: "en" as const,
    messages: [{ text: "Call me back.", atMs }],
    languages: [{ language: "lt" as const, atMs }],
  });
  const steps = [
    "{message: call me}, {language: lt}",
    "{message: call me}, {language: lt}",
  ] as const;
  const missed = (atMs: number) =>
    failuresOf(script(...steps), at(atMs)).map(({ expected }) => expected);
  expect(missed(5_999)).toEqual(['takes a message with "call me"']);
  expect(missed(6_000)).toEqual(['takes a message with "call me"', "speaks lt"]);
});

test("an event at the start of a turn belongs to that turn", () => {
  const at = (atMs: number) => {
    const messages = [{ text: "Call me back.", atMs }];
    return told("never: [{message: call me}]", { messages })[0]?.[0];
  };
  expect([at(7_999), at(8_000)]).toEqual([3, 4]);
});

test("failures are listed in the order of the turns, and those without a turn last", () => {
  const found = told("never: [tuesday, sixty]", { unanswered: ["check"] });
  expect(found.map(([at]) => at)).toEqual([2, 4, null]);
});

test.each([
  ["turns: 5", "turns: 4", 4, "at most 4 turns", "5"],
  [
    "dead_air_ms: 1500",
    "dead_air_ms: 1499",
    2,
    "no dead air above 1499 ms",
    "1500 ms of silence before it",
  ],
  [
    "silent_after_interruption_ms: 900",
    "silent_after_interruption_ms: 899",
    2,
    "silent within 899 ms of an interruption",
    "900 ms",
  ],
  ["latency_p95_ms: 1500", "latency_p95_ms: 1499", 2, "answers within 1499 ms (p95)", "1500 ms"],
] as const)("%s passes, %s fails", (met, missed, at, expected, found) => {
  expect(told(`limits: {${met}}`)).toEqual([]);
  expect(told(`limits: {${missed}}`)).toEqual([[at, expected, found]]);
});

test("limits find an agent that speaks on after an interruption or begins while the caller speaks", () => {
  const interruptions = [{ atMs: 5_000, silentAfterMs: null }];
  expect(told("limits: {silent_after_interruption_ms: 9000}", { interruptions })).toEqual([
    [2, "silent within 9000 ms of an interruption", "it spoke on"],
  ]);
  const begins = (startMs: number) =>
    told("limits: {never_interrupts: true}", {
      turns: [turn(1, "My name is Jonas.", 1_000, 3_000), turn(2, "Yes?", startMs, 4_000)],
    });
  expect([1_000, 2_800, 3_000].map((ms) => begins(ms).length)).toEqual([0, 0, 0]);
  expect(begins(2_799)).toEqual([
    [2, "the agent never interrupts", 'it began while the caller said "My name is Jonas."'],
  ]);
});

test("the 95th percentile is a nearest-rank value", () => {
  const upTo = (count: number) => Array.from({ length: count }, (_, n) => count - n);
  expect([1, 2, 20, 40, 100].map((count) => percentile(upTo(count), 0.95))).toEqual([
    ...[1, 2, 19, 38, 95],
  ]);
  expect(percentile([], 0.95)).toBeNull();
});

test("a report shows seconds with three decimals, the turn, the run and the latency", () => {
  const result = { name: "A", agent: { name: "Desk", id: null, version: null }, call: CALL };
  const passed = { ...result, run: 1, failures: [] };
  const failed = {
    ...result,
    run: 2,
    failures: [{ expected: "says 9", found: "nothing", turn: 2 }],
  };
  const report = { results: [passed, failed], scenarios: 2, runs: 2, passed: 1 };
  const xml = junitXml(report, "clinic");
  expect(xml).toContain('<testcase classname="clinic" name="A" time="10.000"/>');
  expect(xml).toContain('<testcase classname="clinic" name="A #2" time="10.000">');
  expect(xml).toContain('message="turn 3: expected: says 9; found: nothing"');
  expect(summaryLine(report)).toBe(
    "2 scenarios: 1 passed, 1 failed; pass^2 0.50; latency p95 1500 ms; agent Desk",
  );
  expect(summaryLine({ results: [], scenarios: 0, runs: 1, passed: 0 })).toBe(
    "0 scenarios: 0 passed, 0 failed; pass^1 1.00",
  );
  expect(summaryLine({ results: [], scenarios: 1, runs: 1, passed: 1 })).toStartWith("1 scenario:");
  expect(resultLines(passed, 1)).toEqual(["ok    A"]);
  expect(resultLines(failed, 2)).toEqual([
    "FAIL  A (run 2 of 2)",
    "       1  Agent: Hello.",
    "       2  Caller: What does it cost?",
    "    >  3  Agent: Sixty euros.",
    "          expected: says 9; found: nothing",
    "       4  Caller: Check my appointment, please.",
    "       5  Agent: On Tuesday.",
    "      failed at turn 3",
  ]);
  const whole = { ...failed, failures: [{ expected: "a", found: "b", turn: null }] };
  expect(resultLines(whole, 1).slice(-1)).toEqual(["      the call: expected: a; found: b"]);
});
