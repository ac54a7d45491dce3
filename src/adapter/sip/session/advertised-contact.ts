/**
 * The address that the far end of one dialog was given for us: the Contact of our last INVITE, UPDATE or
 * answer to one, which is where its requests go (RFC 3261 12.2, RFC 3311 5.1).
 */
import type { SipMessage } from "../message/index.ts";
import type { Address } from "../transport/flow.ts";

const TARGET_REFRESHES: ReadonlySet<string> = new Set(["INVITE", "UPDATE"]);

export class AdvertisedContact {
  #advertised: Address | null = null;

  /** A message of ours as it leaves, with that address in its Contact. */
  note(message: SipMessage, address: Address): void {
    const isRejection = message.kind === "response" && message.statusCode >= 300;
    if (!isRejection && TARGET_REFRESHES.has(message.cseq.method)) this.#advertised = address;
  }

  /** True when the far end knows another one; once for each. */
  replace({ host, port }: Address): boolean {
    if (this.#advertised?.host === host && this.#advertised.port === port) return false;
    this.#advertised = { host, port };
    return true;
  }
}
