/** Our scoring of sounds and our search hear what the published recogniser hears, to the last bit of a score. */
import { beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { englishGrammar } from "../../../../../src/adapter/engine/embedded/recogniser/closed-grammar.ts";
import { Decoder } from "../../../../../src/adapter/engine/embedded/recogniser/decoder.ts";
import {
  type Dictionary,
  loadDictionary,
} from "../../../../../src/adapter/engine/embedded/recogniser/dictionary.ts";
import {
  CLOSED_GRAMMAR_SEARCH,
  OPEN_GRAPH_SEARCH,
  openGraph,
  SOUND_LOOP,
  SOUND_LOOP_SEARCH,
} from "../../../../../src/adapter/engine/embedded/recogniser/grammar.ts";
import {
  createRawDecoder,
  loadRecogniserModule,
  type RecogniserModule,
} from "../../../../../src/adapter/engine/embedded/recogniser/soundswallower.ts";
import {
  mixed,
  TelephoneAudio,
} from "../../../../../src/adapter/engine/embedded/recogniser/telephone-audio.ts";
import { grammarSourceOf } from "../../../../../src/adapter/engine/embedded/scripted/grammar-source.ts";
import { parseKnowledge } from "../../../../../src/adapter/engine/embedded/scripted/knowledge.ts";
import {
  createSynthesiser,
  type Synthesiser,
} from "../../../../../src/adapter/engine/embedded/synthesiser.ts";
import { CLINIC_KNOWLEDGE } from "../../../../support/speech/dental-clinic.ts";

const PUBLISHED = new URL(
  "../../../../../node_modules/soundswallower/soundswallower.node.wasm",
  import.meta.url,
);
const FRAME_SAMPLES = 160;
const knowledge = parseKnowledge([{ filename: "faq.md", format: "md", content: CLINIC_KNOWLEDGE }]);

let synthesiser: Synthesiser;
let dictionary: Dictionary;
let modules: readonly RecogniserModule[];

beforeAll(async () => {
  synthesiser = await createSynthesiser();
  dictionary = await loadDictionary((text, language) => synthesiser.phonemes(text, language));
  const published = await loadRecogniserModule(readFileSync(fileURLToPath(PUBLISHED)));
  modules = [await loadRecogniserModule(), published];
}, 60_000);

test.each([false, true])(
  "two callers at once, words and sounds (all sounds: %p)",
  async (allSounds) => {
    const lines = await Promise.all([
      lineOf("m1", allSounds ? "Four five two oh nine." : "How much does a filling cost?"),
      lineOf("f4", allSounds ? "Twenty three." : "What do you charge for whitening?"),
    ]);
    const [ours, published] = await Promise.all(
      modules.map((module) => heard(module, lines, allSounds)),
    );
    expect(published?.filter(({ text }) => text !== "").length).toBe(4);
    expect(ours).toEqual(published ?? []);
  },
  120_000,
);

async function lineOf(voice: string, text: string): Promise<Float32Array> {
  const pcm = await synthesiser.speakAll({ text, voice, language: "en", sampleRateHz: 8000 });
  return mixed(new TelephoneAudio(8000).convert(pcm), 1);
}

test("after an utterance that broke off, and with another grammar", async () => {
  const lines = await Promise.all([
    lineOf("m1", "Do you have an appointment on Monday?"),
    lineOf("f4", "The day after tomorrow."),
    lineOf("m1", "How much does a crown cost?"),
  ]);
  const [ours, published] = await Promise.all(modules.map((module) => inTurn(module, lines)));
  expect(published?.filter(({ text }) => text !== "").length).toBe(3);
  expect(ours).toEqual(published ?? []);
}, 120_000);

/** By one decoder: a third of the first line, the second by a strict grammar, the others by the open graph. */
async function inTurn(module: RecogniserModule, [first, ...others]: readonly Float32Array[]) {
  const [words] = await pairOf(module, false);
  const dates = englishGrammar("date", dictionary);
  if (words === undefined || dates === null || first === undefined) throw new Error("no decoder");
  const hear = (line: Float32Array) => {
    words.start();
    for (let at = 0; at < line.length; at += FRAME_SAMPLES)
      words.process(line.subarray(at, at + FRAME_SAMPLES));
    return words.finish();
  };
  const heard = [hear(first.subarray(0, first.length / 3))];
  for (const [index, line] of others.entries()) {
    if (index === 0) {
      words.learn(dates.words, dates.vocabulary);
      words.setJsgf(dates.jsgf, CLOSED_GRAMMAR_SEARCH);
    } else useOpenGraph(words);
    heard.push(hear(line));
  }
  return heard;
}

function useOpenGraph(words: Decoder): void {
  const source = grammarSourceOf(knowledge, { language: "en", tools: [] });
  words.setGraph(openGraph(source, words, dictionary), OPEN_GRAPH_SEARCH);
}

/** Each line by a decoder of words and one of sounds, the lines in turns. */
async function heard(module: RecogniserModule, lines: readonly Float32Array[], allSounds: boolean) {
  const pairs: Decoder[][] = [];
  for (const _ of lines) pairs.push(await pairOf(module, allSounds));
  for (const decoder of pairs.flat()) decoder.start();
  const longest = Math.max(...lines.map(({ length }) => length));
  for (let at = 0; at < longest; at += FRAME_SAMPLES)
    for (const [index, line] of lines.entries())
      for (const decoder of pairs[index] ?? [])
        if (at < line.length) decoder.process(line.subarray(at, at + FRAME_SAMPLES));
  return pairs.flat().map((decoder) => decoder.finish());
}

async function pairOf(module: RecogniserModule, allSounds: boolean): Promise<Decoder[]> {
  const [words, sounds] = [
    new Decoder(module, await createRawDecoder(module, allSounds)),
    new Decoder(module, await createRawDecoder(module, allSounds)),
  ];
  const digits = allSounds ? englishGrammar("digits", dictionary) : null;
  if (digits === null) useOpenGraph(words);
  else {
    words.learn(digits.words, digits.vocabulary);
    words.setJsgf(digits.jsgf, CLOSED_GRAMMAR_SEARCH);
  }
  sounds.setGraph(SOUND_LOOP, SOUND_LOOP_SEARCH);
  return [words, sounds];
}
