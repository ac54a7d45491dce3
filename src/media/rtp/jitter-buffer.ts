/**
 * Adaptive jitter buffer: packets in, 10 ms blocks of octets out. Pure: time comes in as arguments.
 *
 * Octets are kept by RTP timestamp in a ring of one second, so that reordering, repetition and any
 * packet size need no handling of their own. It fits codecs with one octet per RTP tick: G.711 and
 * G.722 (RFC 3551 4.5.2). The playout delay follows the 97th percentile of the packets' relative
 * delay (a histogram that forgets, as in WebRTC's NetEQ); it grows when packets are missing or the
 * caller is quiet, shrinks in quiet blocks, and never exceeds `delayMsMax`. Clock drift shows as
 * a moving minimum of the transit time and is taken up the same way.
 * Leaves concealment, decoding and RFC 3550 loss counting to others.
 */
import { DelayEstimate } from "./delay-estimate.ts";
import { timestampDelta } from "./packet.ts";

/** 10 ms at the 8 kHz RTP clock. */
export const BLOCK_OCTETS = 80;
export const BLOCK_MS = 10;
const TICKS_PER_MS = 8;
const RING_OCTETS = 8192;
const RING_MASK = RING_OCTETS - 1;
/** Further ahead than this a packet would overwrite what is not yet played. */
const AHEAD_OCTETS_MAX = RING_OCTETS - 1600;
const DELAY_MS_MIN = 20;
const DELAY_MS_INITIAL = 40;
/** Delay above the target that is worth cutting in quiet blocks, and always. */
const SURPLUS_QUIET_MS = 15;
const SURPLUS_ANY_MS = 80;
/** Blocks between two cuts, so that a cut is never heard as a stutter. */
const CUT_INTERVAL_BLOCKS = 5;
/** Packets in a row that fit nowhere: the far end's clock was restarted. */
const MISFITS_MAX = 3;

export type Block =
  /** Nothing has arrived yet. */
  | "idle"
  | "audio"
  /** Lost, late, or not sent. */
  | "missing"
  /** Inserted to gain delay: the stream goes on with the next block. */
  | "stretch";

export type Put = "kept" | "late" | "early";

export class JitterBuffer {
  readonly #delayMsMax: number;
  readonly #octets = new Uint8Array(RING_OCTETS);
  readonly #present = new Uint8Array(RING_OCTETS);
  #delay: DelayEstimate;
  #started = false;
  /** Positions are timestamps counted from the first packet on, without wrapping. */
  #lastTimestamp = 0;
  #lastPosition = 0;
  #playPosition = 0;
  #newestPosition = 0;
  #misfits = 0;
  #blocksSinceCut = 0;
  #targetMs = DELAY_MS_INITIAL;

  constructor(options: { readonly delayMsMax: number }) {
    this.#delayMsMax = Math.max(DELAY_MS_MIN, options.delayMsMax);
    this.#delay = new DelayEstimate();
  }

  /** The playout delay it steers for, in ms above the fastest packet. */
  get targetDelayMs(): number {
    return this.#targetMs;
  }

  /** Audio not yet played, in ms: also holes count. */
  get bufferedMs(): number {
    return Math.max(0, this.#newestPosition - this.#playPosition) / TICKS_PER_MS;
  }

  put(timestamp: number, payload: Uint8Array, nowMs: number): Put {
    if (!this.#started) this.#start(timestamp);
    const position = this.#lastPosition + timestampDelta(timestamp, this.#lastTimestamp);
    const end = position + payload.length;
    const tooEarly = end - this.#playPosition > AHEAD_OCTETS_MAX;
    const tooLate = end <= this.#playPosition;
    if (tooEarly || this.#playPosition - end > this.#delayMsMax * TICKS_PER_MS) {
      this.#misfits++;
      if (this.#misfits < MISFITS_MAX) return tooEarly ? "early" : "late";
      this.reset();
      return this.put(timestamp, payload, nowMs);
    }
    this.#misfits = 0;
    this.#lastTimestamp = timestamp;
    this.#lastPosition = position;
    this.#newestPosition = Math.max(this.#newestPosition, end);
    this.#delay.add(nowMs - position / TICKS_PER_MS, nowMs);
    this.#updateTarget();
    if (tooLate) return "late";
    this.#store(position, payload);
    return "kept";
  }

  /**
   * Copies the next 10 ms into `block` when it is "audio". `quiet` says that the previous block was
   * (nearly) silent: then delay may be gained or cut without being heard.
   */
  take(block: Uint8Array, nowMs: number, quiet: boolean): Block {
    if (!this.#started) return "idle";
    this.#blocksSinceCut++;
    const surplusMs = this.#currentDelayMs(nowMs) - this.#targetMs;
    if (this.#shouldCut(surplusMs, quiet)) {
      this.#clear(this.#playPosition, BLOCK_OCTETS);
      this.#playPosition += BLOCK_OCTETS;
      this.#blocksSinceCut = 0;
    } else if (surplusMs <= -BLOCK_MS && (quiet || !this.#isPresent(this.#playPosition))) {
      return "stretch";
    }
    const complete = this.#isPresent(this.#playPosition);
    if (complete) this.#copy(this.#playPosition, block);
    this.#clear(this.#playPosition, BLOCK_OCTETS);
    this.#playPosition += BLOCK_OCTETS;
    return complete ? "audio" : "missing";
  }

  /** Forgets everything: a new SSRC, codec or source. */
  reset(): void {
    this.#started = false;
    this.#present.fill(0);
    this.#delay = new DelayEstimate();
    this.#targetMs = DELAY_MS_INITIAL;
    this.#misfits = 0;
    this.#blocksSinceCut = 0;
  }

  #start(timestamp: number): void {
    this.#started = true;
    this.#lastTimestamp = timestamp;
    this.#lastPosition = 0;
    this.#newestPosition = 0;
    this.#playPosition = -Math.min(DELAY_MS_INITIAL, this.#delayMsMax) * TICKS_PER_MS;
  }

  #currentDelayMs(nowMs: number): number {
    return nowMs - this.#playPosition / TICKS_PER_MS - this.#delay.transitMsMin;
  }

  #updateTarget(): void {
    const wantedMs = this.#delay.relativeDelayMs + DELAY_MS_MIN;
    this.#targetMs = Math.min(this.#delayMsMax, Math.max(DELAY_MS_MIN, wantedMs));
  }

  #shouldCut(surplusMs: number, quiet: boolean): boolean {
    if (this.#blocksSinceCut < CUT_INTERVAL_BLOCKS) return false;
    return surplusMs > SURPLUS_ANY_MS || (quiet && surplusMs > SURPLUS_QUIET_MS);
  }

  #store(position: number, payload: Uint8Array): void {
    const skipped = Math.max(0, this.#playPosition - position);
    for (let index = skipped; index < payload.length; index++) {
      const slot = (position + index) & RING_MASK;
      this.#octets[slot] = payload[index] ?? 0;
      this.#present[slot] = 1;
    }
  }

  #isPresent(position: number): boolean {
    for (let index = 0; index < BLOCK_OCTETS; index++) {
      if (this.#present[(position + index) & RING_MASK] === 0) return false;
    }
    return true;
  }

  #copy(position: number, block: Uint8Array): void {
    for (let index = 0; index < BLOCK_OCTETS; index++) {
      block[index] = this.#octets[(position + index) & RING_MASK] ?? 0;
    }
  }

  #clear(position: number, count: number): void {
    for (let index = 0; index < count; index++) this.#present[(position + index) & RING_MASK] = 0;
  }
}
