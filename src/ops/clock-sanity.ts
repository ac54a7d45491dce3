/**
 * Detects a wall clock that is further ahead than the elapsed time explains: a wrong time server, a dead
 * battery, a resumed virtual machine. At run time the monotonic clock is the reference. At start it is the
 * last known time of this data directory (`<data>/clock.json`). The newest row of the store is no reference,
 * because rows are also written while the clock is wrong, and an idle store has none.
 *
 *   trusted ──more than a day ahead──► doubted: dated work is paused, nothing is deleted
 *     ▲ ▲                               │    │
 *     │ └──right again, or confirmed────┘    │ plausible: downtime, or confirmed by a time server
 *     └──a day later── trusted, but nothing is deleted yet ◄──┘
 *
 * With a clock that is behind, nothing is deleted or dialled too early. A warning reports the wait.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { type Clock, type ClockTrust, isoUtc } from "../core/clock.ts";
import { describeError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import { moveDurably } from "../platform/files/durable-file.ts";

const POLL_EVERY_MS = 60_000;
const SAVE_EVERY_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** Larger than a time zone, daylight saving time, or a night of downtime. */
const AHEAD_MS_MAX = DAY_MS;
/** Maximum plausible downtime without a time server. */
const OFF_MS_MAX = 60 * DAY_MS;
/** A machine without a hardware clock gets its time soon after the start. */
const START_MS = 600_000;
/** Maximum plausible jump with a time server. A time server may be wrong, but long downtimes happen. */
const SYNCHRONISED_MS_MAX = 366 * DAY_MS;
const PRIVATE_FILE = 0o600;

const CONFIRM = "If the time is right: linevoice clock confirm. Otherwise correct the clock.";

const Saved = z.object({ known_ms: z.number(), delete_from_ms: z.number() });
type Saved = z.output<typeof Saved>;

export interface ClockSanity extends ClockTrust {
  /** Clock minus expected time in milliseconds, if the difference exceeds a day (negative: behind); else 0. */
  aheadMs(): number;
  /** Description of the paused work with instructions; null: nothing is paused. */
  warning(): string | null;
  /** The operator confirms the clock: nothing is paused any longer. */
  confirm(): void;
  stop(): void;
}

interface ClockSanityOptions {
  readonly dataDir: string;
  /** True: a time server controls the clock; null: unknown. */
  readonly isSynchronised: () => Promise<boolean | null>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Polls now and every minute. Results are valid at any time. The owner must `stop` it. */
export function watchClock(options: ClockSanityOptions): ClockSanity {
  const { isSynchronised, clock, log } = options;
  const startedAt = clock.monotonic();
  const known = knownTime(options);
  let isDoubted = false;

  const aheadMs = () => Math.max(0, known.offsetMs());
  const mayDelete = () => aheadMs() === 0 && !isWaiting(known.deleteFromMs, clock.now());

  /** Trusts the clock again, after a doubt or a plausible jump. */
  function trust(why: "right_again" | "confirmed" | "was_off" | "synchronised"): void {
    isDoubted = false;
    known.save();
    log.warn("clock.trusted", { why, deletion_waits: !mayDelete() });
  }

  async function poll(): Promise<void> {
    const ahead = aheadMs();
    if (ahead === 0) return isDoubted ? trust("right_again") : known.goOn();
    const isStarting = clock.monotonic() - startedAt < START_MS;
    const why =
      isStarting && ahead <= OFF_MS_MAX
        ? "was_off"
        : ahead <= SYNCHRONISED_MS_MAX && (await isSynchronised())
          ? "synchronised"
          : null;
    // The clock may have been set again during the request.
    if (why !== null && aheadMs() <= SYNCHRONISED_MS_MAX) {
      known.set(clock.now() + DAY_MS);
      return trust(why);
    }
    if (!isDoubted)
      log.error("clock.untrusted", {
        now: isoUtc(clock.now()),
        expected: isoUtc(known.expectedMs()),
      });
    isDoubted = true;
  }

  void poll();
  const timer = clock.every(POLL_EVERY_MS, () => void poll());
  return {
    isTrusted: () => aheadMs() === 0,
    mayDelete,
    aheadMs: () => known.offsetMs(),
    warning: () => doubtAbout(clock.now(), known.expectedMs(), known.deleteFromMs, AHEAD_MS_MAX),
    confirm() {
      known.set(0);
      trust("confirmed");
    },
    stop() {
      timer.cancel();
      if (aheadMs() === 0) known.save();
    },
  };
}

/** A time that was right with the monotonic clock at that moment, and the earliest time for deleting old data. */
function knownTime({ dataDir, clock, log }: ClockSanityOptions) {
  const saved = savedIn(dataDir);
  let wallMs = saved?.known_ms ?? clock.now();
  let monotonicMs = clock.monotonic();
  let deleteFromMs = saved?.delete_from_ms ?? 0;
  let savedAt = Number.NEGATIVE_INFINITY;
  const expectedMs = () => wallMs + clock.monotonic() - monotonicMs;

  function setToNow(): void {
    wallMs = clock.now();
    monotonicMs = clock.monotonic();
  }

  function save(): void {
    try {
      write(dataDir, { known_ms: Math.round(expectedMs()), delete_from_ms: deleteFromMs });
      savedAt = clock.monotonic();
    } catch (error) {
      log.warn("clock.not_saved", { error: describeError(error) });
    }
  }

  return {
    expectedMs,
    offsetMs(): number {
      const offset = clock.now() - expectedMs();
      return Math.abs(offset) > AHEAD_MS_MAX ? offset : 0;
    },
    save,
    get deleteFromMs() {
      return deleteFromMs;
    },
    /** The clock is right. Saved once an hour. */
    goOn(): void {
      // Keep the reference if the clock was set back by more, because the new time may be wrong.
      if (clock.now() > expectedMs() - AHEAD_MS_MAX) setToNow();
      if (clock.monotonic() - savedAt >= SAVE_EVERY_MS) save();
    },
    set(nextDeleteFromMs: number): void {
      setToNow();
      deleteFromMs = nextDeleteFromMs;
    },
  };
}

/** One sentence about the paused work of this data directory; null: none is paused. */
export function clockDoubt(dataDir: string, nowMs: number, isRunning: boolean): string | null {
  const saved = savedIn(dataDir);
  // A running server saved the time within the last hour.
  const aheadMax = isRunning ? AHEAD_MS_MAX : OFF_MS_MAX;
  return saved && doubtAbout(nowMs, saved.known_ms, saved.delete_from_ms, aheadMax);
}

function doubtAbout(
  nowMs: number,
  expectedMs: number,
  deleteFromMs: number,
  aheadMax: number,
): string | null {
  if (nowMs - expectedMs > aheadMax)
    return `The clock shows ${isoUtc(nowMs)}, but it should be ${isoUtc(expectedMs)}: scheduled calls, campaigns, new months and deletion wait. ${CONFIRM}`;
  if (expectedMs - nowMs > AHEAD_MS_MAX)
    return `The clock shows ${isoUtc(nowMs)}, but it already was ${isoUtc(expectedMs)}: scheduled calls and campaigns wait for their date, and certificates may count as not yet valid. ${CONFIRM}`;
  return isWaiting(deleteFromMs, nowMs)
    ? `The clock was set ahead, or the appliance was off: deletion of old data starts at ${isoUtc(deleteFromMs)}. ${CONFIRM}`
    : null;
}

/** A remaining wait of more than a day means that the clock was set back meanwhile. */
const isWaiting = (deleteFromMs: number, nowMs: number) =>
  nowMs < deleteFromMs && deleteFromMs - nowMs <= DAY_MS;

const fileIn = (dataDir: string) => join(dataDir, "clock.json");

/** Null: nothing was saved yet, or the file is damaged. */
function savedIn(dataDir: string): Saved | null {
  try {
    return Saved.parse(JSON.parse(readFileSync(fileIn(dataDir), "utf8")));
  } catch {
    return null;
  }
}

function write(dataDir: string, saved: Saved): void {
  const draft = `${fileIn(dataDir)}.partial`;
  writeFileSync(draft, `${JSON.stringify(saved)}\n`, { mode: PRIVATE_FILE });
  moveDurably(draft, fileIn(dataDir));
}
