/**
 * The jitter buffer's storage for codecs with one octet per tick of an 8 kHz clock: G.711 and G.722
 * (RFC 3551 4.5.2). A ring of one second with a flag per octet.
 */
import { BLOCK_TICKS, type JitterStorage } from "./jitter-storage.ts";

const RING_OCTETS = 8192;
const RING_MASK = RING_OCTETS - 1;

export class OctetRing implements JitterStorage {
  readonly #octets = new Uint8Array(RING_OCTETS);
  readonly #present = new Uint8Array(RING_OCTETS);

  ticksOf(payload: Uint8Array): number {
    return payload.length;
  }

  put(position: number, payload: Uint8Array, _ticks: number, playPosition: number): void {
    const skipped = Math.max(0, playPosition - position);
    for (let index = skipped; index < payload.length; index++) {
      const slot = (position + index) & RING_MASK;
      this.#octets[slot] = payload[index] ?? 0;
      this.#present[slot] = 1;
    }
  }

  has(position: number): boolean {
    for (let index = 0; index < BLOCK_TICKS; index++) {
      if (this.#present[(position + index) & RING_MASK] === 0) return false;
    }
    return true;
  }

  take(position: number, into: Uint8Array): void {
    for (let index = 0; index < BLOCK_TICKS; index++) {
      into[index] = this.#octets[(position + index) & RING_MASK] ?? 0;
    }
  }

  drop(position: number): void {
    for (let index = 0; index < BLOCK_TICKS; index++) {
      this.#present[(position + index) & RING_MASK] = 0;
    }
  }

  reset(): void {
    this.#present.fill(0);
  }
}
