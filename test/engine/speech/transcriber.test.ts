/** English speech to text: the real model on its thread, and how callers share threads. */
import { expect, test } from "bun:test";
import { systemClock } from "../../../src/core/clock.ts";
import { seededRandom } from "../../../src/core/random.ts";
import { MEMORY_MB, missingMemoryMb } from "../../../src/engine/embedded/hearing-memory.ts";
import type {
  FromTranscriber,
  ToTranscribe,
} from "../../../src/engine/embedded/recogniser/messages.ts";
import { CallerSttStream } from "../../../src/engine/embedded/recogniser/recogniser.ts";
import {
  Transcriber,
  type TranscriberThread,
} from "../../../src/engine/embedded/recogniser/transcriber.ts";
import { sine } from "../../../src/platform/audio/tones.ts";
import { eventually } from "../../support/eventually.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { recordedPrompts, wordsOf, wrongWords } from "../../support/speech/recorded-prompts.ts";
import { overTelephone } from "../../support/speech/telephone-line.ts";

const WORKER = new URL("../../../src/worker/transcriber.worker.ts", import.meta.url).href;
const newThread = () => new Worker(WORKER);
const PROMPTS = 12;
const WRONG_SHARE_MAX = 0.05;

test("people on a noisy line are recognised, then bad audio, and the thread continues", async () => {
  const prompts = recordedPrompts(PROMPTS);
  if (prompts === null) {
    if (process.env.CI) throw new Error("asterisk-core-sounds-en-wav is not installed");
    console.log("skipped: asterisk-core-sounds-en-wav is not installed");
    return;
  }
  const transcriber = new Transcriber({ spawn: newThread, clock: systemClock });
  const read = async (pcm: Int16Array) =>
    (await transcriber.transcribe(overTelephone(pcm, seededRandom(3)), 8000).result)?.text ?? null;
  let [wrong, words] = [0, 0];
  for (const { text, pcm } of prompts) {
    const heard = await read(pcm);
    wrong += wrongWords(wordsOf(text), wordsOf(heard ?? ""));
    words += wordsOf(text).length;
  }
  expect(words).toBeGreaterThan(80);
  expect(wrong / words).toBeLessThanOrEqual(WRONG_SHARE_MAX);
  const [first, second] = prompts.map(({ pcm }) => pcm);
  const long = Int16Array.from(prompts.flatMap(({ pcm }) => [...pcm])).subarray(0, 30 * 8_000);
  const music = [262, 330, 392, 523].flatMap((hertz) => [...sine(hertz, 700, 8_000)]);
  const both = first?.map((sample, at) => sample + (second?.[at] ?? 0)) ?? new Int16Array(0);
  expect(wordsOf((await read(long)) ?? "").length).toBeGreaterThan(40);
  for (const pcm of [Int16Array.from(music), both, new Int16Array(0), new Int16Array(400)])
    expect(await read(pcm)).not.toBeNull();
  const asked = ["is there parking"];
  transcriber.learn({ key: "yard", topics: [{ asked, answer: "in the yard" }] });
  const compare = () => transcriber.compare("yard", "a place for my car");
  await eventually(async () => (await compare()) !== null, "it is learnt");
  expect((await compare())?.asked[0]).toBeGreaterThan(0.3);
  transcriber.unload();
  expect(await transcriber.compare("yard", "my car")).toBeNull();
}, 240_000);

/** A thread whose answers the test sets. */
function fakeThread() {
  const asked: ToTranscribe[] = [];
  let listener: (event: MessageEvent) => void = () => {};
  const thread: TranscriberThread = {
    postMessage(message) {
      if (message.type === "transcribe") asked.push(message);
    },
    addEventListener(type: string, listens: (event: MessageEvent) => void) {
      if (type === "message") listener = listens;
    },
    terminate() {},
  };
  const reply = (data: FromTranscriber) => listener(new MessageEvent("message", { data }));
  const answer = (text: string) =>
    reply({ type: "transcript", id: asked.at(-1)?.id ?? 0, text, confidence: 0.9 });
  return { thread, asked, reply, answer };
}

/** A caller of a transcriber with the test's thread. */
function caller() {
  const made = fakeThread();
  const clock = fakeClock();
  const partials: string[] = [];
  const load: string[] = [];
  const transcriber = new Transcriber({ spawn: () => made.thread, clock, availableMb: () => null });
  transcriber.load();
  const stream = new CallerSttStream(
    { sampleRateHz: 8000, onPartial: (text) => partials.push(text) },
    { clock, transcriber, onLoad: (event) => load.push(event) },
  );
  return { ...made, clock, stream, partials, load };
}
const frame = () => new Int16Array(160);

test("an early result is the result, unless the caller continued", async () => {
  const { stream, asked, reply, answer, partials } = caller();
  stream.startUtterance(frame());
  reply({ type: "ready" });
  stream.recogniseEarly();
  stream.dropEarly();
  stream.push(frame());
  stream.recogniseEarly();
  answer("half of it");
  answer("all of it");
  expect(await stream.finalize()).toEqual({ text: "all of it", confidence: 0.9, audioMs: 40 });
  expect(partials).toEqual(["all of it"]);
  expect(asked.map(({ pcm }) => pcm.length)).toEqual([160, 320]);
});

test.each([
  [1_000, ["waited"]],
  [999, []],
])("a text that arrives %p ms after the end counts as %p", async (ms, events) => {
  const { stream, reply, answer, clock, load } = caller();
  stream.startUtterance(frame());
  const late = stream.finalize();
  reply({ type: "ready" });
  await clock.advance(ms);
  answer("at last");
  expect((await late).text).toBe("at last");
  expect(load).toEqual([...events]);
});

test("a text that arrives after eight seconds is lost, and the next utterance is recognised", async () => {
  const { stream, reply, answer, clock, load } = caller();
  stream.startUtterance(frame());
  reply({ type: "ready" });
  const late = stream.finalize();
  await clock.advance(8_000);
  expect((await late).text).toBe("");
  expect(load).toEqual(["waited", "lost"]);
  answer("too late");
  stream.startUtterance(frame());
  const next = stream.finalize();
  answer("in time");
  expect((await next).text).toBe("in time");
});

test.each([
  [5_999, 7_999, "at last", ["waited"]],
  [5_999, 8_000, "", ["waited", "lost"]],
  [13_999, 0, "at last", []],
  [14_000, 0, "", ["lost"]],
])(
  "loading that ends %p ms after the utterance, and %p ms of recognition, give %p",
  async (loadMs, readMs, text, events) => {
    const { stream, reply, answer, clock, load } = caller();
    stream.startUtterance(frame());
    const late = stream.finalize();
    await clock.advance(loadMs);
    reply({ type: "ready" });
    await clock.advance(readMs);
    answer("at last");
    expect((await late).text).toBe(text);
    expect(load).toEqual([...events]);
  },
);

test("of an endless utterance the first thirty seconds are recognised", async () => {
  const { stream, asked, reply } = caller();
  stream.startUtterance(frame());
  for (let second = 0; second < 40; second++) stream.push(new Int16Array(8_000));
  reply({ type: "ready" });
  void stream.finalize();
  expect(asked.map(({ pcm }) => pcm.length)).toEqual([30 * 8_000]);
});

test("a second thread starts if an utterance would wait, and no third one", async () => {
  const threads: ReturnType<typeof fakeThread>[] = [];
  const spawn = () => {
    const made = fakeThread();
    threads.push(made);
    return made.thread;
  };
  const transcriber = new Transcriber({ spawn, clock: fakeClock(), availableMb: () => null });
  transcriber.threadsMax = 2;
  const results = [1, 2, 3].map(() => transcriber.transcribe(frame(), 8000).result);
  expect(threads).toHaveLength(1);
  threads[0]?.reply({ type: "ready" });
  expect(threads).toHaveLength(2);
  threads[1]?.reply({ type: "ready" });
  threads[1]?.answer("the second");
  threads[0]?.answer("the first");
  threads[1]?.answer("the third");
  expect((await Promise.all(results)).map((heard) => heard?.text)).toEqual([
    "the first",
    "the second",
    "the third",
  ]);
  expect(threads).toHaveLength(2);
});

test("no thread starts while memory is short, and the missing amount is known", async () => {
  let availableMb = MEMORY_MB;
  let started = 0;
  const spawn = () => {
    started++;
    return fakeThread().thread;
  };
  const clock = fakeClock();
  const transcriber = new Transcriber({ spawn, clock, availableMb: () => availableMb });
  expect([transcriber.load(), transcriber.canRead]).toEqual([false, false]);
  expect(await transcriber.transcribe(frame(), 8000).result).toBeNull();
  const missing = missingMemoryMb(availableMb);
  expect(missing).toBeGreaterThan(0);
  availableMb += missing - 1;
  expect(transcriber.load()).toBe(false);
  availableMb++;
  expect([transcriber.load(), transcriber.canRead, started]).toEqual([true, true, 1]);
});

test("a dead thread leaves nobody waiting", async () => {
  const { thread, reply } = fakeThread();
  const transcriber = new Transcriber({
    spawn: () => thread,
    clock: fakeClock(),
    availableMb: () => null,
  });
  const readings = [1, 2].map(() => transcriber.transcribe(new Int16Array(160), 8000));
  reply({ type: "ready" });
  reply({ type: "failed", detail: "no memory" });
  expect(await Promise.all(readings.map(({ result }) => result))).toEqual([null, null]);
});

test("a failed thread is logged once, and started again after a minute", async () => {
  const clock = fakeClock();
  const threads: ReturnType<typeof fakeThread>[] = [];
  const failures: string[] = [];
  const transcriber = new Transcriber({
    spawn() {
      const made = fakeThread();
      threads.push(made);
      return made.thread;
    },
    clock,
    availableMb: () => null,
    onFailed: (detail) => failures.push(detail),
  });
  const read = () => transcriber.transcribe(new Int16Array(160), 8000).result;
  const fails = async (detail: string) => {
    const reading = read();
    threads.at(-1)?.reply({ type: "failed", detail });
    expect(await reading).toBeNull();
  };
  await fails("no memory");
  expect(await read()).toBeNull();
  await clock.advance(59_000);
  expect(await read()).toBeNull();
  expect(threads).toHaveLength(1);
  await clock.advance(1_000);
  await fails("still no memory");
  expect([threads.length, failures]).toEqual([2, ["no memory"]]);
  await clock.advance(60_000);
  const reading = read();
  threads.at(-1)?.reply({ type: "ready" });
  threads.at(-1)?.answer("it works");
  expect((await reading)?.text).toBe("it works");
  await fails("no memory again");
  expect(failures).toEqual(["no memory", "no memory again"]);
});

test("a hanging thread is terminated, logged once, and started again after a minute", async () => {
  const clock = fakeClock();
  const threads: (ReturnType<typeof fakeThread> & { isEnded: boolean })[] = [];
  const failures: string[] = [];
  const transcriber = new Transcriber({
    spawn() {
      const made = { ...fakeThread(), isEnded: false };
      made.thread.terminate = () => {
        made.isEnded = true;
      };
      threads.push(made);
      return made.thread;
    },
    clock,
    availableMb: () => null,
    onFailed: (detail) => failures.push(detail),
  });
  const read = () => transcriber.transcribe(new Int16Array(160), 8000).result;
  const loading = read();
  await clock.advance(60_000);
  expect([await loading, threads[0]?.isEnded]).toEqual([null, true]);
  await clock.advance(60_000);
  const readings = [read(), read()];
  threads[1]?.reply({ type: "ready" });
  await clock.advance(59_000);
  threads[1]?.answer("slow");
  expect((await readings[0])?.text).toBe("slow");
  await clock.advance(59_000);
  expect(threads[1]?.isEnded).toBe(false);
  await clock.advance(1_000);
  expect([await readings[1], threads[1]?.isEnded]).toEqual([null, true]);
  threads[1]?.answer("too late");
  expect(await read()).toBeNull();
  expect([threads.length, failures]).toEqual([
    2,
    ["no answer in 60 seconds", "no answer in 60 seconds"],
  ]);
  await clock.advance(60_000);
  const idle = read();
  threads[2]?.reply({ type: "ready" });
  threads[2]?.answer("it works");
  await idle;
  await clock.advance(600_000);
  expect(threads[2]?.isEnded).toBe(false);
});

test("a thread in an endless loop can be terminated", async () => {
  const spin = "self.onmessage = () => { for (;;); }; self.postMessage({ type: 'ready' });";
  const worker = new Worker(URL.createObjectURL(new Blob([spin], { type: "text/javascript" })));
  await new Promise((resolve) => {
    worker.onmessage = resolve;
  });
  worker.postMessage({});
  const closed = new Promise((resolve) => {
    worker.addEventListener("close", resolve);
  });
  worker.terminate();
  await closed;
}, 60_000);

test("a thread that cannot be started counts as failed", async () => {
  const failures: string[] = [];
  const transcriber = new Transcriber({
    spawn() {
      throw new Error("no thread is left");
    },
    clock: fakeClock(),
    availableMb: () => null,
    onFailed: (detail) => failures.push(detail),
  });
  transcriber.load();
  expect(await transcriber.transcribe(new Int16Array(160), 8000).result).toBeNull();
  expect(failures).toEqual(["no thread is left"]);
});
