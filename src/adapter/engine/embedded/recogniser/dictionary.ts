/**
 * How English words sound, as ARPAbet: CMU's dictionary (kept as one text, searched in place: as a
 * map it would take 30 MB), and for words it does not know the synthesiser's phonemes.
 */
import { readFileSync } from "node:fs";
import dictionaryPath from "../data/dictionary.zst" with { type: "file" };
import { arpabetOf } from "./arpabet.ts";

export interface Dictionary {
  /** One or more pronunciations; empty when the word cannot be spoken. */
  pronunciations(word: string): readonly string[];
}

const KNOWN_WORDS_MAX = 20_000;
/** What is hummed. CMU's dictionary spells it, or does not have it. */
const HUMMED: Readonly<Record<string, readonly string[]>> = {
  mhm: ["M HH M", "AH M HH AH M", "M AH HH AH M"],
  hmm: ["HH M", "HH AH M"],
};

export async function loadDictionary(
  phonemes: (text: string, language: string) => string,
): Promise<Dictionary> {
  const words = Bun.zstdDecompressSync(readFileSync(dictionaryPath));
  const text = `\n${words.toString("utf8")}`;
  const sections = sectionStarts(text);
  const known = new Map<string, readonly string[]>();

  function lookUp(word: string): readonly string[] {
    const found: string[] = [];
    const from = sections.get(word.slice(0, 2)) ?? 0;
    let at = text.indexOf(`\n${word} `, from);
    for (let variant = 2; at >= 0; variant++) {
      const end = text.indexOf("\n", at + 1);
      const line = text.slice(at + 1, end < 0 ? undefined : end);
      found.push(line.slice(line.indexOf(" ") + 1).trim());
      const next = `\n${word}(${variant}) `;
      at = end >= 0 && text.startsWith(next, end) ? end : -1;
    }
    return found;
  }

  return {
    pronunciations(word) {
      const cached = known.get(word);
      if (cached !== undefined) return cached;
      let found = HUMMED[word] ?? lookUp(word);
      if (found.length === 0) {
        const guess = arpabetOf(phonemes(word, "en"));
        found = guess === "" ? [] : [guess];
      }
      if (known.size < KNOWN_WORDS_MAX) known.set(word, found);
      return found;
    },
  };
}

/** Where words with the same first two letters begin: the dictionary is in alphabetical order. */
function sectionStarts(text: string): Map<string, number> {
  const starts = new Map<string, number>();
  for (let at = 0; at >= 0; at = text.indexOf("\n", at + 1)) {
    const prefix = text.slice(at + 1, at + 3);
    if (!starts.has(prefix)) starts.set(prefix, at);
  }
  return starts;
}
