/**
 * Normalises text for comparison: lower case, no punctuation, English numbers as words, endings
 * removed.
 */
import type { AgentLanguage } from "../../../features/agent/agent.ts";
import { stem } from "../../../features/knowledge/stems.ts";
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

export function stemsOf(text: string, language: AgentLanguage): string[] {
  return wordsOf(text, language).map((word) => stem(word, language));
}
