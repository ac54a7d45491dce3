/**
 * SIP.js' server transactions by branch, and by Call-ID below it. For every request without a To tag SIP.js looks
 * through all of them for a merged one (RFC 3261 8.2.2.2), and each stays for 32 s: thousands on a busy trunk. A
 * merged request has the same Call-ID, so that only those of its call are given.
 */
import type { Core } from "sip.js";

type Server = Core.UserAgentServer;

export class ServersByCall extends Map<string, Server> {
  readonly #byCall = new Map<string, Set<Server>>();
  #callId = "";

  /** Set before SIP.js is given a request of that call. */
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

  /** Those of the call that was looked at last. */
  override values(): MapIterator<Server> {
    return (this.#byCall.get(this.#callId) ?? new Set<Server>()).values();
  }
}
