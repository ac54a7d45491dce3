/**
 * Normalises texts for searches, and splits them into words. A text and a part of it are split at
 * the same places. So a text can contain the search text only if it contains each of its words:
 * whole, or at both ends as a part of a word.
 */

/** Longer words are found through `LONG_WORD`: their endings would take too much space. */
export const WORD_LETTERS_MAX = 32;

const NOT_ASCII = /[^\0-\x7f]/gu;
/** A sequence of letters and digits, or a single other character. */
const WORDS = /[\p{L}\p{N}\p{M}]+|[^\s\p{Cc}]/gu;
const IS_RUN = /^[\p{L}\p{N}\p{M}]/u;
const LETTERS_MAX = 20_000;

const foldedLetters = new Map<string, string>();

function foldedLetter(letter: string): string {
  const known = foldedLetters.get(letter);
  if (known !== undefined) return known;
  const made = (letter.normalize("NFD")[0] ?? letter).toLowerCase();
  if (foldedLetters.size < LETTERS_MAX) foldedLetters.set(letter, made);
  return made;
}

/** Without case and accents, one letter per letter: "Sąskaita" is found by "saskaita". */
export const folded = (text: string): string => text.replace(NOT_ASCII, foldedLetter).toLowerCase();

/** The words of folded texts, each once. */
export function wordsOf(texts: Iterable<string>): Set<string> {
  const words = new Set<string>();
  for (const text of texts)
    for (const [word] of text.matchAll(WORDS)) words.add(word.toWellFormed());
  return words;
}

/**
 * A word that a text must contain: the whole word, or a word that begins with it, ends with it, or
 * contains it.
 */
export interface SoughtWord {
  readonly match: "whole" | "beginning" | "ending" | "inside";
  readonly text: string;
}

/** Conditions for the words of a text that contains this folded text. */
export function wordsSought(text: string): SoughtWord[] {
  return [...text.matchAll(WORDS)].map(({ 0: word, index }) => {
    const isRun = IS_RUN.test(word);
    const isFirst = isRun && index === 0;
    const isLast = isRun && index + word.length === text.length;
    const match = isFirst ? (isLast ? "inside" : "ending") : isLast ? "beginning" : "whole";
    return { match, text: word.toWellFormed() };
  });
}
