/**
 * A model's text, as it is written, cut into pieces to speak: whole sentences, the first one earlier
 * when it is long, so that TTS can begin. Markup, emoji, thoughts and written tool calls (written-answer.ts) are
 * removed. The first piece waits while it may still turn out to be a thought.
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
/** Each end of a sentence is judged by all that stands before it. */
const DELTA_CHARACTERS_MAX = 1_000;

/** How models begin a thought whose opening tag their template has taken. */
const SOUNDS_LIKE_THOUGHT =
  /\bthe (?:user|caller|customer)(?:'s)? (?:\w+ )?(?:asks?|asked|asking|wants?|says?|said|is|wrote|question|message|request)\b|\bI (?:should|need to|have to|must|will) (?:say|answer|respond|reply|tell|call|use|check)\b|\b(?:we|I) need to (?:answer|respond|call|produce)\b/iu;

interface SpokenPiecesOptions {
  readonly toolNames?: readonly string[];
  /** The model may write its thoughts before the answer, without an opening tag. */
  readonly mayThink?: () => boolean;
}

export class SpokenPieces {
  readonly #written: WrittenAnswer;
  #text = "";
  #spoken = 0;
  /** Nothing is handed out: it may be a thought. */
  #isHeld: boolean | null = null;

  constructor(private readonly options: SpokenPiecesOptions = {}) {
    this.#written = new WrittenAnswer(options.toolNames);
  }

  /** Tool calls in the text. */
  get calls(): readonly WrittenCall[] {
    return this.#written.calls;
  }

  /** Nothing was handed out. */
  get isSilent(): boolean {
    return this.#spoken === 0;
  }

  /** The end of a thought came without its beginning. */
  get hasLoneThoughtEnd(): boolean {
    return this.#written.hasLoneEnd;
  }

  /** Pieces that are complete now. */
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

  /** The text is over: what is left. */
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

/** Elements of HTML and SSML. Other words between `<` and `>` are text, unless written like a tag. */
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

/** A row of a table, read out cell by cell. */
const tableRow = (row: string): string => {
  const cells = row.split("|").map((cell) => cell.trim());
  const said = cells.filter((cell) => cell !== "" && !/^:?-+:?$/.test(cell));
  return said.length === 0 ? "" : `${said.join(", ")}.`.replace(/([.!?…])\.$/u, "$1");
};

const ARROWS =
  /\s*(?:<?[-=]{1,3}>|<[-=]{2,3}|[\u2190-\u21ff\u27f0-\u27ff\u2900-\u297f\u2b00-\u2bff\u{1f800}-\u{1f8ff}])+\ufe0f?\s*/gu;
const EMOJI =
  /(?![\d#*])[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}]|[\u2500-\u27bf\p{Co}]|\u20e3|\ufe0f|\u200d/gu;

/** Text as it is said: no markup (SSML too), addresses of links, tables, emoji or invisible characters. */
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

/** A whole text, as it is said. */
export function plainText(text: string): string {
  const pieces = new SpokenPieces();
  return [...pieces.push(text), ...pieces.end()].join(" ");
}

/** A whole text without thoughts and special tokens; its lines and markup stay. */
export function withoutThoughts(text: string): string {
  const written = new WrittenAnswer();
  const { text: begin } = written.push(text);
  return begin + written.end();
}
