/** The call worker's end of the port to the speech worker, without a speech worker. */
import { expect, test } from "bun:test";
import type { Nearness } from "../../../src/engine/embedded/meaning/lessons.ts";
import { SpeechClient } from "../../../src/engine/embedded/speech-client.ts";
import type { SpeechReply, SpeechRequest } from "../../../src/engine/embedded/speech-messages.ts";
import { eventually } from "../../support/eventually.ts";
import { fakeClock } from "../../support/fake-clock.ts";

function connect() {
  const clock = fakeClock();
  const { port1, port2 } = new MessageChannel();
  const client = new SpeechClient({ port: port1, clock });
  const asked: SpeechRequest[] = [];
  const worker: { answers: Nearness | null } = { answers: null };
  port2.onmessage = ({ data }: MessageEvent<SpeechRequest>) => {
    asked.push(data);
    if (data.type !== "compare" || worker.answers === null) return;
    const { comparisonId } = data;
    port2.postMessage({ type: "compared", comparisonId, nearness: worker.answers });
  };
  return { clock, client, asked, worker, reply: (reply: SpeechReply) => port2.postMessage(reply) };
}

const heard = (sttStreamId: number, utterance: number, text: string): SpeechReply => ({
  type: "stt_result",
  sttStreamId,
  utterance,
  text,
  confidence: 1,
  audioMs: 500,
});

test("an utterance that ends while the previous one is still being recognised gets its own result", async () => {
  const { client, reply } = connect();
  const ear = client.openStt();
  const both = Promise.all([client.endUtterance(ear, 1), client.endUtterance(ear, 2)]);
  reply(heard(ear.sttStreamId, 1, "what are your"));
  reply(heard(ear.sttStreamId, 2, "opening hours"));
  expect((await both).map(({ text }) => text)).toEqual(["what are your", "opening hours"]);
  client.close();
});

test("a recogniser without CPU for seconds still answers", async () => {
  const { clock, client, reply } = connect();
  const ear = client.openStt();
  const result = client.endUtterance(ear, 1);
  await clock.advance(9_000);
  reply(heard(ear.sttStreamId, 1, "what are your opening hours"));
  expect((await result).text).toBe("what are your opening hours");
  client.close();
});

test("each utterance has its own time-out, and a closed recogniser fails all pending ones", async () => {
  const { clock, client } = connect();
  const ear = client.openStt();
  const failures: string[] = [];
  const wait = (utterance: number) =>
    client.endUtterance(ear, utterance).catch((error) => failures.push(`${utterance}: ${error}`));
  void wait(1);
  await clock.advance(15_000);
  void wait(2);
  await clock.advance(1_000);
  expect(failures).toEqual(["1: EngineFailure: the recogniser did not answer in time"]);
  void wait(3);
  client.closeStt(ear);
  await eventually(() => failures.length === 3, "all have failed");
  expect(clock.pendingTimers).toBe(0);
  client.close();
});

/** A speech worker that returns the same four samples for every text. */
function connectToVoice() {
  const clock = fakeClock();
  const { port1, port2 } = new MessageChannel();
  const client = new SpeechClient({ port: port1, clock });
  const asked: SpeechRequest[] = [];
  port2.onmessage = ({ data }: MessageEvent<SpeechRequest>) => {
    asked.push(data);
    if (data.type !== "speak") return;
    const { speechId } = data;
    for (const sample of [1, 2])
      port2.postMessage({ type: "speech_chunk", speechId, pcm: new Int16Array([sample, sample]) });
    port2.postMessage({ type: "speech_end", speechId });
  };
  const speak = async (text: string, signal = new AbortController().signal) => {
    const order = { language: "en", voice: "Sari", sampleRateHz: 8000, ratePercent: 100 } as const;
    const samples: number[] = [];
    for await (const chunk of client.speak({ text, ...order }, signal)) samples.push(...chunk);
    return samples;
  };
  return { clock, client, asked, speak };
}

test("a text spoken for the third time is not synthesised again, and sounds the same", async () => {
  const { client, asked, speak } = connectToVoice();
  for (let time = 0; time < 4; time++) expect(await speak("Anything else?")).toEqual([1, 1, 2, 2]);
  expect(asked.length).toBe(2);
  expect(await speak("Another sentence.")).toEqual([1, 1, 2, 2]);
  expect(asked.length).toBe(3);
  client.close();
});

test("texts unused for a quarter of an hour are removed from the cache, others are not", async () => {
  const { clock, client, asked, speak } = connectToVoice();
  const timesAsked = async (text: string) => {
    const before = asked.length;
    await speak(text);
    return asked.length - before;
  };
  for (let time = 0; time < 2; time++) {
    await speak("Hello Ann.");
    await speak("Anything else?");
  }
  await speak("Your bill, Ann, is 5 euros.");
  await clock.advance(14 * 60_000);
  expect(await timesAsked("Anything else?")).toBe(0);
  await clock.advance(60_000);
  expect(await timesAsked("Anything else?")).toBe(0);
  expect(await timesAsked("Hello Ann.")).toBe(1);
  expect(await timesAsked("Your bill, Ann, is 5 euros.")).toBe(1);
  expect(await timesAsked("Your bill, Ann, is 5 euros.")).toBe(1);
  await clock.advance(15 * 60_000);
  expect(clock.pendingTimers).toBe(0);
  await speak("Hello Ann.");
  client.close();
  expect(clock.pendingTimers).toBe(0);
});

test("interrupted speech is not cached", async () => {
  const { client, reply } = connect();
  const order = { text: "Hello", language: "en", voice: "Sari" } as const;
  for (let time = 0; time < 3; time++) {
    const abort = new AbortController();
    const speech = client.speak({ ...order, sampleRateHz: 8000, ratePercent: 100 }, abort.signal);
    const first = speech.next();
    reply({ type: "speech_chunk", speechId: time + 1, pcm: new Int16Array([time]) });
    expect((await first).value?.[0]).toBe(time);
    abort.abort();
    expect((await speech.next()).done).toBe(true);
  }
  client.close();
});

test("a speech worker without semantic similarity delays one caller by half a second, once", async () => {
  const { clock, client, asked, worker, reply } = connect();
  const nearness = { asked: [0.9], answered: [0.5] };
  client.learn({ key: "clinic", topics: [{ asked: ["is there parking"], answer: "yes" }] });
  const first = client.compare("clinic", "parking");
  await clock.advance(500);
  expect(await first).toBeNull();
  expect(await client.compare("clinic", "parking")).toBeNull();
  await eventually(() => asked.length === 3, "the lesson is told again");
  expect(asked.map(({ type }) => type)).toEqual(["learn", "compare", "learn"]);
  const late = asked.find(({ type }) => type === "compare");
  const comparisonId = late?.type === "compare" ? late.comparisonId : 0;
  reply({ type: "compared", comparisonId, nearness });
  worker.answers = nearness;
  await eventually(async () => (await client.compare("clinic", "parking")) !== null, "an answer");
  worker.answers = null;
  const open = client.compare("clinic", "parking");
  client.close();
  expect(await open).toBeNull();
  expect(clock.pendingTimers).toBe(0);
});
