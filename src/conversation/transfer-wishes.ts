/**
 * The agent's wish to transfer its caller: one at a time, handed to main when the agent's turn is
 * over (its own words about it come first), and answered by main. What a transfer does is
 * transfer-hold.ts's and the session's.
 */
import type { TransferWish } from "./built-ins.ts";

export class TransferWishes {
  /** Asked for, and not yet handed to main. */
  #wish: TransferWish | null = null;
  /** At main; its answer is awaited. */
  #atMain: TransferWish | null = null;

  /** False: another one is under way. */
  add(wish: TransferWish): boolean {
    if (this.#wish || this.#atMain) return false;
    this.#wish = wish;
    return true;
  }

  /** In place of one that was not handed over yet. */
  replace(wish: TransferWish): void {
    this.#wish = wish;
  }

  /** The wish that goes to main now, if there is one. */
  handOver(): TransferWish | null {
    const wish = this.#wish;
    if (wish === null) return null;
    this.#wish = null;
    this.#atMain = wish;
    return wish;
  }

  /** Main's answer is there: the tool call that waits for it, if the wish came from one. */
  settled(): string | null {
    const toolCallId = this.#atMain?.toolCallId ?? null;
    this.#atMain = null;
    return toolCallId;
  }
}
