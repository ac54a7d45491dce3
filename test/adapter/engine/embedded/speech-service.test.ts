/** How the start of a speech worker learns whether the recogniser can be loaded. The voices are real. */
import { expect, test } from "bun:test";
import {
  createSpeechService,
  type SelfTestResult,
  type SelfTestThread,
} from "../../../../src/adapter/engine/embedded/speech-service.ts";
import { fakeClock } from "../../../support/fake-clock.ts";

class ScriptedThread extends EventTarget {
  terminated = false;
  terminate(): void {
    this.terminated = true;
  }
  say(data: SelfTestResult): void {
    this.dispatchEvent(new MessageEvent("message", { data }));
  }
}

function serviceWith(thread: ScriptedThread) {
  const unused = () => {
    throw new Error("nobody is read a second time here");
  };
  return createSpeechService({
    clock: fakeClock(),
    onLoad() {},
    onSecondReading() {},
    onSecondReadingFailed() {},
    spawnTranscriber: unused,
    spawnSelfTest: () => thread as unknown as SelfTestThread,
  });
}

test("a recogniser that loads makes the worker ready, and its thread is ended", async () => {
  const thread = new ScriptedThread();
  const { ready } = serviceWith(thread);
  thread.say({ failure: null });
  await ready;
  expect(thread.terminated).toBe(true);
});

test("a broken model is known at the start", async () => {
  const thread = new ScriptedThread();
  const { ready } = serviceWith(thread);
  thread.say({ failure: "the telephone model is damaged" });
  await expect(ready).rejects.toThrow("the telephone model is damaged");
  expect(thread.terminated).toBe(true);
});

test.each([
  ["an error", new ErrorEvent("error", { message: "out of memory" }), "out of memory"],
  ["its end", new Event("close"), "the self-test ended"],
])("a thread that breaks off with %s fails the start", async (_, event, why) => {
  const thread = new ScriptedThread();
  const { ready } = serviceWith(thread);
  thread.dispatchEvent(event);
  await expect(ready).rejects.toThrow(why);
  expect(thread.terminated).toBe(true);
});
