/**
 * Fixed phrases of the conversation in the agent's language, for cases without an LLM answer. They are short,
 * so that they can be synthesised ahead and work if everything else fails. The texts fit a female or male
 * voice, except for the word "assistant".
 */
import { textsOf } from "../../core/texts.ts";
import type { AgentLanguage } from "../../features/agent/agent.ts";
import texts from "./phrase-texts.json" with { type: "json" };

export type Phrases = ReturnType<typeof phrasesFor>;

const TEXTS = textsOf(texts);

export const phrasesFor = (language: AgentLanguage) => {
  const { firstIdlePrompt, secondIdlePrompt, ...phrases } = TEXTS[language];
  return { ...phrases, idlePrompts: [firstIdlePrompt, secondIdlePrompt] as const };
};
