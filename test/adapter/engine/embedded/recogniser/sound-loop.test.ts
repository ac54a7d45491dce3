/** The loop of bare sounds that words are measured against. */
import { beforeAll, expect, test } from "bun:test";
import { PHONE_WORDS } from "../../../../../src/adapter/engine/embedded/recogniser/arpabet.ts";
import { Decoder } from "../../../../../src/adapter/engine/embedded/recogniser/decoder.ts";
import {
  SOUND_LOOP,
  SOUND_LOOP_SEARCH,
} from "../../../../../src/adapter/engine/embedded/recogniser/grammar.ts";
import {
  createRawDecoder,
  loadRecogniserModule,
} from "../../../../../src/adapter/engine/embedded/recogniser/soundswallower.ts";
import {
  mixed,
  TelephoneAudio,
} from "../../../../../src/adapter/engine/embedded/recogniser/telephone-audio.ts";
import {
  createSynthesiser,
  type Synthesiser,
} from "../../../../../src/adapter/engine/embedded/synthesiser.ts";

const AS_GRAMMAR = `#JSGF V1.0;
grammar loop;
public <s> = ( ${PHONE_WORDS.join(" | ")} )+;`;
const FRAME_SAMPLES = 80;
/** Of a 10 ms frame. Confidence falls from 0.5 to 0.27 over 4. */
const DIFFERENCE_MAX = 0.05;

let synthesiser: Synthesiser;

beforeAll(async () => {
  synthesiser = await createSynthesiser();
});

test.each([false, true])(
  "scores as the grammar does (all sounds: %p)",
  async (allSounds) => {
    const module = await loadRecogniserModule();
    const [graph, grammar] = [
      new Decoder(module, await createRawDecoder(module, allSounds)),
      new Decoder(module, await createRawDecoder(module, allSounds)),
    ];
    graph.setGraph(SOUND_LOOP, SOUND_LOOP_SEARCH);
    grammar.setJsgf(AS_GRAMMAR, SOUND_LOOP_SEARCH);
    for (const [voice, text] of [
      ["m1", "Can I pay by card?"],
      ["f4", "Where are you?"],
    ] as const) {
      const order = { text, voice, language: "en", sampleRateHz: 8000 } as const;
      const audio = mixed(new TelephoneAudio(8000).convert(await synthesiser.speakAll(order)), 1);
      const [byGraph, byGrammar] = [graph, grammar].map((decoder) => scoreOf(decoder, audio));
      const frames = audio.length / FRAME_SAMPLES;
      expect(byGrammar).toBeLessThan(-frames);
      expect(Math.abs((byGraph ?? 0) - (byGrammar ?? 0)) / frames).toBeLessThan(DIFFERENCE_MAX);
    }
  },
  60_000,
);

function scoreOf(decoder: Decoder, audio: Float32Array): number {
  decoder.start();
  decoder.process(audio);
  return decoder.finish().score;
}
