/** Splits text into sentences for speech and escapes it for SSML. */

import { ABBREVIATIONS } from "../../abbreviations.ts";

/**
 * End of a sentence: punctuation, a space, then a possible beginning of a sentence. A number after
 * "plkst." or "24 d." is not a beginning.
 */
const SENTENCE_BREAK = new RegExp(
  `(?<=[.!?…]["»”)]?)(?<!\\b[ap]\\.m\\.)(?!(?<=(?:^|[\\s(])(?:${ABBREVIATIONS})\\.)\\s+\\p{N})\\s+(?=["«“(]?[\\p{Lu}\\p{N}])|\\n+`,
  "u",
);

const PIECE_CHARACTERS_MIN = 12;
/** A voice synthesises one piece at a time. In a longer one, the first sound would be late. */
const PIECE_CHARACTERS_MAX = 400;

/**
 * Returns whole sentences in order. Very short ones ("Yes.") are joined with the next; those longer
 * than `charactersMax` are split.
 */
export function splitSentences(text: string, charactersMax = PIECE_CHARACTERS_MAX): string[] {
  return wholeSentences(text).flatMap((sentence) => partsOf(sentence, charactersMax));
}

/** Splits at a comma in the second half, else at a space. */
function partsOf(sentence: string, most: number): string[] {
  if (sentence.length <= most) return [sentence];
  const part = new RegExp(
    `.{${most >> 1},${most - 1}}[,;:](?=\\s)|.{1,${most}}(?=\\s|$)|.{1,${most}}`,
    "gsu",
  );
  return (sentence.match(part) ?? []).map((each) => each.trim()).filter((each) => each !== "");
}

function wholeSentences(text: string): string[] {
  const pieces: string[] = [];
  let pending = "";
  for (const part of text.split(SENTENCE_BREAK)) {
    const sentence = part.trim();
    if (sentence === "") continue;
    pending = pending === "" ? sentence : `${pending} ${sentence}`;
    if (pending.length < PIECE_CHARACTERS_MIN) continue;
    pieces.push(pending);
    pending = "";
  }
  if (pending !== "") pieces.push(pending);
  return pieces;
}

export function escapeSsml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, " ");
}
