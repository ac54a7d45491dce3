/**
 * Limits the tool calls per utterance. After `TOOL_ROUNDS_MAX` answers with tool calls, the model is asked
 * once more without tools. Tool calls in that answer are dropped, so the loop always ends.
 */
import type { LlmEvent, LlmInput, LlmSession } from "../engine-port.ts";
import { TOOL_ROUNDS_MAX } from "../limits.ts";

export class ToolRounds {
  #left = TOOL_ROUNDS_MAX;
  #isReported = false;

  constructor(
    private readonly llm: Pick<LlmSession, "capabilities" | "respond">,
    /** Called once per utterance when the model must answer without tools. */
    private readonly onUsedUp: () => void,
  ) {}

  get capabilities(): { readonly earlyStart: boolean } {
    return this.llm.capabilities ?? { earlyStart: false };
  }

  async *respond(input: LlmInput, signal: AbortSignal): AsyncGenerator<LlmEvent> {
    this.#begin(input);
    const toolRounds = this.#left;
    let isCounted = false;
    for await (const event of this.llm.respond({ ...input, toolRounds }, signal)) {
      if (event.type === "tool_call") {
        if (toolRounds === 0) continue;
        if (!isCounted) this.#left--;
        isCounted = true;
      } else if (event.type === "done") this.#rejected(event.rejectedRounds ?? 0);
      yield event;
    }
  }

  #begin(input: LlmInput): void {
    if (input.type === "utterance" || input.type === "digits") {
      this.#left = TOOL_ROUNDS_MAX;
      this.#isReported = false;
    }
    if (input.toolRounds === 0) this.#left = 0;
    if (this.#left === 0) this.#report();
  }

  /** The engine has answered the model itself, because its tool calls could not be run. */
  #rejected(rounds: number): void {
    this.#left = Math.max(0, this.#left - rounds);
    if (rounds > 0 && this.#left === 0) this.#report();
  }

  #report(): void {
    if (this.#isReported) return;
    this.#isReported = true;
    this.onUsedUp();
  }
}
