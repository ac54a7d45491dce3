/**
 * The agent's request to transfer its caller. Only one at a time: it is sent to main when the agent's turn is
 * over, and main answers it. transfer-hold.ts and the session run the transfer.
 */
import type { TransferRequest } from "./built-ins.ts";

export class TransferRequests {
  /** Request not yet sent to main. */
  #pending: TransferRequest | null = null;
  /** Request that main has not answered yet. */
  #atMain: TransferRequest | null = null;

  /** Returns false if another request is pending. */
  add(request: TransferRequest): boolean {
    if (this.#pending || this.#atMain) return false;
    this.#pending = request;
    return true;
  }

  /** Replaces an unsent request. */
  replace(request: TransferRequest): void {
    this.#pending = request;
  }

  /** Moves the pending request, if any, to main. */
  takePending(): TransferRequest | null {
    const request = this.#pending;
    if (request === null) return null;
    this.#pending = null;
    this.#atMain = request;
    return request;
  }

  /** Main has answered. Returns the id of the tool call that requested the transfer, if any. */
  settled(): string | null {
    const toolCallId = this.#atMain?.toolCallId ?? null;
    this.#atMain = null;
    return toolCallId;
  }
}
