/** A clock that the test advances. Timers fire in order of their time. */
import type { Clock, Timer } from "../../src/core/clock.ts";

interface Pending {
  readonly id: number;
  dueMs: number;
  readonly periodMs: number | null;
  readonly task: () => void;
}

export interface FakeClock extends Clock {
  /** Advances both clocks and fires due timers; lets promises settle after each one. */
  advance(ms: number): Promise<void>;
  /**
   * Simulates a stopped process: both clocks advance, and due timers fire with the next `advance`.
   */
  stop(ms: number): void;
  /** Steps the wall clock only, as NTP or an operator does. */
  stepWallClock(ms: number): void;
  /** Milliseconds since the clock was created, without steps of the wall clock. */
  readonly elapsedMs: number;
  readonly pendingTimers: number;
}

/** The monotonic clock does not start at 0, so that code which assumes 0 fails. */
const UPTIME_MS = 7_200_000;

export function fakeClock(startEpochMs = 1_795_000_000_000): FakeClock {
  let monotonicMs = UPTIME_MS;
  let wallOffsetMs = startEpochMs - UPTIME_MS;
  let lastId = 0;
  const pending = new Map<number, Pending>();

  function add(delayMs: number, periodMs: number | null, task: () => void): Timer {
    const id = ++lastId;
    pending.set(id, { id, dueMs: monotonicMs + Math.max(0, delayMs), periodMs, task });
    return { cancel: () => pending.delete(id) };
  }

  function nextDue(untilMs: number): Pending | undefined {
    const due = [...pending.values()].filter((timer) => timer.dueMs <= untilMs);
    return due.sort((a, b) => a.dueMs - b.dueMs || a.id - b.id)[0];
  }

  return {
    now: () => Math.floor(wallOffsetMs + monotonicMs),
    monotonic: () => monotonicMs,
    after: (delayMs, task) => add(delayMs, null, task),
    every: (periodMs, task) => add(periodMs, periodMs, task),
    async advance(ms) {
      const untilMs = monotonicMs + ms;
      for (let timer = nextDue(untilMs); timer; timer = nextDue(untilMs)) {
        monotonicMs = Math.max(monotonicMs, timer.dueMs);
        if (timer.periodMs === null) pending.delete(timer.id);
        else timer.dueMs += timer.periodMs;
        timer.task();
        for (let turn = 0; turn < 10; turn++) await Promise.resolve();
      }
      monotonicMs = untilMs;
      for (let turn = 0; turn < 10; turn++) await Promise.resolve();
    },
    stop(ms) {
      monotonicMs += ms;
    },
    stepWallClock(ms) {
      wallOffsetMs += ms;
    },
    get elapsedMs() {
      return monotonicMs - UPTIME_MS;
    },
    get pendingTimers() {
      return pending.size;
    },
  };
}
