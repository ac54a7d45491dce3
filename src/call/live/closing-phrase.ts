/** The agent's sentence before it hangs up because the money is used up (decisions 8). */
import { textsOf } from "../../core/texts.ts";
import type { AgentLanguage } from "../../features/agent/agent.ts";
import closingTexts from "./closing-texts.json" with { type: "json" };

const TEXTS = textsOf(closingTexts);

export const closingPhrase = (language: AgentLanguage): string => TEXTS[language].closing;
