/**
 * How well the embedded engine understands callers, with knowledge and voices never used for tuning. Each caller in turn asks each question, in an order that mixes all kinds.
 */
import { type Caller, createVoices, type Voices } from "./callers.ts";
import { type Faq, type Kind, type Question, questionsOf } from "./faqs/faq.ts";
import { createLaboratory, type Hearing, type Laboratory, type Outcome } from "./trials.ts";

export interface Trial extends Question {
  readonly faq: string;
  readonly caller: string;
  readonly heard: Hearing;
  readonly outcome: Outcome;
}

export const KINDS: readonly Kind[] = ["as written", "paraphrased", "off topic"];

/** `trials`: maximum per FAQ; all: every question by every caller. */
export async function measureUnderstanding(
  faqs: readonly Faq[],
  callers: readonly Caller[],
  trials: number,
): Promise<Trial[]> {
  const [voices, laboratory] = await Promise.all([createVoices(), createLaboratory()]);
  const done: Trial[] = [];
  for (const faq of faqs)
    done.push(...(await measureFaq({ voices, laboratory }, faq, callers, trials)));
  return done;
}

async function measureFaq(
  { voices, laboratory }: { voices: Voices; laboratory: Laboratory },
  faq: Faq,
  callers: readonly Caller[],
  trials: number,
): Promise<Trial[]> {
  const questions = questionsOf(faq);
  const all = questions.length * callers.length;
  const step = Math.max(1, all / trials);
  const done: Trial[] = [];
  for (let at = 0; Math.floor(at) < all; at += step) {
    const trial = Math.floor(at);
    const question = questions[Math.floor(trial / callers.length)];
    const caller = callers[(trial + Math.floor(trial / callers.length)) % callers.length];
    if (question === undefined || caller === undefined) continue;
    const pcm = await voices.say(caller, question.said);
    if (pcm === null) continue;
    const heard = await laboratory.hear(pcm, trial + 1);
    const outcome = await laboratory.reply(faq, question, heard);
    done.push({ ...question, faq: faq.name, caller: caller.name, heard, outcome });
  }
  return done;
}

/** Wilson's 95 % interval of a share. */
export function interval(count: number, of: number): readonly [number, number] {
  if (of === 0) return [0, 1];
  const z = 1.96;
  const share = count / of;
  const centre = share + (z * z) / (2 * of);
  const spread = z * Math.sqrt((share * (1 - share)) / of + (z * z) / (4 * of * of));
  const scale = 1 + (z * z) / of;
  return [Math.max(0, (centre - spread) / scale), Math.min(1, (centre + spread) / scale)];
}
