/**
 * `instructions` for `/audio/speech`: the language, which a model otherwise guesses from the text,
 * and the operator's speaking style. If a server rejects them, it gets none from then on.
 */
import type { AgentLanguage } from "../../features/agent/agent.ts";
import { ProviderFailure } from "../provider-failure.ts";
import { inLanguage } from "../spoken-language.ts";
import type { OpenAiSettings } from "./settings.ts";

/** Models that support instructions (tts-1 and tts-1-hd don't). */
const TAKES_INSTRUCTIONS = /^gpt-/;
const LANGUAGE_ONLY = "Speak {language}, with the accent of a native speaker.";

export class TtsInstructions {
  #isRefused = false;

  constructor(private readonly settings: Pick<OpenAiSettings, "tts_model" | "tts_instructions">) {}

  /** Null: no instructions are sent. */
  instructionsIn(language: AgentLanguage): string | null {
    const { tts_model: model, tts_instructions: own } = this.settings;
    if (this.#isRefused || (own === null && !TAKES_INSTRUCTIONS.test(model))) return null;
    return inLanguage(own ?? LANGUAGE_ONLY, language);
  }

  /** Returns whether a request was rejected for its instructions. The retry has none. */
  learn(error: unknown): boolean {
    if (!(error instanceof ProviderFailure) || !error.ofRequest) return false;
    const { answer } = error;
    if (!/instructions/i.test(answer ? `${answer.param} ${answer.message}` : error.message)) {
      return false;
    }
    this.#isRefused = true;
    return true;
  }
}
