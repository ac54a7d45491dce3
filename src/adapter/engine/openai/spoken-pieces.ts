/**
 * A model's text, as it is written, cut into pieces to speak: whole sentences, the first one earlier
 * when it is long, so that TTS can begin. What cannot be spoken goes: markup, emoji, and the
 * thoughts that some models write between `<think>` tags.
 */
import { ABBREVIATIONS } from "../abbreviations.ts";

const SENTENCE_END = /[.!?…]+["»”’)\]]*(?=\s)|\n+/gu;
const CLAUSE_END = /[,;:–—](?=\s)/gu;
const ABBREVIATION = new RegExp(`(?:^|[\\s(])(?:${ABBREVIATIONS}|\\d{1,2})\\.$`, "u");
const FIRST_CLAUSE_CHARACTERS_MIN = 50;
const PIECE_CHARACTERS_MIN = 12;
const PIECE_CHARACTERS_MAX = 300;
/** Each end of a sentence is judged by all that stands before it. */
const DELTA_CHARACTERS_MAX = 1_000;

export class SpokenPieces {
  readonly #thoughts = new ThoughtFilter();
  #text = "";
  #spoken = 0;

  /** Pieces that are complete now. */
  push(delta: string): string[] {
    const said = this.#thoughts.push(delta);
    const pieces: string[] = [];
    for (let at = 0; at < said.length; at += DELTA_CHARACTERS_MAX) {
      this.#text += said.slice(at, at + DELTA_CHARACTERS_MAX);
      pieces.push(...this.#cut());
    }
    return pieces;
  }

  /** The text is over: what is left. */
  end(): string[] {
    this.#text += this.#thoughts.end();
    const pieces = this.#cut();
    const last = speakable(this.#text);
    this.#text = "";
    return last === "" ? pieces : [...pieces, last];
  }

  #cut(): string[] {
    const pieces: string[] = [];
    for (let end = this.#nextEnd(); end > 0; end = this.#nextEnd()) {
      const piece = speakable(this.#text.slice(0, end));
      this.#text = this.#text.slice(end);
      if (piece === "") continue;
      pieces.push(piece);
      this.#spoken++;
    }
    return pieces;
  }

  /** Where the next piece ends; 0: not known yet. */
  #nextEnd(): number {
    for (const match of this.#text.matchAll(SENTENCE_END)) {
      const end = match.index + match[0].length;
      const sentence = this.#text.slice(0, end);
      if (sentence.trim().length < PIECE_CHARACTERS_MIN) continue;
      if (match[0] === "." && ABBREVIATION.test(sentence)) continue;
      return end;
    }
    if (this.#spoken === 0) {
      for (const match of this.#text.matchAll(CLAUSE_END)) {
        if (match.index >= FIRST_CLAUSE_CHARACTERS_MIN) return match.index + 1;
      }
    }
    if (this.#text.length <= PIECE_CHARACTERS_MAX) return 0;
    const space = this.#text.lastIndexOf(" ", PIECE_CHARACTERS_MAX);
    return space > 0 ? space : PIECE_CHARACTERS_MAX;
  }
}

const TAG = /<\/?[a-z][\w:.-]*(?:[\s/][^<>]*)?>/giu;
const TAG_BEFORE_WORD = new RegExp(`${TAG.source}(?=[\\p{L}\\p{N}])`, "giu");

/** As it is said: without markup (SSML too), links' addresses, emoji and what cannot be seen. */
export function speakable(text: string): string {
  return text
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/```\w*|`|\*\*|__|(?<=^|\s)[*_](?=\S)|(?<=\S)[*_](?=\s|[.,!?]|$)/g, "")
    .replace(/^\s*(?:#{1,6}|[-*•]|>)\s+/gm, "")
    .replace(/\p{Extended_Pictographic}|\u200d|\ufe0f/gu, "")
    .replace(TAG_BEFORE_WORD, " ")
    .replace(TAG, "")
    .replace(/[\p{Cf}\p{Cs}]+/gu, "")
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
}

const OPEN = "<think>";
const CLOSE = "</think>";

/** Drops what stands between the tags, however the text is cut. */
class ThoughtFilter {
  #held = "";
  #thinking = false;

  push(delta: string): string {
    this.#held += delta;
    let out = "";
    for (;;) {
      const tag = this.#thinking ? CLOSE : OPEN;
      const at = this.#held.indexOf(tag);
      if (at < 0) break;
      if (!this.#thinking) out += this.#held.slice(0, at);
      this.#held = this.#held.slice(at + tag.length);
      this.#thinking = !this.#thinking;
    }
    const keep = beginningOf(this.#thinking ? CLOSE : OPEN, this.#held);
    const sure = this.#held.slice(0, this.#held.length - keep);
    this.#held = this.#held.slice(this.#held.length - keep);
    return this.#thinking ? out : out + sure;
  }

  end(): string {
    const rest = this.#thinking ? "" : this.#held;
    this.#held = "";
    return rest;
  }
}

/** How many characters at the end of `text` may be the beginning of `tag`. */
function beginningOf(tag: string, text: string): number {
  for (let length = Math.min(tag.length - 1, text.length); length > 0; length--) {
    if (tag.startsWith(text.slice(-length))) return length;
  }
  return 0;
}
