/** A text rehearsal: how long its caller waits, and the results of its agent's tools. */
import { expect, test } from "bun:test";
import { sleep, systemClock } from "../../../src/core/clock.ts";
import { silentLog } from "../../../src/core/log.ts";
import { readScenario } from "../../../src/features/rehearsal/read-scenario.ts";
import { NOT_LIVE } from "../../../src/features/rehearsal/rehearsed-call.ts";
import { TextCall } from "../../../src/features/rehearsal/text-call.ts";
import { VirtualClock } from "../../../src/features/rehearsal/virtual-clock.ts";
import { callConfig, SETTINGS } from "../../support/media/scripted-call.ts";

test("a wait ends at its limit, to the frame", async () => {
  const call = new TextCall({
    config: callConfig({ firstMessage: "" }),
    settings: SETTINGS,
    engineLabel: "none",
    scenario: readScenario(
      "a.yaml",
      "name: A\nscript: [{say: Hello.}]\nmust: [{ended: caller_hangup}]\n",
    ),
    engine: {
      llm: { async *respond() {}, truncateSpoken: () => undefined },
      close: async () => undefined,
    },
    search: null,
    clock: new VirtualClock(0),
    wallClock: systemClock,
    log: silentLog,
  } as unknown as ConstructorParameters<typeof TextCall>[0]);
  const waitedMs = await call.run(async (line) => {
    const from = line.nowMs;
    await line.until(() => false, 400);
    return line.nowMs - from;
  });
  expect(waitedMs).toBe(400);
});

/** The records of a call whose agent calls the tool `check` once. `tools`: the scenario's answers. */
async function asksTool(tools: string) {
  let asked = 0;
  async function* respond() {
    if (asked++ === 0) yield { type: "tool_call", toolCallId: "1", tool: "check", arguments: {} };
    else yield { type: "text", text: "All right." };
    yield { type: "done", usage: { inputTokens: 1, outputTokens: 1 } };
  }
  const tool = { name: "check", description: "Checks.", parameters: { type: "object" } };
  const call = new TextCall({
    config: { ...callConfig({ firstMessage: "" }), tools: [tool] },
    settings: SETTINGS,
    engineLabel: "none",
    scenario: readScenario("a.yaml", `name: A\nscript: [{say: Hello.}]\ntools: ${tools}\n`),
    engine: { llm: { respond, truncateSpoken: () => undefined }, close: async () => undefined },
    search: null,
    runTool: null,
    clock: new VirtualClock(0),
    wallClock: systemClock,
    log: silentLog,
    rehearsed: {},
  } as unknown as ConstructorParameters<typeof TextCall>[0]);
  await call.run(async (line) => {
    await line.say("Hello.");
    await line.until(() => asked > 1 && line.agentWaits, 20_000);
  });
  return call.left;
}

test.each([
  ["{check: {answer: {found: 2}}}", true, { found: 2 }, []],
  ["{check: {fails: it is closed}}", false, { error: "it is closed" }, []],
  ["{}", false, { error: "the tool does not answer" }, ["check"]],
  ["{check: {live: true}}", false, { error: NOT_LIVE }, ["check"]],
] as const)("with the tools %s the agent gets: %p, %p", async (tools, ok, output, not) => {
  const left = await asksTool(tools);
  expect(left.tools).toMatchObject([{ tool: "check", ok, output }]);
  expect(left.unanswered).toEqual([...not]);
  expect(left.turns.map(({ text }) => text)).toEqual(["Hello.", "All right."]);
});

test("time stands still while passages are looked up, however long that takes", async () => {
  const passages = [{ fileId: 1, filename: "a.md", heading: "", text: "Sixty.", coverage: 1 }];
  const given: unknown[] = [];
  async function* respond(input: { passages?: unknown }) {
    given.push(input.passages);
    yield { type: "text", text: "Sixty euros." };
    yield { type: "done", usage: { inputTokens: 1, outputTokens: 1 } };
  }
  const call = new TextCall({
    config: callConfig({ firstMessage: "" }),
    settings: SETTINGS,
    engineLabel: "none",
    scenario: readScenario("a.yaml", "name: A\nscript: [{say: What does it cost?}]\n"),
    engine: { llm: { respond, truncateSpoken: () => undefined }, close: async () => undefined },
    search: async () => {
      for (let turn = 0; turn < 50; turn++) await sleep(systemClock, 0);
      return passages;
    },
    clock: new VirtualClock(0),
    // Frames timed by a wall clock end at once.
    wallClock: {
      ...systemClock,
      after: (_: number, done: () => void) => systemClock.after(0, done),
    },
    log: silentLog,
  } as unknown as ConstructorParameters<typeof TextCall>[0]);
  await call.run(async (line) => {
    await line.say("What does it cost?");
    await line.until(() => given.length > 0 && line.agentWaits, 20_000);
  });
  expect(given).toEqual([passages]);
});
