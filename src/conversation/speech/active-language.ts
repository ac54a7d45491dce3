/**
 * The current language of an agent with its phrases and fillers. Starts as the agent's language and changes
 * at the caller's request. The agent's custom fillers exist only in its first language.
 */
import type { AgentLanguage } from "../../features/agent/agent.ts";
import { FillerRotation } from "./filler.ts";
import { type Phrases, phrasesFor } from "./phrases.ts";

export class ActiveLanguage {
  #language: AgentLanguage;
  #fillers: FillerRotation;

  constructor(
    private readonly own: {
      readonly language: AgentLanguage;
      readonly fillerPhrases: readonly string[];
    },
  ) {
    this.#language = own.language;
    this.#fillers = this.#fillersOf(own.language);
  }

  get language(): AgentLanguage {
    return this.#language;
  }

  get phrases(): Phrases {
    return phrasesFor(this.#language);
  }

  get fillers(): FillerRotation {
    return this.#fillers;
  }

  switchTo(language: AgentLanguage): void {
    this.#language = language;
    this.#fillers = this.#fillersOf(language);
  }

  #fillersOf(language: AgentLanguage): FillerRotation {
    const phrases = language === this.own.language ? this.own.fillerPhrases : [];
    return new FillerRotation(phrases, phrasesFor(language));
  }
}
