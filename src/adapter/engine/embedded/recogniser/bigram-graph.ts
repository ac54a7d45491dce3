/**
 * A word graph that follows sentences like the given ones and may back off to any word at any time,
 * or to a single sound where no word fits. It hears paraphrases, which a list of sentences cannot.
 */
import { PHONE_WORDS } from "./arpabet.ts";

export interface BigramGraph {
  readonly states: number;
  readonly start: number;
  readonly final: number;
  readonly arcs: readonly GraphArc[];
}

interface GraphArc {
  readonly from: number;
  readonly to: number;
  readonly probability: number;
  /** Null: passed without a word. */
  readonly word: string | null;
}

export interface WeightedSentence {
  readonly words: readonly string[];
  readonly weight: number;
}

const BACK_OFF = 0.05;
const SOUND = 0.03;
const SENTENCE_START = "<s>";
const SENTENCE_END = "</s>";

export function buildBigramGraph(sentences: readonly WeightedSentence[]): BigramGraph {
  const { unigrams, bigrams } = count(sentences);
  const words = [...unigrams.keys()];
  const stateOf = new Map(words.map((word, index) => [word, index]));
  const start = words.length;
  const backOff = start + 1;
  const final = start + 2;
  const arcs: GraphArc[] = [];
  const total = sum(unigrams.values()) + 0.5 * words.length;

  for (const [word, state] of stateOf) {
    const probability = ((unigrams.get(word) ?? 0) + 0.5) / total;
    arcs.push({ from: backOff, to: state, probability, word });
  }
  const follow = (from: number, word: string) => {
    const followers = bigrams.get(word) ?? new Map<string, number>();
    const seen = sum(followers.values());
    for (const [next, times] of followers) {
      const probability = ((1 - BACK_OFF) * times) / seen;
      if (next === SENTENCE_END) arcs.push({ from, to: final, probability, word: null });
      else arcs.push({ from, to: stateOf.get(next) ?? backOff, probability, word: next });
    }
    arcs.push({ from, to: backOff, probability: BACK_OFF, word: null });
    if (!followers.has(SENTENCE_END)) {
      arcs.push({ from, to: final, probability: BACK_OFF * 0.1, word: null });
    }
  };
  follow(start, SENTENCE_START);
  for (const [word, state] of stateOf) follow(state, word);
  for (const word of PHONE_WORDS) {
    arcs.push({ from: backOff, to: backOff, probability: SOUND, word });
  }
  arcs.push({ from: backOff, to: final, probability: 0.01, word: null });
  return { states: words.length + 3, start, final, arcs };
}

function count(sentences: readonly WeightedSentence[]) {
  const unigrams = new Map<string, number>();
  const bigrams = new Map<string, Map<string, number>>();
  for (const { words, weight } of sentences) {
    let previous = SENTENCE_START;
    for (const word of [...words, SENTENCE_END]) {
      if (word !== SENTENCE_END) unigrams.set(word, (unigrams.get(word) ?? 0) + weight);
      const followers = bigrams.get(previous) ?? new Map<string, number>();
      bigrams.set(previous, followers);
      followers.set(word, (followers.get(word) ?? 0) + weight);
      previous = word;
    }
  }
  return { unigrams, bigrams };
}

function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
