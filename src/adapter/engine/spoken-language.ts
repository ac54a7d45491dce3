/** How a voice is told which language it speaks: a model guesses it from the text, wrongly for short ones. */
import { type AgentLanguage, LANGUAGE_NAMES } from "../../domain/agent/agent.ts";

/** The first sentence of what a model is told that reads a text out. `manner`: the operator's, or empty. */
export function readAloud(language: AgentLanguage, manner = ""): string {
  const read = `Read the following text aloud in ${LANGUAGE_NAMES[language]}, word for word.`;
  return manner === "" ? read : `${read} ${inLanguage(manner, language)}`;
}

/** The language's name in the place of `{language}`. */
export const inLanguage = (text: string, language: AgentLanguage): string =>
  text.replaceAll("{language}", LANGUAGE_NAMES[language]);
