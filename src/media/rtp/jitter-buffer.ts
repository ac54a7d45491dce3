/**
 * Adaptive jitter buffer: packets in, 10 ms blocks out. Pure: time is passed as an argument.
 *
 * Payloads are stored by position, in ticks of an 8 kHz clock, so that reordering, duplicates and
 * any packet size need no special handling. The codec determines the storage: octets for G.711 and
 * G.722, whole packets for Opus. The playout delay follows the 97th percentile of the packets'
 * relative delay (a histogram with decay, as in WebRTC's NetEQ). It grows when packets are missing
 * or the caller is quiet, shrinks in quiet blocks, and its target never exceeds `delayMsMax`.
 * Packets that arrive late, in a burst after a stall, are still played up to that delay. Clock
 * drift appears as a moving minimum of the transit time and is compensated the same way.
 * Concealment, decoding and RFC 3550 loss counting are done elsewhere.
 */
import { DelayEstimate } from "./delay-estimate.ts";
import { BLOCK_TICKS, type JitterStorage } from "./jitter-storage.ts";
import { OctetRing } from "./octet-ring.ts";
import { timestampDelta } from "./packet.ts";

/** Octets of a block with G.711 and G.722. */
export const BLOCK_OCTETS = BLOCK_TICKS;
const BLOCK_MS = 10;
const TICKS_PER_MS = 8;
/** A packet further ahead than this (0.8 s) would overwrite unplayed audio. */
const AHEAD_TICKS_MAX = 6592;
/**
 * Maximum step back to a late packet: otherwise later packets of the same burst would not fit
 * ahead.
 */
const GO_BACK_MS_MAX = 720;
const DELAY_MS_MIN = 20;
const DELAY_MS_INITIAL = 40;
/** Delay above the target that is cut in quiet blocks, and in any block. */
const SURPLUS_QUIET_MS = 15;
const SURPLUS_ANY_MS = 80;
/** Minimum blocks between two cuts, so that cuts are not audible as stutter. */
const CUT_INTERVAL_BLOCKS = 5;
/**
 * After a late packet was played, cuts need quiet for this long (3 s): speech has a pause by then.
 */
const QUIET_AWAITED_BLOCKS = 300;
/**
 * After this many consecutive packets without a valid position, the remote party's clock was
 * restarted.
 */
const MISFITS_MAX = 3;
/**
 * Consecutive late audio (240 ms): the path delay has increased by more than the buffer's delay can
 * grow. Without a restart the old minimum would apply for up to 10 s.
 */
const LATE_TICKS_MAX = 1920;

export type Block =
  /** Nothing has arrived yet. */
  | "idle"
  | "audio"
  /** Lost, late, or not sent. */
  | "missing"
  /** Inserted to increase the delay: the stream continues with the next block. */
  | "stretch";

type Put = "kept" | "late" | "early";

export class JitterBuffer {
  readonly #delayMsMax: number;
  #storage: JitterStorage;
  #clockDivisor = 1;
  #delay: DelayEstimate;
  #started = false;
  /** Positions are timestamps relative to the first packet, without wrapping. */
  #lastTimestamp = 0;
  #lastPosition = 0;
  #playPosition = 0;
  /** End of the last played or cut audio. Concealed audio after it can still be played. */
  #playedTo = 0;
  #misfits = 0;
  #lateTicks = 0;
  #blocksSinceCut = 0;
  /** Number of further blocks in which delay is cut only if they are quiet. */
  #quietAwaited = 0;
  #targetMs = DELAY_MS_INITIAL;

  constructor(options: { readonly delayMsMax: number }) {
    this.#delayMsMax = Math.max(DELAY_MS_MIN, options.delayMsMax);
    this.#delay = new DelayEstimate();
    this.#storage = new OctetRing();
  }

  /** Restarts for another codec. `clockDivisor`: RTP ticks per tick of 8 kHz. */
  begin(storage: JitterStorage, clockDivisor: number): void {
    this.#storage = storage;
    this.#clockDivisor = clockDivisor;
    this.reset();
  }

  /** The target playout delay, in ms above the fastest packet. */
  get targetDelayMs(): number {
    return this.#targetMs;
  }

  put(timestamp: number, payload: Uint8Array, nowMs: number): Put {
    const ticks = this.#storage.ticksOf(payload);
    if (ticks === 0) return "late";
    if (!this.#started) this.#start(timestamp);
    const elapsed = timestampDelta(timestamp, this.#lastTimestamp) / this.#clockDivisor;
    const position = this.#lastPosition + Math.round(elapsed);
    const end = position + ticks;
    const tooEarly = end - this.#playPosition > AHEAD_TICKS_MAX;
    if (tooEarly || this.#playPosition - end > this.#delayMsMax * TICKS_PER_MS) {
      this.#misfits++;
      if (this.#misfits < MISFITS_MAX) return tooEarly ? "early" : "late";
      return this.#beginWith(timestamp, payload, nowMs);
    }
    this.#misfits = 0;
    if (position < this.#playPosition) this.#goBackTo(position, nowMs);
    const tooLate = end <= this.#playPosition;
    this.#lateTicks = tooLate ? this.#lateTicks + ticks : 0;
    if (this.#lateTicks > LATE_TICKS_MAX) return this.#beginWith(timestamp, payload, nowMs);
    this.#lastTimestamp = timestamp;
    this.#lastPosition = position;
    this.#delay.add(nowMs - position / TICKS_PER_MS, nowMs);
    this.#updateTarget();
    if (tooLate) return "late";
    this.#storage.put(position, payload, ticks, this.#playPosition);
    return "kept";
  }

  /**
   * Copies the next 10 ms into `block` if the result is "audio". `quiet`: the previous block was
   * (nearly) silent, so delay can be added or cut inaudibly.
   */
  take(block: Uint8Array, nowMs: number, quiet: boolean): Block {
    if (!this.#started) return "idle";
    this.#blocksSinceCut++;
    this.#quietAwaited--;
    const surplusMs = this.#currentDelayMs(nowMs) - this.#targetMs;
    if (this.#shouldCut(surplusMs, quiet)) {
      this.#storage.drop(this.#playPosition);
      this.#playPosition += BLOCK_TICKS;
      this.#playedTo = this.#playPosition;
      this.#blocksSinceCut = 0;
    } else if (surplusMs <= -BLOCK_MS && (quiet || !this.#storage.has(this.#playPosition))) {
      return "stretch";
    }
    const complete = this.#storage.has(this.#playPosition);
    this.#storage.take(this.#playPosition, block);
    this.#storage.drop(this.#playPosition);
    this.#playPosition += BLOCK_TICKS;
    if (complete) this.#playedTo = this.#playPosition;
    return complete ? "audio" : "missing";
  }

  /** Clears everything: for a new SSRC, codec or source. */
  reset(): void {
    this.#started = false;
    this.#storage.reset();
    this.#delay = new DelayEstimate();
    this.#targetMs = DELAY_MS_INITIAL;
    this.#misfits = 0;
    this.#lateTicks = 0;
    this.#blocksSinceCut = 0;
    this.#quietAwaited = 0;
  }

  /** Discards everything known about the stream: this packet is the first again. */
  #beginWith(timestamp: number, payload: Uint8Array, nowMs: number): Put {
    this.reset();
    return this.put(timestamp, payload, nowMs);
  }

  #start(timestamp: number): void {
    this.#started = true;
    this.#lastTimestamp = timestamp;
    this.#lastPosition = 0;
    this.#playPosition = -Math.min(DELAY_MS_INITIAL, this.#delayMsMax) * TICKS_PER_MS;
    this.#playedTo = this.#playPosition;
  }

  /**
   * A late packet is still played if nothing after it was played: the concealed audio in its place
   * was a pause in the arrivals, not a loss. The delay grows by that, and shrinks again like any
   * surplus.
   */
  #goBackTo(position: number, nowMs: number): void {
    const delayMs = nowMs - position / TICKS_PER_MS - this.#delay.transitMsMin;
    const delayMsMax = Math.min(this.#delayMsMax, GO_BACK_MS_MAX);
    if (position < this.#playedTo || delayMs > delayMsMax) return;
    this.#playPosition = position;
    // The last block was concealed: its silence shows nothing about the next audio.
    this.#blocksSinceCut = 0;
    this.#quietAwaited = QUIET_AWAITED_BLOCKS;
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
    if (quiet) return surplusMs > SURPLUS_QUIET_MS;
    return surplusMs > SURPLUS_ANY_MS && this.#quietAwaited <= 0;
  }
}
