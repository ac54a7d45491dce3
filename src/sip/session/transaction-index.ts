/**
 * Server transactions of SIP.js by branch, and also by Call-ID. For every request without a To tag,
 * SIP.js searches all of them for a merged one (RFC 3261 8.2.2.2). Each stays for 32 s, so a busy
 * trunk has thousands. A merged request has the same Call-ID, so only the transactions of its call
 * are returned.
 */
import type { Core } from "sip.js";

type Server = Core.UserAgentServer;

export class TransactionIndex extends Map<string, Server> {
  readonly #byCall = new Map<string, Set<Server>>();
  #callId = "";

  /** Must be called before SIP.js gets a request of that call. */
  lookAt(callId: string): void {
    this.#callId = callId;
  }

  override set(branch: string, server: Server): this {
    this.delete(branch);
    const ofCall = this.#byCall.get(server.message.callId);
    if (ofCall) ofCall.add(server);
    else this.#byCall.set(server.message.callId, new Set([server]));
    return super.set(branch, server);
  }

  override delete(branch: string): boolean {
    const server = this.get(branch);
    if (server) {
      const ofCall = this.#byCall.get(server.message.callId);
      ofCall?.delete(server);
      if (ofCall?.size === 0) this.#byCall.delete(server.message.callId);
    }
    return super.delete(branch);
  }

  override clear(): void {
    this.#byCall.clear();
    super.clear();
  }

  /** Transactions of the call set by `lookAt`. */
  override values(): MapIterator<Server> {
    return (this.#byCall.get(this.#callId) ?? new Set<Server>()).values();
  }
}
