/** What the jitter buffer asks of the place where payloads wait; each kind of codec has its own. */

/** A block of 10 ms, in ticks of 8 kHz. */
export const BLOCK_TICKS = 80;

/** Where payloads wait: at least one second of them. Positions are in ticks of 8 kHz. */
export interface JitterStorage {
  /** How much time a payload holds; 0: it is none, and is not put here. */
  ticksOf(payload: Uint8Array): number;
  /** Copies what is to be played from `playPosition` on. */
  put(position: number, payload: Uint8Array, ticks: number, playPosition: number): void;
  /** Whether the whole block at this position is there. */
  has(position: number): boolean;
  /** The block about to be played, or that is missing. `into` is for octets. */
  take(position: number, into: Uint8Array): void;
  /** Forgets the block. */
  drop(position: number): void;
  reset(): void;
}
