/**
 * Reception state of a stream by RFC 3550: extended sequence numbers (A.1), loss (A.3) and
 * interarrival jitter (A.8). Duplicates are recognised, so that they never hide a loss. A jump of
 * the sequence is accepted when two consecutive packets agree (a restart); the totals continue.
 */
import { sequenceDelta, timestampDelta } from "./packet.ts";

const SEEN_SLOTS = 512;
const AHEAD_MAX = 3000;
const NO_SEQUENCE = -1;
/** A transit time that changes by more comes from another clock, not from the network. */
const RESTART_MS = 2000;

type Arrival =
  | "new"
  | "duplicate"
  /** A second packet confirmed a jump: discard buffered audio. */
  | "restart"
  /** Far outside the expected range; dropped unless the next packet follows it. */
  | "jump";

/** The fields of an RTCP report block (RFC 3550 6.4.1) that the receiver fills. */
interface ReceptionReport {
  /** Fraction of the packets expected since the last report, in 1/256. */
  readonly fractionLost: number;
  readonly packetsLost: number;
  readonly highestSequence: number;
  readonly jitterTicks: number;
}

export class ReceptionStatistics {
  readonly #seen = new Float64Array(SEEN_SLOTS).fill(NO_SEQUENCE);
  #started = false;
  #base = 0;
  #highest = 0;
  #received = 0;
  #expectedBefore = 0;
  #receivedBefore = 0;
  #afterJump = NO_SEQUENCE;
  #reportedExpected = 0;
  #reportedReceived = 0;
  #lastTransit: number | null = null;
  #jitterTicks = 0;
  #ticksPerMs = 8;

  /** `timed` is false for packets whose timestamp is not their sampling time (telephone-events). */
  receive(sequence: number, timestamp: number, nowMs: number, timed = true): Arrival {
    if (!this.#started) {
      this.#begin(sequence);
      this.#measureJitter(timestamp, nowMs, timed);
      return "new";
    }
    const delta = sequenceDelta(sequence, this.#highest & 0xffff);
    if (delta > AHEAD_MAX || delta <= -SEEN_SLOTS) {
      if (sequence !== this.#afterJump) {
        this.#afterJump = (sequence + 1) & 0xffff;
        return "jump";
      }
      this.restart();
      this.#begin(sequence);
      return "restart";
    }
    this.#afterJump = NO_SEQUENCE;
    const extended = this.#highest + delta;
    const slot = extended & (SEEN_SLOTS - 1);
    if (this.#seen[slot] === extended) return "duplicate";
    this.#seen[slot] = extended;
    // Packets from before the first one we saw would make the loss negative.
    if (extended >= this.#base) this.#received++;
    if (delta > 0) {
      this.#highest = extended;
      this.#measureJitter(timestamp, nowMs, timed);
    }
    return "new";
  }

  /** A new SSRC: sequence and timestamp restart, totals are kept. */
  restart(): void {
    this.#expectedBefore += this.#expectedNow();
    this.#receivedBefore += this.#received;
    this.#started = false;
    this.#received = 0;
    this.#seen.fill(NO_SEQUENCE);
    this.#afterJump = NO_SEQUENCE;
    this.#lastTransit = null;
  }

  get packetsReceived(): number {
    return this.#receivedBefore + this.#received;
  }

  get packetsExpected(): number {
    return this.#expectedBefore + this.#expectedNow();
  }

  get packetsLost(): number {
    return Math.max(0, this.packetsExpected - this.packetsReceived);
  }

  get jitterMs(): number {
    return this.#jitterTicks / this.#ticksPerMs;
  }

  /** Ticks of the RTP clock per millisecond, default 8. Another value restarts the measurement. */
  setClock(ticksPerMs: number): void {
    if (ticksPerMs === this.#ticksPerMs) return;
    this.#jitterTicks *= ticksPerMs / this.#ticksPerMs;
    this.#ticksPerMs = ticksPerMs;
    this.#lastTransit = null;
  }

  /** Values for the next RR block. Starts a new interval for the fraction. */
  report(): ReceptionReport {
    const expected = this.packetsExpected - this.#reportedExpected;
    const lost = expected - (this.packetsReceived - this.#reportedReceived);
    this.#reportedExpected = this.packetsExpected;
    this.#reportedReceived = this.packetsReceived;
    return {
      fractionLost:
        expected > 0 && lost > 0 ? Math.min(255, Math.floor((lost * 256) / expected)) : 0,
      packetsLost: this.packetsLost,
      highestSequence: this.#highest >>> 0,
      jitterTicks: Math.floor(this.#jitterTicks),
    };
  }

  #begin(sequence: number): void {
    this.#started = true;
    // One cycle up, so that a packet from before the first one stays positive.
    this.#base = sequence + 0x10000;
    this.#highest = this.#base;
    this.#received = 1;
    this.#seen[this.#base & (SEEN_SLOTS - 1)] = this.#base;
  }

  #expectedNow(): number {
    return this.#started ? this.#highest - this.#base + 1 : 0;
  }

  #measureJitter(timestamp: number, nowMs: number, timed: boolean): void {
    if (!timed) return;
    // Kept modulo 2³², like the timestamp: only differences count.
    const transit = timestampDelta(Math.floor(nowMs * this.#ticksPerMs) % 2 ** 32, timestamp);
    if (this.#lastTransit !== null) {
      const difference = Math.abs(timestampDelta(transit, this.#lastTransit));
      const isRestart = difference > RESTART_MS * this.#ticksPerMs;
      if (!isRestart) this.#jitterTicks += (difference - this.#jitterTicks) / 16;
    }
    this.#lastTransit = transit;
  }
}
