/** Text to comparable words: lower case, no marks, English numbers spelt out, endings cut. */
import type { AgentLanguage } from "../../../../domain/agent/agent.ts";
import { numberInWords } from "./number-words.ts";

/** Words as the recogniser spells them. */
export function wordsOf(text: string, language: AgentLanguage): string[] {
  let plain = text.toLowerCase().normalize("NFC").replace(/[’`´]/g, "'");
  if (language === "en") {
    plain = plain
      .normalize("NFD")
      .replace(/\p{M}/gu, "")
      .replace(/&/g, " and ")
      .replace(/€\s*(\d+)/g, "$1 euros")
      .replace(/€/g, " euros ")
      .replace(/%/g, " percent ")
      .replace(/(\d)[.,](?=\d{3}\b)/g, "$1")
      .replace(/\d+/g, (digits) => ` ${numberInWords(digits)} `);
  }
  return plain
    .replace(/[^\p{L}\p{N}' ]+/gu, " ")
    .split(/\s+/)
    .map((word) => word.replace(/^'+|'+$/g, ""))
    .filter((word) => word !== "");
}

/** The part of a word that survives inflection. */
export function stem(word: string, language: AgentLanguage): string {
  return language === "en" ? englishStem(word) : inflectedStem(word);
}

function englishStem(word: string): string {
  let stem = word.replace(/'s?$/, "");
  if (stem.length <= 3) return stem;
  stem = stem.replace(/ies$/, "y").replace(/(ss|sh|ch|x)es$/, "$1");
  if (!/(ss|us|is)$/.test(stem)) stem = stem.replace(/s$/, "");
  if (stem.length > 5) stem = stem.replace(/(ing|ed|ment|ly)$/, "");
  stem = stem.replace(/([bdgmnprt])\1$/, "$1");
  return stem.length > 3 ? stem.replace(/[ey]$/, "") : stem;
}

/** Lithuanian, Latvian, Russian: endings are long and many, beginnings tell words apart. */
function inflectedStem(word: string): string {
  const plain = word.normalize("NFD").replace(/\p{M}/gu, "");
  if (plain.length <= 4) return plain;
  return plain.slice(0, Math.max(4, Math.min(7, plain.length - 2)));
}

export function stemsOf(text: string, language: AgentLanguage): string[] {
  return wordsOf(text, language).map((word) => stem(word, language));
}
