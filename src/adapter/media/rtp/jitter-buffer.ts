/**
 * Adaptive jitter buffer: packets in, 10 ms blocks out. Pure: time comes in as arguments.
 *
 * Payloads are kept by position, in ticks of an 8 kHz clock, so that reordering, repetition and any
 * packet size need no handling of their own. How they are kept is the codec's: octet by octet for
 * G.711 and G.722, whole packets for Opus. The playout delay follows the 97th percentile of the packets' relative
 * delay (a histogram that forgets, as in WebRTC's NetEQ); it grows when packets are missing or the
 * caller is quiet, shrinks in quiet blocks, and never exceeds `delayMsMax`. Clock drift shows as
 * a moving minimum of the transit time and is taken up the same way.
 * Leaves concealment, decoding and RFC 3550 loss counting to others.
 */
import { DelayEstimate } from "./delay-estimate.ts";
import { BLOCK_TICKS, type JitterStorage } from "./jitter-storage.ts";
import { OctetRing } from "./octet-ring.ts";
import { timestampDelta } from "./packet.ts";

/** Octets of a block with G.711 and G.722. */
export const BLOCK_OCTETS = BLOCK_TICKS;
const BLOCK_MS = 10;
const TICKS_PER_MS = 8;
/** Further ahead than this (0.8 s) a packet would overwrite what is not yet played. */
const AHEAD_TICKS_MAX = 6592;
const DELAY_MS_MIN = 20;
const DELAY_MS_INITIAL = 40;
/** Delay above the target that is worth cutting in quiet blocks, and always. */
const SURPLUS_QUIET_MS = 15;
const SURPLUS_ANY_MS = 80;
/** Blocks between two cuts, so that a cut is never heard as a stutter. */
const CUT_INTERVAL_BLOCKS = 5;
/** Packets in a row that fit nowhere: the far end's clock was restarted. */
const MISFITS_MAX = 3;
/**
 * Audio in a row that came too late to be played (240 ms): the way has become longer for good, by
 * more than the delay can grow. The fastest packet known would hold it back for up to 10 s.
 */
const LATE_TICKS_MAX = 1920;

export type Block =
  /** Nothing has arrived yet. */
  | "idle"
  | "audio"
  /** Lost, late, or not sent. */
  | "missing"
  /** Inserted to gain delay: the stream goes on with the next block. */
  | "stretch";

type Put = "kept" | "late" | "early";

export class JitterBuffer {
  readonly #delayMsMax: number;
  #storage: JitterStorage;
  #clockDivisor = 1;
  #delay: DelayEstimate;
  #started = false;
  /** Positions are timestamps counted from the first packet on, without wrapping. */
  #lastTimestamp = 0;
  #lastPosition = 0;
  #playPosition = 0;
  #newestPosition = 0;
  #misfits = 0;
  #lateTicks = 0;
  #blocksSinceCut = 0;
  #targetMs = DELAY_MS_INITIAL;

  constructor(options: { readonly delayMsMax: number }) {
    this.#delayMsMax = Math.max(DELAY_MS_MIN, options.delayMsMax);
    this.#delay = new DelayEstimate();
    this.#storage = new OctetRing();
  }

  /** Another codec: begins anew. `clockDivisor`: RTP ticks in one of 8 kHz. */
  begin(storage: JitterStorage, clockDivisor: number): void {
    this.#storage = storage;
    this.#clockDivisor = clockDivisor;
    this.reset();
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
    const ticks = this.#storage.ticksOf(payload);
    if (ticks === 0) return "late";
    if (!this.#started) this.#start(timestamp);
    const elapsed = timestampDelta(timestamp, this.#lastTimestamp) / this.#clockDivisor;
    const position = this.#lastPosition + Math.round(elapsed);
    const end = position + ticks;
    const tooEarly = end - this.#playPosition > AHEAD_TICKS_MAX;
    const tooLate = end <= this.#playPosition;
    if (tooEarly || this.#playPosition - end > this.#delayMsMax * TICKS_PER_MS) {
      this.#misfits++;
      if (this.#misfits < MISFITS_MAX) return tooEarly ? "early" : "late";
      return this.#beginWith(timestamp, payload, nowMs);
    }
    this.#misfits = 0;
    this.#lateTicks = tooLate ? this.#lateTicks + ticks : 0;
    if (this.#lateTicks > LATE_TICKS_MAX) return this.#beginWith(timestamp, payload, nowMs);
    this.#lastTimestamp = timestamp;
    this.#lastPosition = position;
    this.#newestPosition = Math.max(this.#newestPosition, end);
    this.#delay.add(nowMs - position / TICKS_PER_MS, nowMs);
    this.#updateTarget();
    if (tooLate) return "late";
    this.#storage.put(position, payload, ticks, this.#playPosition);
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
      this.#storage.drop(this.#playPosition);
      this.#playPosition += BLOCK_TICKS;
      this.#blocksSinceCut = 0;
    } else if (surplusMs <= -BLOCK_MS && (quiet || !this.#storage.has(this.#playPosition))) {
      return "stretch";
    }
    const complete = this.#storage.has(this.#playPosition);
    this.#storage.take(this.#playPosition, block);
    this.#storage.drop(this.#playPosition);
    this.#playPosition += BLOCK_TICKS;
    return complete ? "audio" : "missing";
  }

  /** Forgets everything: a new SSRC, codec or source. */
  reset(): void {
    this.#started = false;
    this.#storage.reset();
    this.#delay = new DelayEstimate();
    this.#targetMs = DELAY_MS_INITIAL;
    this.#misfits = 0;
    this.#lateTicks = 0;
    this.#blocksSinceCut = 0;
  }

  /** What was learnt of the stream is void: this packet is the first again. */
  #beginWith(timestamp: number, payload: Uint8Array, nowMs: number): Put {
    this.reset();
    return this.put(timestamp, payload, nowMs);
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
}
