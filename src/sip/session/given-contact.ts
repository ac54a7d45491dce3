/**
 * The address that the far end of one dialog was given for us: the Contact of our last INVITE, UPDATE or
 * answer to one, which is where its requests go (RFC 3261 12.2, RFC 3311 5.1).
 */
import type { SipMessage } from "../message/index.ts";
import type { Address } from "../transport/flow.ts";

const TARGET_REFRESHES: ReadonlySet<string> = new Set(["INVITE", "UPDATE"]);

export class GivenContact {
  #given: Address | null = null;

  /** A message of ours as it leaves, with that address in its Contact. */
  note(message: SipMessage, address: Address): void {
    const isRefusal = message.kind === "response" && message.statusCode >= 300;
    if (!isRefusal && TARGET_REFRESHES.has(message.cseq.method)) this.#given = address;
  }

  /** True when the far end knows another one; once for each. */
  replace({ host, port }: Address): boolean {
    if (this.#given?.host === host && this.#given.port === port) return false;
    this.#given = { host, port };
    return true;
  }
}
