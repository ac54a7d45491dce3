/**
 * The agent's request to transfer its caller: one at a time, handed to main when the agent's turn is
 * over (its own words about it come first), and answered by main. What a transfer does is
 * transfer-hold.ts's and the session's.
 */
import type { TransferRequest } from "./built-ins.ts";

export class TransferRequests {
  /** Asked for, and not yet handed to main. */
  #pending: TransferRequest | null = null;
  /** At main; its answer is awaited. */
  #atMain: TransferRequest | null = null;

  /** False: another one is under way. */
  add(request: TransferRequest): boolean {
    if (this.#pending || this.#atMain) return false;
    this.#pending = request;
    return true;
  }

  /** In place of one that was not handed over yet. */
  replace(request: TransferRequest): void {
    this.#pending = request;
  }

  /** The request that goes to main now, if there is one. */
  takePending(): TransferRequest | null {
    const request = this.#pending;
    if (request === null) return null;
    this.#pending = null;
    this.#atMain = request;
    return request;
  }

  /** Main's answer is there: the tool call that waits for it, if the request came from one. */
  settled(): string | null {
    const toolCallId = this.#atMain?.toolCallId ?? null;
    this.#atMain = null;
    return toolCallId;
  }
}
