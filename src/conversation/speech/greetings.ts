/** Common greetings at the beginning of first words, in the four languages. */
import type { AgentLanguage } from "../../features/agent/agent.ts";

/** The first one fits any time of the day. */
export const GREETINGS: Readonly<Record<AgentLanguage, readonly string[]>> = {
  lt: ["laba diena", "labas rytas", "labas vakaras", "sveiki", "sveikas", "sveika", "labas"],
  lv: ["labdien", "labrīt", "labvakar", "sveiki", "sveicināti"],
  en: ["hello", "hi", "good morning", "good afternoon", "good evening"],
  ru: ["здравствуйте", "добрый день", "доброе утро", "добрый вечер", "привет"],
};

/** Number of characters of the greeting at the start of a text; 0 if it has none. */
export function greetingLength(text: string, language: AgentLanguage): number {
  const lower = text.toLocaleLowerCase(language);
  const greeting = GREETINGS[language]
    .filter((known) => lower.startsWith(known))
    .find((known) => !/\p{L}/u.test(text.charAt(known.length)));
  return greeting?.length ?? 0;
}

/** "Hello, you are speaking …" → "You are speaking …". */
export function withoutGreeting(text: string, language: AgentLanguage): string {
  const length = greetingLength(text, language);
  const rest = text.slice(length).replace(/^[\s,.!–-]+/, "");
  return length === 0 || rest === "" ? text : capitalised(rest, language);
}

export const capitalised = (text: string, language: string) =>
  text.charAt(0).toLocaleUpperCase(language) + text.slice(1);
