/**
 * Builds what a decoder listens with: the agent's own graph, the closed grammars for short answers
 * and the bare row of sounds that everything is measured against.
 */

import { LEXICON } from "../scripted/lexicon.ts";
import { wordsOf } from "../scripted/words.ts";
import type { GrammarSource } from "../speech-messages.ts";
import { PHONE_WORDS } from "./arpabet.ts";
import { type BigramGraph, buildBigramGraph, type WeightedSentence } from "./bigram-graph.ts";
import { CARRIER_PHRASES } from "./carriers.ts";
import type { Decoder, Vocabulary } from "./decoder.ts";
import type { SearchSettings } from "./soundswallower.ts";

/** Bounds the time of a build and of every utterance: beyond this knowledge is cut. */
const QUESTIONS_MAX = 600;
const CONTEXT_WORDS_MAX = 1_500;
/** Callers say these to most of what the agent says; heard as other words they would cut it short. */
const LISTENING = [...LEXICON.en.listening, "mhm", "uh huh", "aha"];

export function openGraph(source: GrammarSource, decoder: Decoder, words: Vocabulary): BigramGraph {
  const questions = source.questions.slice(0, QUESTIONS_MAX).map((text) => wordsOf(text, "en"));
  const carriers = CARRIER_PHRASES.map((text) => text.split(" "));
  const commands = Object.values(LEXICON.en)
    .flat()
    .map((text) => text.split(" "));
  const context = contextOf(source);
  const sentences: WeightedSentence[] = [
    ...questions.map((sentence) => ({ words: sentence, weight: 2 })),
    ...carriers.map((sentence) => ({ words: sentence, weight: 1 })),
    ...commands.map((sentence) => ({ words: sentence, weight: 0.5 })),
    ...LISTENING.map((text) => ({ words: text.split(" "), weight: 1.5 })),
    ...context.map((sentence) => ({ words: sentence, weight: 0.3 })),
  ];
  const all = new Set(sentences.flatMap((sentence) => sentence.words));
  const unknown = decoder.learn(all, words);
  return buildBigramGraph(
    sentences.filter(({ words }) => words.length > 0 && !words.some((word) => unknown.has(word))),
  );
}

function contextOf(source: GrammarSource): string[][] {
  const sentences: string[][] = [];
  let words = 0;
  for (const text of source.context) {
    for (const sentence of text.split(/[.!?;:]\s+/)) {
      const list = wordsOf(sentence, "en");
      words += list.length;
      if (words > CONTEXT_WORDS_MAX) return sentences;
      sentences.push(list);
    }
  }
  return sentences;
}

/** The narrowest beams that lost nothing: three times cheaper than the recogniser's advice. */
export const OPEN_GRAPH_SEARCH: SearchSettings = {
  beam: 1e-50,
  wordBeam: 1e-36,
  wordInsertionPenalty: 0.2,
  languageWeight: 6.5,
  fillerProbability: 1e-8,
};
export const CLOSED_GRAMMAR_SEARCH: SearchSettings = {
  beam: 1e-80,
  wordBeam: 1e-60,
  wordInsertionPenalty: 0.65,
  languageWeight: 1,
  fillerProbability: 1e-36,
};
export const SOUND_LOOP_SEARCH: SearchSettings = {
  beam: 1e-40,
  wordBeam: 1e-30,
  wordInsertionPenalty: 0.65,
  languageWeight: 6.5,
  fillerProbability: 1e-8,
};

/** Another sound follows or none does, and each is as likely. The root takes back the graph's weighing of words. */
const SOUND_PROBABILITY = (0.5 / PHONE_WORDS.length) ** (1 / SOUND_LOOP_SEARCH.languageWeight);

/**
 * Any sounds in any order. One state: the grammar `( … )+` has each sound twice, and a state with silences after
 * each. Its scores are the same, and it takes half as long again.
 */
export const SOUND_LOOP: BigramGraph = {
  states: 1,
  start: 0,
  final: 0,
  arcs: PHONE_WORDS.map((word) => ({ from: 0, to: 0, probability: SOUND_PROBABILITY, word })),
};

/** For a decoder whose words nobody wants. */
export const ONE_SOUND = `#JSGF V1.0;
grammar one;
public <s> = ${PHONE_WORDS[0]};`;
