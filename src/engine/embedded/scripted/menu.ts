/**
 * Spoken choices: one of two topics, or the keypad menu as the last resort. The menu has five
 * topics per page, 8 for more and 0 for a person.
 */
import { fill } from "../../../core/texts.ts";
import type { AgentLanguage } from "../../../features/agent/agent.ts";
import type { Phrases } from "./phrases.ts";
import type { Topic } from "./topics.ts";
import { wordsOf } from "./words.ts";

const ONE_OF_TWO: Readonly<Record<AgentLanguage, RegExp>> = {
  en: /\b(one|first)\b/,
  lt: /(^| )(vien|pirm)/,
  lv: /(^| )(vien|pirm)/,
  ru: /(^| )(один|перв)/,
};
const TWO_OF_TWO: Readonly<Record<AgentLanguage, RegExp>> = {
  en: /\b(two|second)\b/,
  lt: /(^| )(du|dvi|antr)/,
  lv: /(^| )(div|otr)/,
  ru: /(^| )(два|втор)/,
};
/** A longer answer is a new question. */
const CHOICE_WORDS_MAX = 4;

/** Null if the caller named neither. "The second one" is the second. */
export function choiceOfTwo(text: string, language: AgentLanguage): 1 | 2 | null {
  const words = wordsOf(text, language);
  if (words.length > CHOICE_WORDS_MAX) return null;
  const plain = words.join(" ");
  if (TWO_OF_TWO[language].test(plain)) return 2;
  return ONE_OF_TWO[language].test(plain) ? 1 : null;
}

const PAGE = 5;
const MORE_KEY = "8";

export function menuText(topics: readonly Topic[], page: number, phrases: Phrases): string {
  const shown = pageOf(topics, page);
  const items = shown.map(({ title }, index) =>
    fill(phrases.menuItem, { key: String(index + 1), topic: endSentence(title) }),
  );
  const more = topics.length > PAGE ? [phrases.menuMore] : [];
  return [phrases.menuIntro, ...items, ...more, phrases.menuHuman].join(" ");
}

export function menuChoice(
  topics: readonly Topic[],
  page: number,
  key: string,
): Topic | "more" | null {
  if (key === MORE_KEY && topics.length > PAGE) return "more";
  return pageOf(topics, page)[Number(key) - 1] ?? null;
}

/** The first page follows the last one. */
function pageOf(topics: readonly Topic[], page: number): readonly Topic[] {
  const pages = Math.max(1, Math.ceil(topics.length / PAGE));
  const start = (page % pages) * PAGE;
  return topics.slice(start, start + PAGE);
}

function endSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
