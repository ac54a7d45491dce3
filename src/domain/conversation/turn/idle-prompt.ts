/**
 * The prompt of a silent caller: the LLM words it, and where the LLM has nothing to say, or its
 * words cannot be spoken, the conversation has a phrase of its own. Nobody waits for these words: a
 * prompt that fails does not end the call; the silence goes on until its own time-out.
 */
import { describeError } from "../../../core/errors.ts";
import type { Log } from "../../../core/log.ts";
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
  /** Stops thinking and speaking. */
  readonly stop: () => void;
}

export class IdlePrompt {
  /** Which prompt the running turn is; null: it is none. */
  #count: number | null = null;

  constructor(private readonly options: IdlePromptOptions) {}

  /** The LLM is asked this from now on; null: the turn is over. */
  follow(input: LlmInput | null): void {
    this.#count = input?.type === "silence" ? input.count : null;
  }

  /** The LLM has answered, and said nothing. */
  unworded(): void {
    if (this.#count !== null) this.options.say(this.#ownWords(this.#count));
  }

  /** LLM or TTS failed. False: not in a prompt, the call cannot go on. */
  excuses(error: unknown): boolean {
    const { machine, cached, log, say, stop } = this.options;
    const { name } = machine.state;
    const count = this.#count;
    // The conversation's own words are not excused once more.
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
