/** The port of the jitter buffer's storage; each kind of codec has its own. */

/** A block of 10 ms, in ticks of 8 kHz. */
export const BLOCK_TICKS = 80;

/** Stores payloads of at least one second. Positions are in ticks of 8 kHz. */
export interface JitterStorage {
  /** Duration of a payload; 0 if it is invalid and not stored. */
  ticksOf(payload: Uint8Array): number;
  /** Copies the part to be played from `playPosition` on. */
  put(position: number, payload: Uint8Array, ticks: number, playPosition: number): void;
  /** True if the whole block at this position is stored. */
  has(position: number): boolean;
  /** Returns the next block to play, which may be missing. `into` is for octets. */
  take(position: number, into: Uint8Array): void;
  drop(position: number): void;
  reset(): void;
}
