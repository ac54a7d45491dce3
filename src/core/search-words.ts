/**
 * Texts as searches compare them, and their words. A text and a part of it are cut at the same places, so
 * that what is looked for stands in a text only if each of its words does: whole, or, at both ends, a
 * part of one.
 */

/** Longer words are found through `LONG_WORD`: their endings would take much room. */
export const WORD_LETTERS_MAX = 32;

const NOT_ASCII = /[^\0-\x7f]/gu;
/** Letters and digits in a row; of other signs each one. */
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

/** Without case and accents, a letter for a letter: "Sąskaita" is found by "saskaita". */
export const folded = (text: string): string => text.replace(NOT_ASCII, foldedLetter).toLowerCase();

/** The words of folded texts, each once. */
export function wordsOf(texts: Iterable<string>): Set<string> {
  const words = new Set<string>();
  for (const text of texts)
    for (const [word] of text.matchAll(WORDS)) words.add(word.toWellFormed());
  return words;
}

/** A word that a text must have: as it is, or one that begins or ends with it, or has it inside. */
export interface SoughtWord {
  readonly match: "whole" | "beginning" | "ending" | "inside";
  readonly text: string;
}

/** What the words of a text must be like, if this folded text stands in it. */
export function wordsSought(text: string): SoughtWord[] {
  return [...text.matchAll(WORDS)].map(({ 0: word, index }) => {
    const isRun = IS_RUN.test(word);
    const isFirst = isRun && index === 0;
    const isLast = isRun && index + word.length === text.length;
    const match = isFirst ? (isLast ? "inside" : "ending") : isLast ? "beginning" : "whole";
    return { match, text: word.toWellFormed() };
  });
}
