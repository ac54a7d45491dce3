/** How LLM failures and early answers reach the conversation: once each, and nothing after a cancellation. */
import { expect, test } from "bun:test";
import {
  EngineFailure,
  type LlmEvent,
  type LlmInput,
} from "../../../src/conversation/engine-port.ts";
import { Responder } from "../../../src/conversation/turn/responder.ts";
import { fakeClock } from "../../support/fake-clock.ts";

function world(answer: (signal: AbortSignal) => AsyncIterable<LlmEvent>, earlyStart?: boolean) {
  const clock = fakeClock();
  const failures: EngineFailure[] = [];
  const texts: string[] = [];
  let done = 0;
  const responder = new Responder(
    {
      capabilities: { earlyStart },
      respond: (_: unknown, signal: AbortSignal) => answer(signal),
    } as unknown as ConstructorParameters<typeof Responder>[0],
    clock,
    {
      text: (text: string) => texts.push(text),
      preparedText: () => {},
      preparedDropped: () => {},
      done: () => done++,
      failed: (failure: EngineFailure) => failures.push(failure),
    } as unknown as ConstructorParameters<typeof Responder>[2],
  );
  const ask = () => responder.respond({ type: "utterance", text: "Hello?", confidence: 1 });
  return { clock, responder, failures, texts, ask, done: () => done };
}

const settled = () => Bun.sleep(0);

test("a failure of the engine is reported unchanged, any other error as a failure of the LLM", async () => {
  for (const error of [new EngineFailure("llm", "the quota is used up"), new Error("reset")]) {
    const { failures, responder, ask, done } = world(async function* () {
      yield { type: "text", text: "Well," };
      throw error;
    });
    ask();
    await settled();
    const [failure] = failures;
    expect(failure).toBeInstanceOf(EngineFailure);
    if (error instanceof EngineFailure) expect(failure).toBe(error);
    else expect(failure).toMatchObject({ part: "llm", message: "the LLM failed", cause: error });
    expect([failures.length, done(), responder.busy]).toEqual([1, 0, false]);
  }
});

test("a cancelled answer reports neither text nor failure", async () => {
  const { failures, responder, texts, ask, done } = world(async function* (signal) {
    await settled();
    if (signal.aborted) throw new Error("aborted");
    yield { type: "text", text: "Too late." };
  });
  ask();
  responder.abort();
  await settled();
  await settled();
  expect([failures, texts, done(), responder.busy]).toEqual([[], [], 0, false]);
});

/** An LLM that answers every question; `asked` has the abort signal of each. */
function willing(earlyStart?: boolean) {
  const asked: AbortSignal[] = [];
  const made = world(async function* (signal) {
    asked.push(signal);
    yield { type: "text", text: `Answer ${asked.length}.` };
  }, earlyStart);
  const said = (text: string) => ({ type: "utterance", text, confidence: 1 }) as const;
  return { ...made, asked, said };
}

test("an early question is reused for the same final words, so the LLM is asked once", async () => {
  const { responder, asked, said, texts, done } = willing(true);
  responder.prepare(said("Hello"));
  responder.prepare(said("Hello"));
  await settled();
  expect([asked.length, texts, responder.busy]).toEqual([1, [], false]);
  expect([said("Hello"), said("Goodbye")].map((input) => responder.isPrepared(input))).toEqual([
    true,
    false,
  ]);
  responder.respond(said("Hello"));
  await settled();
  expect([asked.length, texts, done()]).toEqual([1, ["Answer 1."], 1]);
});

test("other final words cancel the early question, and the LLM is asked again", async () => {
  const { responder, asked, said, texts } = willing(true);
  responder.prepare(said("Hello"));
  responder.prepare(said("Hello, when"));
  responder.respond(said("Hello, where are you?"));
  await settled();
  expect(asked.map(({ aborted }) => aborted)).toEqual([true, true, false]);
  expect(texts).toEqual(["Answer 3."]);
});

test("no early question is sent while an answer runs, or to an LLM that keeps the history itself", async () => {
  const busy = willing(true);
  busy.responder.respond(busy.said("Hello"));
  busy.responder.prepare(busy.said("And"));
  await settled();
  const remembers = willing();
  remembers.responder.prepare(remembers.said("Hello"));
  await settled();
  expect([busy.asked.length, remembers.asked.length]).toEqual([1, 0]);
});

test("answersTool is true only while the LLM answers a tool result", async () => {
  const { responder, said } = willing();
  expect(responder.answersTool).toBe(false);
  responder.respond(said("Hello"));
  expect([responder.busy, responder.answersTool]).toEqual([true, false]);
  await settled();
  responder.respond({ type: "tool_result", toolCallId: "1", ok: true, output: null } as LlmInput);
  expect(responder.answersTool).toBe(true);
  await settled();
  expect([responder.busy, responder.answersTool]).toEqual([false, false]);
});
