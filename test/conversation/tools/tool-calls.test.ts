/** When fillers start: measured from the current silence, never from an earlier one. */
import { expect, test } from "bun:test";
import { ToolCalls } from "../../../src/conversation/tools/tool-calls.ts";
import { fakeClock } from "../../support/fake-clock.ts";

const FILLER_MS = 2_500;

function waiting() {
  const clock = fakeClock();
  let fillers = 0;
  const answers: boolean[] = [];
  const tools = new ToolCalls({
    settings: { fillerDelayMs: FILLER_MS, toolCallsMax: 10, toolTimeoutMs: 12_000 },
    clock,
    send: () => undefined,
    onFillerDue: () => fillers++,
    onAnswer: ({ ok }) => answers.push(ok),
  });
  return {
    clock,
    tools,
    answers,
    fillers: () => fillers,
    request: (toolCallId: string) => tools.request({ toolCallId, tool: "lookup", arguments: {} }),
    answer: (toolCallId: string) =>
      tools.result({ toolCallId, ok: true, httpStatus: 200, durationMs: 10, output: "done" }),
  };
}

test("after a pause without open tools, a new wait gets its filler after its own silence", async () => {
  const { clock, tools, fillers, request, answer } = waiting();
  request("t1");
  tools.pause(true);
  answer("t1");
  tools.pause(false);
  await clock.advance(FILLER_MS - 100);
  request("t2");
  await clock.advance(FILLER_MS - 1);
  expect(fillers()).toBe(0);
  await clock.advance(1);
  expect(fillers()).toBe(1);
});

test("a pause has neither filler nor time-out; open tools restart both after it", async () => {
  const { clock, tools, answers, fillers, request } = waiting();
  request("t1");
  tools.pause(true);
  await clock.advance(60_000);
  expect([fillers(), answers]).toEqual([0, []]);
  tools.pause(false);
  await clock.advance(FILLER_MS - 1);
  expect(fillers()).toBe(0);
  await clock.advance(1);
  expect(fillers()).toBe(1);
  await clock.advance(12_000 - FILLER_MS - 1);
  expect(answers).toEqual([]);
  await clock.advance(1);
  expect(answers).toEqual([false]);
});
