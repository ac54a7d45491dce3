/**
 * Words for a withheld caller number, for texts that contain the number: "from a hidden number". The case
 * matches the words before it. If the text already has a noun for "number", the noun keeps its case and the
 * adjective agrees with it. Pure.
 */
import type { AgentLanguage } from "../../features/agent/agent.ts";
import { capitalised } from "../speech/greetings.ts";

interface Withheld {
  /** Form used if no word before it determines the case. */
  readonly nominative: string;
  /** Forms by the last words before the number. */
  readonly after: readonly (readonly [before: RegExp, words: string])[];
  /** Nouns at the end of the text before the number, with the adjective to insert. */
  readonly nouns: readonly (readonly [noun: RegExp, adjective: string])[];
  /** Sentence that states the number: "your number is". */
  readonly predicate: readonly [before: RegExp, adjective: string];
}

/** `\b` does not treat letters with diacritics as letters. */
const last = (words: string) => new RegExp(`(?<!\\p{L})(?:${words})\\s*$`, "iu");
const noun = (word: string) => new RegExp(`(?<!\\p{L})${word}\\s*$`, "iu");

const WORDS: Readonly<Record<AgentLanguage, Withheld>> = {
  en: {
    nominative: "a hidden number",
    after: [],
    nouns: [[noun("number"), "hidden"]],
    predicate: [last("number(?: is|:)"), "hidden"],
  },
  lt: {
    nominative: "paslėptas numeris",
    after: [
      [last("iš|nuo|be|ant|prie|po|dėl|iki"), "paslėpto numerio"],
      [last("į|per|apie|pas|už"), "paslėptą numerį"],
      [last("su"), "paslėptu numeriu"],
    ],
    nouns: [
      [noun("numeris"), "paslėptas"],
      [noun("numerio"), "paslėpto"],
      [noun("numeriui"), "paslėptam"],
      [noun("numerį"), "paslėptą"],
      [noun("numeriu"), "paslėptu"],
    ],
    predicate: [last("numeris(?: yra|:)"), "paslėptas"],
  },
  lv: {
    nominative: "slēpts numurs",
    after: [
      [last("no|bez|pēc|aiz"), "slēpta numura"],
      [last("uz|ar|par|pret|caur"), "slēptu numuru"],
      [last("pa|līdz"), "slēptam numuram"],
    ],
    nouns: [
      [noun("numurs"), "slēpts"],
      [noun("numura"), "slēpta"],
      [noun("numuram"), "slēptam"],
      [noun("numuru"), "slēptu"],
    ],
    predicate: [last("numurs(?: ir|:)"), "slēpts"],
  },
  ru: {
    nominative: "скрытый номер",
    after: [
      [last("со?|от|из|до|без|для"), "скрытого номера"],
      [last("по|к"), "скрытому номеру"],
      [last("на|через|про"), "скрытый номер"],
      [last("под|над|перед"), "скрытым номером"],
    ],
    nouns: [
      [noun("номер"), "скрытый"],
      [noun("номера"), "скрытого"],
      [noun("номеру"), "скрытому"],
      [noun("номером"), "скрытым"],
      [noun("номере"), "скрытом"],
    ],
    predicate: [last("номер(?:\\s*[—–-]|:)"), "скрытый"],
  },
};

/** Joins the text before the number and the words for it, with correct grammar. */
export function withWithheldNumber(before: string, language: AgentLanguage): string {
  const { nominative, after, nouns, predicate } = WORDS[language];
  if (predicate[0].test(before)) return before + predicate[1];
  for (const [pattern, adjective] of nouns) {
    const found = pattern.exec(before);
    if (found) return euphonic(`${before.slice(0, found.index)}${adjective} ${found[0].trim()}`);
  }
  const words = after.find(([pattern]) => pattern.test(before))?.[1] ?? nominative;
  const isFirst = /(?:^|[.!?…])\s*$/.test(before);
  return euphonic(before + (isFirst ? capitalised(words, language) : words));
}

const euphonic = (text: string) =>
  text.replace(/(?<!\p{L})([сС]) (?=скрыт\p{L}* номер\p{L}*$)/u, "$1о ");
