/** The keypad menu: what is left when words fail. Five topics a page, 8 for more, 0 for a person. */
import { fill, type Phrases } from "./phrases.ts";
import type { Topic } from "./topics.ts";

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

/** Pages go round. */
function pageOf(topics: readonly Topic[], page: number): readonly Topic[] {
  const pages = Math.max(1, Math.ceil(topics.length / PAGE));
  const start = (page % pages) * PAGE;
  return topics.slice(start, start + PAGE);
}

function endSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
