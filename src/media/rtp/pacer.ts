/**
 * The clock of all audio in a call worker. Every stream is ticked every 20 ms on an absolute
 * schedule, in one of four slots 5 ms apart. The timeout is corrected each time, so that nothing
 * drifts.
 *
 * All streams of a slot send before any of them processes received audio, so that slow listeners do
 * not delay packets. After a late wake-up at most `CATCH_UP_CYCLES_MAX` ticks are caught up. The
 * rest is skipped and reported, so that a stall never causes a burst. An exception of one stream is
 * reported, and the others continue.
 */
import type { Clock, Timer } from "../../core/clock.ts";
import { describeError } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";

export const TICK_MS = 20;
const SLOTS = 4;
const SLOT_MS = TICK_MS / SLOTS;
/** 60 ms: the remote jitter buffer tolerates this without loss. */
const CATCH_UP_CYCLES_MAX = 3;
/** Timers may fire this much early and still count as due. */
const EARLY_MS = 0.1;
const SLEEP_MS_MAX = 1;
/** Typical delay until the kernel wakes a thread. */
const SLEEP_OVERHEAD_MS = 0.06;

export interface PacedStream {
  /**
   * Sends this tick's packet. `skippedTicks` were not sent: the RTP clock must advance past them.
   */
  send(skippedTicks: number): void;
  /** Does everything else of this tick. */
  afterSend(): void;
}

export interface Pacer {
  add(stream: PacedStream): void;
  remove(stream: PacedStream): void;
  readonly streamCount: number;
  /** Due time of the current or latest slot: monotonic ms, never decreasing. */
  readonly slotMs: number;
  /** Removes all streams and stops the timer. */
  close(): void;
}

/**
 * The caller must `close` it. The timer runs only while there are streams. `onStall`: called if
 * ticks were skipped.
 */
export function createPacer(
  clock: Clock,
  log: Log,
  onStall: (lateMs: number) => void = () => {},
): Pacer {
  return new SlotPacer(clock, log, onStall);
}

class SlotPacer implements Pacer {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #onStall: (lateMs: number) => void;
  readonly #slots: PacedStream[][] = Array.from({ length: SLOTS }, () => []);
  readonly #skippedTicks: number[] = new Array<number>(SLOTS).fill(0);
  #timer: Timer | null = null;
  #slot = 0;
  #dueMs = 0;
  #slotMs = 0;

  constructor(clock: Clock, log: Log, onStall: (lateMs: number) => void) {
    this.#clock = clock;
    this.#log = log;
    this.#onStall = onStall;
  }

  get streamCount(): number {
    return this.#slots.reduce((sum, slot) => sum + slot.length, 0);
  }

  get slotMs(): number {
    return this.#slotMs;
  }

  add(stream: PacedStream): void {
    const smallest = this.#slots.reduce((a, b) => (b.length < a.length ? b : a));
    smallest.push(stream);
    if (this.#timer) return;
    this.#dueMs = this.#clock.monotonic() + SLOT_MS;
    this.#arm();
  }

  remove(stream: PacedStream): void {
    // A copy: a stream may be removed while its slot is processed.
    this.#slots.forEach((streams, index) => {
      if (streams.includes(stream))
        this.#slots[index] = streams.filter((other) => other !== stream);
    });
    if (this.streamCount === 0) this.#stop();
  }

  close(): void {
    for (let slot = 0; slot < SLOTS; slot++) this.#slots[slot] = [];
    this.#stop();
  }

  #stop(): void {
    this.#timer?.cancel();
    this.#timer = null;
  }

  #arm(): void {
    const delayMs = Math.max(0, this.#dueMs - this.#clock.monotonic());
    this.#timer = this.#clock.after(delayMs, () => this.#wake());
  }

  #wake(): void {
    this.#sleepUntilDue();
    const now = this.#clock.monotonic();
    this.#skipWhatIsTooLate(now);
    while (this.#dueMs <= now + EARLY_MS) {
      this.#slotMs = this.#dueMs;
      this.#serve(this.#slot);
      this.#slot = (this.#slot + 1) % SLOTS;
      this.#dueMs += SLOT_MS;
    }
    if (this.streamCount > 0) this.#arm();
  }

  /**
   * Timers have whole milliseconds: for 4.7 ms one fires after 4.1, and another would fire 1.1 ms
   * later. So the thread sleeps for the rest, but never when it is late.
   */
  #sleepUntilDue(): void {
    const sleepMs = this.#dueMs - this.#clock.monotonic() - SLEEP_OVERHEAD_MS;
    if (sleepMs > 0 && sleepMs < SLEEP_MS_MAX) this.#clock.blockThread?.(sleepMs);
  }

  #skipWhatIsTooLate(now: number): void {
    const cyclesLate = Math.floor((now - this.#dueMs) / TICK_MS);
    const cyclesSkipped = cyclesLate - CATCH_UP_CYCLES_MAX;
    if (cyclesSkipped <= 0) return;
    for (let slot = 0; slot < SLOTS; slot++) {
      this.#skippedTicks[slot] = (this.#skippedTicks[slot] ?? 0) + cyclesSkipped;
    }
    this.#dueMs += cyclesSkipped * TICK_MS;
    const lateMs = cyclesLate * TICK_MS;
    this.#log.warn("media.thread_stalled", { late_ms: lateMs });
    this.#onStall(lateMs);
  }

  #serve(slot: number): void {
    const streams = this.#slots[slot] ?? [];
    const skippedTicks = this.#skippedTicks[slot] ?? 0;
    this.#skippedTicks[slot] = 0;
    for (const stream of streams) {
      try {
        stream.send(skippedTicks);
      } catch (error) {
        this.#log.error("media.send_failed", { error: describeError(error) });
      }
    }
    for (const stream of streams) {
      try {
        stream.afterSend();
      } catch (error) {
        this.#log.error("media.receive_failed", { error: describeError(error) });
      }
    }
  }
}
