/** How an LLM's failures reach the conversation: as what they are, once, and none of an answer that was dropped. */
import { expect, test } from "bun:test";
import { EngineFailure, type LlmEvent } from "../../../src/domain/conversation/engine-port.ts";
import { Responder } from "../../../src/domain/conversation/responder.ts";
import { fakeClock } from "../../support/fake-clock.ts";

function world(answer: (signal: AbortSignal) => AsyncIterable<LlmEvent>) {
  const clock = fakeClock();
  const failures: EngineFailure[] = [];
  const texts: string[] = [];
  let done = 0;
  const responder = new Responder(
    {
      respond: (_: unknown, signal: AbortSignal) => answer(signal),
    } as unknown as ConstructorParameters<typeof Responder>[0],
    clock,
    {
      text: (text: string) => texts.push(text),
      done: () => done++,
      failed: (failure: EngineFailure) => failures.push(failure),
    } as unknown as ConstructorParameters<typeof Responder>[2],
  );
  const ask = () => responder.respond({ type: "utterance", text: "Hello?", confidence: 1 });
  return { clock, responder, failures, texts, ask, done: () => done };
}

const settled = () => Bun.sleep(0);

test("a failure of the engine is told as it is, any other error as a failure of the LLM", async () => {
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

test("an answer that was dropped neither fails nor is told", async () => {
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
