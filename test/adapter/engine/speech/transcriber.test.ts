/** The second reading of English: the real model on its thread, and who waits for it and how long. */
import { expect, test } from "bun:test";
import { SecondReading } from "../../../../src/adapter/engine/embedded/recogniser/second-reading.ts";
import type {
  FromTranscriber,
  ToTranscribe,
} from "../../../../src/adapter/engine/embedded/recogniser/transcriber/messages.ts";
import {
  Transcriber,
  type TranscriberThread,
} from "../../../../src/adapter/engine/embedded/recogniser/transcriber/transcriber.ts";
import { parseKnowledge } from "../../../../src/adapter/engine/embedded/scripted/knowledge.ts";
import { createRetriever } from "../../../../src/adapter/engine/embedded/scripted/retrieval.ts";
import { chooseReading } from "../../../../src/adapter/engine/embedded/scripted/two-readings.ts";
import { createSynthesiser } from "../../../../src/adapter/engine/embedded/synthesiser.ts";
import { systemClock } from "../../../../src/core/clock.ts";
import { seededRandom } from "../../../../src/core/random.ts";
import { eventually } from "../../../support/eventually.ts";
import { fakeClock } from "../../../support/fake-clock.ts";
import { CLINIC_KNOWLEDGE } from "../../../support/speech/dental-clinic.ts";
import { overTelephone } from "../../../support/speech/telephone-line.ts";

const LATE_MS_MAX = 1_200;
const WORKER = new URL("../../../../src/adapter/worker/transcriber.worker.ts", import.meta.url)
  .href;

test("words that no knowledge holds are read from telephone sound, those after them as well", async () => {
  const transcriber = new Transcriber({ spawn: () => new Worker(WORKER), clock: systemClock });
  const voice = await createSynthesiser();
  const text = "Can you translate a letter into Spanish?";
  const order = { text, voice: "m3", language: "en", sampleRateHz: 8000 } as const;
  const line = overTelephone(await voice.speakAll(order), seededRandom(3));
  const noise = overTelephone(new Int16Array(400), seededRandom(3));
  const [first, none, again] = [line, noise, line].map((pcm) => transcriber.transcribe(pcm, 8000));
  expect((await first?.result)?.text).toBe(text);
  expect((await first?.result)?.evidence).toBeGreaterThan(-0.5);
  expect((await none?.result)?.text).not.toContain("Spanish");
  expect(await again?.result).toEqual((await first?.result) ?? null);
  const asked = ["is there parking"];
  transcriber.learn({ key: "yard", topics: [{ asked, answer: "in the yard" }] });
  const compare = () => transcriber.compare("yard", "a place for my car");
  await eventually(async () => (await compare()) !== null, "it is learnt");
  expect((await compare())?.asked[0]).toBeGreaterThan(0.3);
  const compared = compare();
  transcriber.unload();
  expect([await compared, await transcriber.compare("yard", "my car")]).toEqual([null, null]);
}, 60_000);

/** A thread whose answers the test gives. */
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
    reply({ type: "transcript", id: asked.at(-1)?.id ?? 0, text, evidence: -0.1 });
  return { thread, asked, reply, answer };
}

test("what is recognised early is the result, unless the caller went on", async () => {
  const { thread, asked, reply, answer } = fakeThread();
  const clock = fakeClock();
  const transcriber = new Transcriber({ spawn: () => thread, clock });
  const second = new SecondReading(transcriber, clock, 8000, LATE_MS_MAX);
  reply({ type: "ready" });
  second.start();
  second.push(new Int16Array(160));
  second.begin();
  second.drop();
  second.push(new Int16Array(160));
  second.begin();
  answer("half of it");
  answer("all of it");
  expect((await second.take().inTime())?.text).toBe("all of it");
  expect(asked.map(({ pcm }) => pcm.length)).toEqual([160, 320]);
});

test("a reading that is late counts as none, and the next one is waited for again", async () => {
  const { thread, reply, answer } = fakeThread();
  const clock = fakeClock();
  const transcriber = new Transcriber({ spawn: () => thread, clock });
  const second = new SecondReading(transcriber, clock, 8000, LATE_MS_MAX);
  reply({ type: "ready" });
  second.start();
  second.push(new Int16Array(160));
  const late = second.take().inTime();
  await clock.advance(LATE_MS_MAX);
  expect(await late).toBeNull();
  answer("too late");
  second.start();
  second.push(new Int16Array(160));
  const next = second.take().inTime();
  answer("in time");
  expect((await next)?.text).toBe("in time");
});

test("what becomes of each reading is counted", async () => {
  const { thread, reply, answer } = fakeThread();
  const clock = fakeClock();
  const transcriber = new Transcriber({ spawn: () => thread, clock });
  const outcomes: string[] = [];
  const talk = (seconds: number) => {
    const second = new SecondReading(transcriber, clock, 8000, LATE_MS_MAX, (outcome) =>
      outcomes.push(outcome),
    );
    second.start();
    second.push(new Int16Array(8_000 * seconds));
    return second;
  };
  const first = talk(1);
  reply({ type: "ready" });
  const read = first.take().inTime();
  await clock.advance(1_000);
  answer("in a second");
  await read;
  await talk(2).take().inTime();
  const late = talk(1).take().inTime();
  await clock.advance(LATE_MS_MAX);
  await late;
  answer("too late");
  const wentOn = talk(1);
  wentOn.begin();
  wentOn.drop();
  answer("nobody waits for it");
  const failing = talk(0.1).take().inTime();
  reply({ type: "failed", detail: "no memory" });
  await failing;
  expect(outcomes).toEqual(["read", "skipped", "late", "failed"]);
});

test("what more talkers say than can be read in time is not begun, until there is time again", async () => {
  const { thread, asked, reply, answer } = fakeThread();
  const clock = fakeClock();
  const transcriber = new Transcriber({ spawn: () => thread, clock });
  const talk = () => transcriber.transcribe(new Int16Array(16_000), 8000, LATE_MS_MAX).result;
  const first = talk();
  reply({ type: "ready" });
  await clock.advance(500);
  answer("in half a second");
  expect((await first)?.text).toBe("in half a second");
  const two = [talk(), talk()];
  expect(await talk()).toBeNull();
  answer("the one");
  answer("and the other");
  expect((await Promise.all(two)).map((heard) => heard?.text)).toEqual([
    "the one",
    "and the other",
  ]);
  const slow = talk();
  await clock.advance(20_000);
  answer("a slow moment");
  await slow;
  let refused = 0;
  while (asked.length === 4 && refused < 100) {
    void talk();
    refused++;
  }
  expect(refused).toBeLessThan(30);
});

test("a thread that dies leaves nobody waiting", async () => {
  const { thread, reply } = fakeThread();
  const transcriber = new Transcriber({ spawn: () => thread, clock: fakeClock() });
  const readings = [1, 2].map(() => transcriber.transcribe(new Int16Array(160), 8000));
  reply({ type: "ready" });
  reply({ type: "failed", detail: "no memory" });
  expect(await Promise.all(readings.map(({ result }) => result))).toEqual([null, null]);
});

test("a thread that fails says so once, and is started again after a minute", async () => {
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

test("a thread that does not answer is ended, said once, and started again after a minute", async () => {
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
    onFailed: (detail) => failures.push(detail),
  });
  const read = () => transcriber.transcribe(new Int16Array(160), 8000).result;
  const loading = read();
  await clock.advance(30_000);
  expect([await loading, threads[0]?.isEnded]).toEqual([null, true]);
  await clock.advance(60_000);
  const readings = [read(), read()];
  threads[1]?.reply({ type: "ready" });
  await clock.advance(29_000);
  threads[1]?.answer("slow");
  expect((await readings[0])?.text).toBe("slow");
  await clock.advance(29_000);
  expect(threads[1]?.isEnded).toBe(false);
  await clock.advance(1_000);
  expect([await readings[1], threads[1]?.isEnded]).toEqual([null, true]);
  threads[1]?.answer("too late");
  expect(await read()).toBeNull();
  expect([threads.length, failures]).toEqual([
    2,
    ["no answer in 30 seconds", "no answer in 30 seconds"],
  ]);
  await clock.advance(60_000);
  const idle = read();
  threads[2]?.reply({ type: "ready" });
  threads[2]?.answer("it works");
  await idle;
  await clock.advance(600_000);
  expect(threads[2]?.isEnded).toBe(false);
});

test("a thread in an endless loop can be ended", async () => {
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

test("a thread that cannot be made is a thread that failed", async () => {
  const failures: string[] = [];
  const transcriber = new Transcriber({
    spawn() {
      throw new Error("no thread is left");
    },
    clock: fakeClock(),
    onFailed: (detail) => failures.push(detail),
  });
  transcriber.load();
  expect(await transcriber.transcribe(new Int16Array(160), 8000).result).toBeNull();
  expect(failures).toEqual(["no thread is left"]);
});

const entries = parseKnowledge([{ filename: "faq.md", format: "md", content: CLINIC_KNOWLEDGE }]);
const retrieve = createRetriever(entries, "en");
const choose = (graph: string, confidence: number, text: string, evidence: number) =>
  chooseReading(retrieve, { text: graph, confidence }, { text, evidence });

test.each([
  ["goodbye", 0.9, "Could buy.", -1, "goodbye"],
  ["goodbye", 0.9, "Can you translate a letter into Spanish?", -0.1, /Spanish/],
  ["goodbye", 0.3, "Good pie.", -0.4, "Good pie."],
  ["what are your opening hours", 0.97, "What a yeah opening.", -0.9, /opening hours/],
  ["what are you opening long does leave a", 0.7, "Who won the football game?", -0.1, /football/],
  ["what is opening mhm long does leave a", 0.5, "Which river is longest?", -0.1, /river/],
  ["can you please repeat", 0.6, "Where are you located?", -0.1, /located/],
] as const)("of %p (%p) and %p (%p) %p was said", (graph, confidence, text, evidence, said) => {
  const chosen = choose(graph, confidence, text, evidence).text;
  if (typeof said === "string") expect(chosen).toBe(said);
  else expect(chosen).toMatch(said);
});

test("what both hear is certain", () => {
  expect(choose("goodbye", 0.6, "Goodbye.", -0.4).confidence).toBeGreaterThanOrEqual(0.9);
});
