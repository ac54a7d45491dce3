/**
 * Word error rate for sentences recorded by a person, over G.711 with line noise
 * (test/support/speech).
 */

import { systemClock } from "../../src/core/clock.ts";
import { seededRandom } from "../../src/core/random.ts";
import { Transcriber } from "../../src/engine/embedded/recogniser/transcriber.ts";
import {
  recordedPrompts,
  wordsOf,
  wrongWords,
} from "../../test/support/speech/recorded-prompts.ts";
import { overTelephone } from "../../test/support/speech/telephone-line.ts";

const TRANSCRIBER = new URL("../../src/worker/transcriber.worker.ts", import.meta.url).href;

interface Misread {
  readonly said: string;
  readonly read: string;
  readonly wrong: number;
}

export interface HearingResult {
  readonly sentences: number;
  readonly words: number;
  readonly wrong: number;
  readonly misread: readonly Misread[];
}

/** Returns null if the package is not installed. `noiseDb`: noise level below the speech. */
export async function measureHearing(count: number, noiseDb = 35): Promise<HearingResult | null> {
  const prompts = recordedPrompts(count);
  if (prompts === null) return null;
  const transcriber = new Transcriber({ spawn: () => new Worker(TRANSCRIBER), clock: systemClock });
  const misread: Misread[] = [];
  let [words, wrong] = [0, 0];
  for (const [seed, { text: said, pcm }] of prompts.entries()) {
    const line = overTelephone(pcm, seededRandom(seed + 1), noiseDb);
    const read = (await transcriber.transcribe(line, 8000).result)?.text ?? "";
    const errors = wrongWords(wordsOf(said), wordsOf(read));
    words += wordsOf(said).length;
    wrong += errors;
    if (errors > 0) misread.push({ said, read, wrong: errors });
  }
  transcriber.unload();
  return { sentences: prompts.length, words, wrong, misread };
}
