/**
 * Handles "Don't call me again" in a campaign or birthday call: the agent asks for confirmation.
 *
 * A refusal counts if the person confirms it, repeats it, or hangs up after it or after the question. It does
 * not count if they deny it or change the topic.
 */
import type { ActiveLanguage } from "../speech/active-language.ts";
import { asksNotToBeCalled, refusalAnswer } from "./do-not-call-phrases.ts";

interface SpokenOptOutOptions {
  /** True if this call accepts a refusal. */
  readonly applies: boolean;
  readonly activeLanguage: ActiveLanguage;
  /** Asks a yes-or-no question. */
  readonly ask: (text: string) => void;
  readonly say: (text: string) => void;
  readonly sayAndEnd: (text: string) => void;
  readonly confirmed: () => void;
}

export class SpokenOptOut {
  /** `heard`: the person refused while the agent could not answer. */
  #stage: "none" | "heard" | "asked" | "settled" = "none";

  constructor(private readonly options: SpokenOptOutOptions) {}

  /** Checks words that get no answer: a reply to a greeting, or words while the call ends. */
  overheard(text: string): void {
    if (this.options.applies && this.#stage === "none" && asksNotToBeCalled(text))
      this.#stage = "heard";
  }

  /** Returns true if the words refuse further calls or answer the question. Nothing else may answer them. */
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

  /** Called when the person says no more. A refusal that was not withdrawn counts. */
  callEnds(): void {
    if (this.#stage !== "heard" && this.#stage !== "asked") return;
    this.#stage = "settled";
    this.options.confirmed();
  }
}
