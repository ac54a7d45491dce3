/**
 * Sentences recorded by a person: the English prompts of Debian's asterisk-core-sounds-en-wav, with
 * the words from its documentation. Nothing in Linevoice was tuned with them.
 */
import { existsSync, readFileSync } from "node:fs";

const SOUNDS = "/usr/share/asterisk/sounds/en_US_f_Allison";
const TEXTS = "/usr/share/doc/asterisk-core-sounds-en/core-sounds-en.txt.gz";
const WORDS_MIN = 5;
const WORDS_MAX = 25;
const WAV_HEADER_BYTES = 44;

export interface RecordedPrompt {
  readonly name: string;
  readonly text: string;
  /** 8 kHz. */
  readonly pcm: Int16Array;
}

/** Null if the packages are not installed. The sentences are spread evenly over the whole list. */
export function recordedPrompts(count: number): readonly RecordedPrompt[] | null {
  if (!existsSync(TEXTS) || !existsSync(SOUNDS)) return null;
  const prompts = listed();
  return Array.from({ length: count }, (_, at) => {
    const prompt = prompts[Math.floor((at * prompts.length) / count)];
    if (prompt === undefined) throw new Error(`there are only ${prompts.length} prompts`);
    const bytes = new Uint8Array(readFileSync(`${SOUNDS}/${prompt.name}.wav`));
    return { ...prompt, pcm: new Int16Array(bytes.buffer.slice(WAV_HEADER_BYTES)) };
  });
}

/** Whole sentences only. The list also has fragments and wrong texts. */
function listed() {
  const seen = new Set<string>();
  return Buffer.from(Bun.gunzipSync(readFileSync(TEXTS)))
    .toString("utf8")
    .split("\n")
    .map((line) => /^([\w/-]+): (.+)$/.exec(line.trim()))
    .flatMap((match) => (match ? [{ name: match[1] ?? "", text: match[2] ?? "" }] : []))
    .filter(({ name, text }) => {
      const words = wordsOf(text);
      const key = words.join(" ");
      const isWhole = !/\.\.\.|[*#([]/.test(text) && !seen.has(key);
      seen.add(key);
      const isLong = words.length >= WORDS_MIN && words.length <= WORDS_MAX;
      return isWhole && isLong && existsSync(`${SOUNDS}/${name}.wav`);
    });
}

const UNITS = "zero one two three four five six seven eight nine".split(" ");
/** Different spellings of the same words. */
const SPELLINGS: readonly (readonly [RegExp, string])[] = [
  [/\bblack list/g, "blacklist"],
  [/\bvoice mail/g, "voicemail"],
  [/\bmail box/g, "mailbox"],
  [/\bre ?enter/g, "reenter"],
  [/\bre ?record/g, "rerecord"],
  [/\btouch ?tone\b/g, "touchtone"],
  [/\bkey pad\b/g, "keypad"],
  [/\bplay back\b/g, "playback"],
  [/\bthru\b/g, "through"],
  [/\bkey words?\b/g, "keywords"],
  [/\bi'm\b/g, "i am"],
  [/\b(you|they)'re\b/g, "$1 are"],
  [/\b(that|it|there)'s\b/g, "$1 is"],
  [/\b(can|will) ?not\b/g, "$1 not"],
  // Spelling error in the list.
  [/\brepresenatives\b/g, "representatives"],
  [/\bun indentified or witheld\b/g, "unidentified or withheld"],
];

/**
 * Lower case, digits as words, one spelling of compounds and short forms, because spelling is
 * inaudible.
 */
export function wordsOf(text: string): string[] {
  let plain = text
    .toLowerCase()
    .replace(/[’']/g, "'")
    .replace(/\d/g, (digit) => ` ${UNITS[Number(digit)]} `);
  plain = plain.replace(/[^a-z']+/g, " ");
  for (const [written, spelling] of SPELLINGS) plain = plain.replace(written, spelling);
  return plain.split(" ").filter((word) => word !== "");
}

/** Edit distance in words. */
export function wrongWords(said: readonly string[], heard: readonly string[]): number {
  let row = heard.map((_, index) => index + 1);
  row.unshift(0);
  for (const [index, word] of said.entries()) {
    const next = [index + 1];
    for (const [at, other] of heard.entries())
      next.push(
        Math.min(
          (row[at] ?? 0) + (word === other ? 0 : 1),
          (row[at + 1] ?? 0) + 1,
          (next[at] ?? 0) + 1,
        ),
      );
    row = next;
  }
  return row.at(-1) ?? 0;
}
