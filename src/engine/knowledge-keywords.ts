/**
 * Names in an agent's knowledge (people, products, places) that a transcription model would
 * misspell. Recognised by their form: capitals within a sentence, the first cell of a row, or the
 * beginning of a list item.
 */
import type { KnowledgeSnapshot } from "../conversation/call-config.ts";

const KEYWORDS_MAX = 60;
const KEYWORD_CHARACTERS_MAX = 60;
const HEAD_WORDS_MAX = 4;
/** Longer knowledge is searched only up to here. */
const CHARACTERS_MAX = 200_000;

const WORD = "\\p{Lu}[\\p{L}'’]{0,40}\\p{Ll}[\\p{L}'’-]{0,40}";
/** Several words with capitals, or one in the middle of a sentence: "ask for Ona Petraitienė". */
const NAME = new RegExp(`${WORD}(?: ${WORD}){1,3}|(?<=[\\p{Ll}\\p{N},;(] )${WORD}`, "gu");
/** Text before a price or a description: "- Teeth whitening: 90 EUR", "| Whitening | 90 |". */
const HEAD = /^(?:[-*•|]|\d+[.)])?\s*(\p{Lu}[^:;,.|"\n]{2,60}?)\s*(?:[:|]|\s[–—-]\s)/u;
/** The first cell of a row. */
const CELL = /^"?(\p{Lu}[^:;,|"\n]{2,60}?)"?\s*[;,]/u;

/** English also writes these with capitals. */
const OF_CALENDAR = new Set(
  Array.from({ length: 12 }, (_, index) => new Date(Date.UTC(2026, index, index + 1))).flatMap(
    (day) =>
      [{ weekday: "long" } as const, { month: "long" } as const].map((part) =>
        new Intl.DateTimeFormat("en", { ...part, timeZone: "UTC" }).format(day),
      ),
  ),
);

/** Returns the most frequent ones first. */
export function knowledgeKeywords(knowledge: readonly KnowledgeSnapshot[]): string[] {
  const found = new Map<string, number>();
  const add = (text: string) => {
    const name = text
      .replace(/[<>*_`#]/g, "")
      .replace(/\s+/g, " ")
      .trim();
    if (OF_CALENDAR.has(name) || name.length < 3 || name.length > KEYWORD_CHARACTERS_MAX) return;
    found.set(name, (found.get(name) ?? 0) + 1);
  };
  for (const { content, format } of knowledge) {
    const lines = content.slice(0, CHARACTERS_MAX).split("\n");
    // A table's first row names its columns.
    for (const line of format === "csv" ? lines.slice(1) : lines) {
      const head = (format === "csv" ? CELL : HEAD).exec(line.trim())?.[1];
      if (head !== undefined && head.split(" ").length <= HEAD_WORDS_MAX) add(head);
      for (const [name] of line.matchAll(NAME)) add(name);
    }
  }
  return [...found]
    .sort(([, times], [, others]) => others - times)
    .slice(0, KEYWORDS_MAX)
    .map(([name]) => name);
}
