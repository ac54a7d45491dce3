/**
 * Splits a model's streamed text into pieces to speak: whole sentences. A long first sentence is
 * split earlier, so that TTS can begin. Removes markup, emoji, reasoning and written tool calls
 * (written-answer.ts). The first piece waits as long as it may be reasoning.
 */
import { ABBREVIATIONS } from "../abbreviations.ts";
import { WrittenAnswer } from "./written-answer.ts";
import type { WrittenCall } from "./written-calls.ts";

const SENTENCE_END = /[.!?…]+["»”’)\]]*(?=\s)|\n+/gu;
const CLAUSE_END = /[,;:–—](?=\s)/gu;
const ABBREVIATION = new RegExp(`(?:^|[\\s(])(?:${ABBREVIATIONS}|\\d{1,2})\\.$`, "u");
const FIRST_CLAUSE_CHARACTERS_MIN = 50;
const PIECE_CHARACTERS_MIN = 12;
const PIECE_CHARACTERS_MAX = 300;
/** For each possible end of a sentence, the regex checks all text before it. */
const DELTA_CHARACTERS_MAX = 1_000;

/** Typical beginnings of reasoning whose opening tag was removed by the template. */
const SOUNDS_LIKE_THOUGHT =
  /\bthe (?:user|caller|customer)(?:'s)? (?:\w+ )?(?:asks?|asked|asking|wants?|says?|said|is|wrote|question|message|request)\b|\bI (?:should|need to|have to|must|will) (?:say|answer|respond|reply|tell|call|use|check)\b|\b(?:we|I) need to (?:answer|respond|call|produce)\b/iu;

interface SpokenPiecesOptions {
  readonly toolNames?: readonly string[];
  /** The model may write its reasoning before the answer, without an opening tag. */
  readonly mayThink?: () => boolean;
}

export class SpokenPieces {
  readonly #written: WrittenAnswer;
  #text = "";
  #spoken = 0;
  /** True while the text may be reasoning. Nothing is returned until then. */
  #isHeld: boolean | null = null;

  constructor(private readonly options: SpokenPiecesOptions = {}) {
    this.#written = new WrittenAnswer(options.toolNames);
  }

  get calls(): readonly WrittenCall[] {
    return this.#written.calls;
  }

  /** True if nothing was returned. */
  get isSilent(): boolean {
    return this.#spoken === 0;
  }

  /** True if reasoning ended that had no beginning. */
  get hasLoneThoughtEnd(): boolean {
    return this.#written.hasLoneEnd;
  }

  /** Returns the pieces that are now complete. */
  push(delta: string): string[] {
    this.#isHeld ??= this.options.mayThink?.() ?? false;
    const pieces: string[] = [];
    for (let at = 0; at < delta.length; at += DELTA_CHARACTERS_MAX) {
      const { text, voided } = this.#written.push(delta.slice(at, at + DELTA_CHARACTERS_MAX));
      if (voided) this.#text = "";
      if (voided || this.#written.hasWholeThought) this.#isHeld = false;
      this.#text += text;
      pieces.push(...this.#cut());
    }
    return pieces;
  }

  /** The text has ended: returns the rest. */
  end(): string[] {
    this.#text += this.#written.end();
    this.#isHeld = false;
    const pieces = this.#cut(true);
    const last = speakable(this.#text);
    this.#text = "";
    if (last === "") return pieces;
    this.#spoken++;
    return [...pieces, last];
  }

  #cut(isOver = false): string[] {
    const pieces: string[] = [];
    if (this.#isHeld) return pieces;
    for (let end = this.#nextEnd(); end > 0; end = this.#nextEnd()) {
      const piece = speakable(this.#text.slice(0, end));
      if (!isOver && this.#spoken === 0 && SOUNDS_LIKE_THOUGHT.test(piece)) {
        this.#isHeld = true;
        return pieces;
      }
      this.#text = this.#text.slice(end);
      if (piece === "") continue;
      pieces.push(piece);
      this.#spoken++;
    }
    return pieces;
  }

  /** End of the next piece; 0 if not known yet. */
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

/**
 * Elements of HTML and SSML. Other words between `<` and `>` are text, unless they look like a tag.
 */
const ELEMENTS =
  "a|abbr|answer|audio|b|big|blockquote|body|br|break|button|center|cite|code|del|details|div|em|emphasis|figure|font|footer|form|h[1-6]|head|header|hr|html|i|img|input|ins|kbd|lang|lexicon|li|link|main|mark|nav|ol|output|p|paragraph|phoneme|pre|prosody|q|response|s|say-as|section|sentence|small|span|speak|speech|strike|strong|style|sub|summary|sup|table|tbody|td|tfoot|th|thead|title|tr|tt|u|ul|video|voice|w";
const TAG = new RegExp(
  `</[a-z][\\w:.-]*\\s*>|<[a-z][\\w:.-]*(?:\\s[^<>]*)?/>|<[a-z][\\w:.-]*\\s+[\\w:.-]+\\s*=[^<>]*>|<(?:${ELEMENTS}|[a-z]+:[\\w-]+)\\s*>`,
  "giu",
);
const TAG_BEFORE_WORD = new RegExp(`(?:${TAG.source})(?=[\\p{L}\\p{N}])`, "giu");
const PLACEHOLDER = /<(?=\p{L})([^<>\n]*[\p{L}\p{N}.!?)/])>/gu;

const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  apos: "'",
  quot: '"',
  lt: "<",
  gt: ">",
  nbsp: " ",
  euro: "€",
  pound: "£",
  cent: "¢",
  deg: "°",
  times: "×",
  ndash: "–",
  mdash: "—",
  hellip: "…",
  laquo: "«",
  raquo: "»",
  ldquo: "“",
  rdquo: "”",
  bdquo: "„",
  lsquo: "‘",
  rsquo: "’",
  sect: "§",
};
const ENTITY = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,8}\d?));/giu;

function entityText(_: string, decimal?: string, hex?: string, name?: string): string {
  if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? " ";
  const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
  return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : " ";
}

/** Reads a row of a table cell by cell. */
const tableRow = (row: string): string => {
  const cells = row.split("|").map((cell) => cell.trim());
  const said = cells.filter((cell) => cell !== "" && !/^:?-+:?$/.test(cell));
  return said.length === 0 ? "" : `${said.join(", ")}.`.replace(/([.!?…])\.$/u, "$1");
};

const ARROWS =
  /\s*(?:<?[-=]{1,3}>|<[-=]{2,3}|[\u2190-\u21ff\u27f0-\u27ff\u2900-\u297f\u2b00-\u2bff\u{1f800}-\u{1f8ff}])+\ufe0f?\s*/gu;
const EMOJI =
  /(?![\d#*])[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}]|[\u2500-\u27bf\p{Co}]|\u20e3|\ufe0f|\u200d/gu;

/**
 * Text for speech: without markup (also SSML), link addresses, tables, emoji or invisible
 * characters.
 */
export function speakable(text: string): string {
  return text
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/【[^】]*】/gu, "")
    .replace(/^[ \t]*(?:[-*_=][ \t]*){3,}$/gm, "")
    .replace(/^[ \t]*\|.*\|[ \t]*$/gm, tableRow)
    .replace(/~~(?=\S)[^~]*~~|~~/g, "")
    .replace(/```\w*|`|\*\*|__|(?<=^|\s)[*_](?=\S)|(?<=\S)[*_](?=\s|[.,!?]|$)/g, "")
    .replace(/^\s*(?:#{1,6}|[-*•]|>)\s+/gm, "")
    .replace(/<!--[\s\S]*?-->/g, "")
    .replace(TAG_BEFORE_WORD, " ")
    .replace(TAG, "")
    .replace(PLACEHOLDER, "$1")
    .replace(ENTITY, entityText)
    .replace(ARROWS, ", ")
    .replace(EMOJI, "")
    .replace(/[\p{Cf}\p{Cs}]+/gu, "")
    .replace(/[\s\p{Cc}]+/gu, " ")
    .replace(/^[,\s]+(?=\S)|\s+(?=[,.!?](?:\s|$))/gu, "")
    .trim();
}

/** Converts a whole text for speech. */
export function plainText(text: string): string {
  const pieces = new SpokenPieces();
  return [...pieces.push(text), ...pieces.end()].join(" ");
}

/** A whole text without reasoning and special tokens. Keeps lines and markup. */
export function withoutThoughts(text: string): string {
  const written = new WrittenAnswer();
  const { text: begin } = written.push(text);
  return begin + written.end();
}
