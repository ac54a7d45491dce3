/**
 * "Don't call me again", said in a campaign or birthday call: the agent asks back before it counts.
 *
 * A refusal stands when the person confirms it or says it again, and when they hang up on it or on
 * the question. It does not when they deny it, or go on about something else.
 */
import type { ActiveLanguage } from "../speech/active-language.ts";
import { asksNotToBeCalled, refusalAnswer } from "./do-not-call-phrases.ts";

interface SpokenOptOutOptions {
  /** In this call a refusal is kept. */
  readonly applies: boolean;
  readonly activeLanguage: ActiveLanguage;
  /** Puts a yes-or-no question. */
  readonly ask: (text: string) => void;
  readonly say: (text: string) => void;
  readonly sayAndEnd: (text: string) => void;
  readonly confirmed: () => void;
}

export class SpokenOptOut {
  /** `heard`: said where the agent could not answer. */
  #stage: "none" | "heard" | "asked" | "settled" = "none";

  constructor(private readonly options: SpokenOptOutOptions) {}

  /** Words to which nobody answers: said to a greeting, or while the call ends. */
  overheard(text: string): void {
    if (this.options.applies && this.#stage === "none" && asksNotToBeCalled(text))
      this.#stage = "heard";
  }

  /** True: these words refuse further calls or answer the question; nothing else answers them. */
  takes(text: string): boolean {
    const { applies, activeLanguage, ask, say } = this.options;
    if (!applies || this.#stage === "settled") return false;
    const { optOut } = activeLanguage.phrases;
    const answer = this.#stage === "asked" ? refusalAnswer(text, activeLanguage.language) : null;
    if (answer === "yes") {
      this.callEnds();
      this.options.sayAndEnd(optOut.done);
      return true;
    }
    const isRefusal = answer === null && asksNotToBeCalled(text);
    this.#stage = isRefusal ? "asked" : "none";
    if (isRefusal) ask(optOut.ask);
    else if (answer === "no") say(optOut.kept);
    return isRefusal || answer === "no";
  }

  /** The person will not say more: a refusal that was not taken back stands. */
  callEnds(): void {
    if (this.#stage !== "heard" && this.#stage !== "asked") return;
    this.#stage = "settled";
    this.options.confirmed();
  }
}
