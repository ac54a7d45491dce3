/** Cutting text into sentences to speak, and escaping it for SSML. */

import { ABBREVIATIONS } from "../../abbreviations.ts";

/**
 * Ends of sentences: punctuation, then a space, then something that can begin a sentence. A figure
 * after "plkst." or "24 d." begins none.
 */
const SENTENCE_BREAK = new RegExp(
  `(?<=[.!?…]["»”)]?)(?<!\\b[ap]\\.m\\.)(?!(?<=(?:^|[\\s(])(?:${ABBREVIATIONS})\\.)\\s+\\p{N})\\s+(?=["«“(]?[\\p{Lu}\\p{N}])|\\n+`,
  "u",
);

const PIECE_CHARACTERS_MIN = 12;

/** Whole sentences in order; very short ones ("Yes.") stay with what follows. */
export function splitSentences(text: string): string[] {
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
