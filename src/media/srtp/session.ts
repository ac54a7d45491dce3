/**
 * Protects one call's media in both directions: SRTP if SDES agreed on keys, otherwise nothing. If
 * a re-INVITE keeps a key, its state continues (RFC 4568 6.4), also with plain RTP in between. So
 * no packet index is ever used twice with one key.
 */
import type { SrtpKeys } from "../../core/media-plan.ts";
import { SrtpInbound } from "./inbound.ts";
import { mkiBytes } from "./keys.ts";
import { SrtpOutbound } from "./outbound.ts";

export class SrtpSession {
  #inbound: SrtpInbound | null = null;
  #outbound: SrtpOutbound | null = null;
  #active = false;

  /** Throws RangeError for an invalid key. */
  use(keys: SrtpKeys | null): void {
    this.#active = keys !== null;
    if (!keys) return;
    const { suite, sendKey, receiveKey } = keys;
    if (!isSame(this.#outbound, suite, sendKey)) this.#outbound = new SrtpOutbound(suite, sendKey);
    if (!isSame(this.#inbound, suite, receiveKey)) {
      this.#inbound = new SrtpInbound(suite, receiveKey);
    }
    if (this.#outbound) this.#outbound.mki = mkiBytes(keys.sendMki);
    if (this.#inbound) this.#inbound.mki = mkiBytes(keys.receiveMki);
  }

  /** Encrypts in place; there must be room after `size`. Returns the size to send. */
  protectRtp(datagram: Uint8Array, size: number): number {
    return this.#active && this.#outbound ? this.#outbound.protectRtp(datagram, size) : size;
  }

  protectRtcp(datagram: Uint8Array): Uint8Array {
    return this.#active && this.#outbound ? this.#outbound.protectRtcp(datagram) : datagram;
  }

  /** Null if the packet must be dropped. May change the datagram. */
  unprotectRtp(datagram: Uint8Array): Uint8Array | null {
    return this.#active && this.#inbound ? this.#inbound.unprotectRtp(datagram) : datagram;
  }

  unprotectRtcp(datagram: Uint8Array): Uint8Array | null {
    return this.#active && this.#inbound ? this.#inbound.unprotectRtcp(datagram) : datagram;
  }
}

function isSame(
  context: { readonly suite: string; readonly key: string } | null,
  suite: string,
  key: string,
): boolean {
  return context !== null && context.suite === suite && context.key === key;
}
