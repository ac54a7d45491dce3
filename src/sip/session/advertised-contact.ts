/**
 * Our address as known to the remote party of one dialog: the Contact of our last INVITE, UPDATE or
 * response to one. Its requests go there (RFC 3261 12.2, RFC 3311 5.1).
 */
import type { SipMessage } from "../message/index.ts";
import type { Address } from "../transport/flow.ts";
import { REFRESHES } from "./session-timer.ts";

export class AdvertisedContact {
  #advertised: Address | null = null;

  /** Records an outgoing message with that address in its Contact. */
  note(message: SipMessage, address: Address): void {
    const isRejection = message.kind === "response" && message.statusCode >= 300;
    if (!isRejection && REFRESHES.has(message.cseq.method)) this.#advertised = address;
  }

  /** Returns true if the remote party has another address; once for each new one. */
  replace({ host, port }: Address): boolean {
    if (this.#advertised?.host === host && this.#advertised.port === port) return false;
    this.#advertised = { host, port };
    return true;
  }
}
