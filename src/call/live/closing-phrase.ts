/** The agent's sentence before it hangs up because the money is used up (decisions 8). */
import type { AgentLanguage } from "../../features/agent/agent.ts";

const PHRASES: Readonly<Record<AgentLanguage, string>> = {
  en: "I am sorry, I have to end this call now. Goodbye.",
  lt: "Atsiprašau, turiu baigti šį pokalbį. Viso gero.",
  lv: "Atvainojiet, man jābeidz šī saruna. Visu labu.",
  ru: "Извините, мне нужно закончить разговор. До свидания.",
};

export const closingPhrase = (language: AgentLanguage): string => PHRASES[language];
