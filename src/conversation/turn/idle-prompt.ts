/**
 * Prompt for a silent caller. The LLM words it; if the LLM returns no text or TTS fails, a fixed phrase is
 * used. A failed prompt does not end the call: the silence continues until its timeout.
 */
import { describeError } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import type { LlmInput } from "../engine-port.ts";
import type { ActiveLanguage } from "../speech/active-language.ts";
import type { CachedPhrases } from "../speech/phrase-cache.ts";
import type { TurnMachine } from "./turn-taking.ts";

interface IdlePromptOptions {
  readonly machine: TurnMachine;
  readonly cached: CachedPhrases;
  readonly activeLanguage: ActiveLanguage;
  readonly log: Log;
  readonly say: (text: string) => void;
  /** Stops the LLM and the speech. */
  readonly stop: () => void;
}

export class IdlePrompt {
  /** Number of the prompt that is the current turn; null: the turn is no prompt. */
  #count: number | null = null;

  constructor(private readonly options: IdlePromptOptions) {}

  /** Called with each new LLM input; null: the turn is over. */
  follow(input: LlmInput | null): void {
    this.#count = input?.type === "silence" ? input.count : null;
  }

  /** The LLM returned no text. */
  unworded(): void {
    if (this.#count !== null) this.options.say(this.#ownWords(this.#count));
  }

  /** LLM or TTS failed. Returns false outside a prompt: the call cannot continue. */
  excuses(error: unknown): boolean {
    const { machine, cached, log, say, stop } = this.options;
    const { name } = machine.state;
    const count = this.#count;
    // A failure of the fixed phrase itself is not tolerated.
    this.#count = null;
    if (count === null || (name !== "thinking" && name !== "agent_speaking")) return false;
    log.warn("idle_prompt.failed", { error: describeError(error) });
    stop();
    const words = this.#ownWords(count);
    if (cached.get(words) !== null) say(words);
    return true;
  }

  #ownWords(count: number): string {
    return this.options.activeLanguage.phrases.idlePrompts[count === 1 ? 0 : 1];
  }
}
