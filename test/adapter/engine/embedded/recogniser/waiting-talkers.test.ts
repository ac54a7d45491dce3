/** More callers talk than one thread follows: nothing that they say is left out, however long the others talk. */
import { beforeAll, beforeEach, expect, test } from "bun:test";
import {
  createRecogniser,
  type Heard,
  type ListeningSttStream,
  type Recogniser,
} from "../../../../../src/adapter/engine/embedded/recogniser/recogniser.ts";
import { grammarSourceOf } from "../../../../../src/adapter/engine/embedded/scripted/grammar-source.ts";
import { parseKnowledge } from "../../../../../src/adapter/engine/embedded/scripted/knowledge.ts";
import { createSynthesiser } from "../../../../../src/adapter/engine/embedded/synthesiser.ts";
import { CONCURRENT_UTTERANCES_MAX } from "../../../../../src/adapter/engine/embedded/talkers.ts";
import { fakeClock } from "../../../../support/fake-clock.ts";
import { CLINIC_KNOWLEDGE } from "../../../../support/speech/dental-clinic.ts";

const FRAME_SAMPLES = 160;
const knowledge = parseKnowledge([{ filename: "faq.md", format: "md", content: CLINIC_KNOWLEDGE }]);
const grammar = grammarSourceOf(knowledge, { language: "en", tools: [] });
/** What is late by this after the last word is lost. */
const LATE_MS = 8_000;

const clock = fakeClock();
const load = { waited: 0, lost: 0 };
let recogniser: Recogniser;
let question: Int16Array;

beforeAll(async () => {
  const synthesiser = await createSynthesiser();
  question = await synthesiser.speakAll({
    text: "What are your opening hours?",
    voice: "m3",
    language: "en",
    sampleRateHz: 8000,
  });
  recogniser = createRecogniser({
    phonemes: (text, language) => synthesiser.phonemes(text, language),
    clock,
    onLoad: (event) => void load[event]++,
  });
  await recogniser.load();
  recogniser.prepare(grammar);
  // Decoders are made when all that there are have something to do.
  const callers = many(CONCURRENT_UTTERANCES_MAX);
  for (const caller of callers) {
    say(caller);
    await until(() => true, 20);
  }
  await heardOf(callers.map((caller) => caller.finalize()));
}, 120_000);

beforeEach(() => {
  load.waited = 0;
  load.lost = 0;
});

function many(count: number, onPartial: (text: string) => void = () => {}): ListeningSttStream[] {
  return Array.from({ length: count }, () =>
    recogniser.openStt({ language: "en", sampleRateHz: 8000, grammarKey: grammar.key, onPartial }),
  );
}

/** All but the end. */
function say(caller: ListeningSttStream): void {
  caller.startUtterance(question.subarray(0, FRAME_SAMPLES));
  for (let at = FRAME_SAMPLES; at < question.length; at += FRAME_SAMPLES)
    caller.push(question.subarray(at, at + FRAME_SAMPLES));
}

/** Decoders are made in real time, pieces are decoded in the clock's. */
async function until(isDone: () => boolean, turnsMin = 0): Promise<void> {
  for (let turn = 0; turn < turnsMin || !isDone(); turn++) {
    await clock.advance(2);
    await Bun.sleep(1);
  }
}

async function heardOf(results: readonly Promise<Heard>[]): Promise<string[]> {
  let done = false;
  const all = Promise.all(results).finally(() => {
    done = true;
  });
  await until(() => done);
  return (await all).map(({ text }) => text);
}

test.each([
  [CONCURRENT_UTTERANCES_MAX - 1, 0],
  [CONCURRENT_UTTERANCES_MAX, 0],
  [CONCURRENT_UTTERANCES_MAX + 1, 1],
  [2 * CONCURRENT_UTTERANCES_MAX, CONCURRENT_UTTERANCES_MAX],
])(
  "of %d who talk at once %d wait, and all are understood",
  async (talkers, waiting) => {
    const callers = many(talkers);
    for (const caller of callers) say(caller);
    expect(load).toEqual({ waited: waiting, lost: 0 });
    const texts = await heardOf(callers.map((caller) => caller.finalize()));
    expect(texts).toEqual(Array.from({ length: talkers }, () => "what are your opening hours"));
    expect(load).toEqual({ waited: waiting, lost: 0 });
    for (const caller of callers) caller.close();
  },
  60_000,
);

test.each([
  [LATE_MS - 100, "what are your opening hours", 0],
  [LATE_MS, "", 1],
])(
  "who has waited for %d ms is understood as %p",
  async (waitedMs, text, lost) => {
    const talking = many(CONCURRENT_UTTERANCES_MAX);
    for (const caller of talking) say(caller);
    const [late] = many(1);
    if (late === undefined) throw new Error("no caller");
    say(late);
    const result = late.finalize();
    await clock.advance(waitedMs);
    const texts = heardOf(talking.map((caller) => caller.finalize()));
    expect(await heardOf([result])).toEqual([text]);
    expect(new Set(await texts)).toEqual(new Set(["what are your opening hours"]));
    expect(load).toEqual({ waited: 1, lost });
    for (const caller of [...talking, late]) caller.close();
  },
  60_000,
);

test("callers who hang up while they talk make room", async () => {
  const talking = many(CONCURRENT_UTTERANCES_MAX);
  for (const caller of talking) say(caller);
  const [late] = many(1);
  if (late === undefined) throw new Error("no caller");
  say(late);
  const result = late.finalize();
  for (const caller of talking) caller.close();
  expect(await heardOf([result])).toEqual(["what are your opening hours"]);
  late.close();
}, 60_000);

test("audio is decoded between other requests, not in the one that brings it", async () => {
  const texts: string[] = [];
  const [caller] = many(1, (text) => texts.push(text));
  if (caller === undefined) throw new Error("no caller");
  // Whose voice is known is followed from the first sound on.
  say(caller);
  await heardOf([caller.finalize()]);
  texts.length = 0;
  say(caller);
  expect(texts).toEqual([]);
  await clock.advance(100);
  expect(texts.length).toBeGreaterThan(2);
  expect(await heardOf([caller.finalize()])).toEqual(["what are your opening hours"]);
  caller.close();
}, 60_000);
