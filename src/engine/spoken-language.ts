/**
 * Instructions with the language for a voice. Otherwise a model guesses it from the text, often
 * wrongly for short ones.
 */
import { type AgentLanguage, LANGUAGE_NAMES } from "../features/agent/agent.ts";

/**
 * First sentence of the instructions for reading a text aloud. `manner`: the operator's, or empty.
 */
export function readAloud(language: AgentLanguage, manner = ""): string {
  const read = `Read the following text aloud in ${LANGUAGE_NAMES[language]}, word for word.`;
  return manner === "" ? read : `${read} ${inLanguage(manner, language)}`;
}

/** Replaces `{language}` with the language's name. */
export const inLanguage = (text: string, language: AgentLanguage): string =>
  text.replaceAll("{language}", LANGUAGE_NAMES[language]);
