/**
 * Notices when the wall clock is further ahead than time can have passed: a wrong time server, a
 * dead battery, a virtual machine that was resumed. While it runs, the monotonic clock tells; at the
 * start, the last time that this data directory knew (`<data>/clock.json`). The newest row of the
 * store would not do: calls are stored while the clock is wrong, too, and an idle store has none.
 *
 *   trusted ──more than a day ahead──► doubted: what waits for its date waits, nothing is deleted
 *     ▲ ▲                               │    │
 *     │ └──right again, or confirmed────┘    │ plausible: it was off, or a time server vouches for it
 *     └──a day later── trusted, but nothing is deleted yet ◄──┘
 *
 * A clock that is behind deletes and dials nothing too early: what waits for a date waits for it, with a warning.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { type Clock, type ClockTrust, isoUtc } from "../../core/clock.ts";
import { describeError } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import { moveDurably } from "../../platform/files/durable-file.ts";

const POLL_EVERY_MS = 60_000;
const SAVE_EVERY_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** More than a time zone, an hour of summer time or a night that the machine was off. */
const AHEAD_MS_MAX = DAY_MS;
/** How long an appliance may have been off although no time server vouches for the clock. */
const OFF_MS_MAX = 60 * DAY_MS;
/** A machine without a clock of its own is set soon after the start. */
const START_MS = 600_000;
/** A time server may be wrong, too, but a machine may be off or paused for long. */
const SYNCHRONISED_MS_MAX = 366 * DAY_MS;
const PRIVATE_FILE = 0o600;

const CONFIRM = "If it is right: linevoice clock confirm; else set it right.";

const Saved = z.object({ known_ms: z.number(), delete_from_ms: z.number() });
type Saved = z.output<typeof Saved>;

export interface ClockWatch extends ClockTrust {
  /** Difference of the clock to the expected time if that is more than a day, negative if it is behind; else 0. */
  aheadMs(): number;
  /** What waits, and how to go on; null: nothing does. */
  warning(): string | null;
  /** The operator says that the clock is right: nothing waits any longer. */
  confirm(): void;
  stop(): void;
}

interface ClockWatchOptions {
  readonly dataDir: string;
  /** True: a time server keeps the clock right; null: that cannot be told. */
  readonly isSynchronised: () => Promise<boolean | null>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Looks now and once a minute; answers hold at any moment. The owner must `stop` it. */
export function watchClock(options: ClockWatchOptions): ClockWatch {
  const { isSynchronised, clock, log } = options;
  const startedAt = clock.monotonic();
  const known = knownTime(options);
  let isDoubted = false;

  const aheadMs = () => Math.max(0, known.offsetMs());
  const mayDelete = () => aheadMs() === 0 && !isWaiting(known.deleteFromMs, clock.now());

  /** After a doubt, or a jump that is believed. */
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
    // It may have been set again while we asked.
    if (why !== null && aheadMs() <= SYNCHRONISED_MS_MAX) {
      known.set(clock.now() + DAY_MS);
      return trust(why);
    }
    if (!isDoubted)
      log.error("clock.doubted", {
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

/** A time that was right, with the monotonic clock then; and from when on old data may be deleted. */
function knownTime({ dataDir, clock, log }: ClockWatchOptions) {
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
      // One that was set back by more may be the wrong one.
      if (clock.now() > expectedMs() - AHEAD_MS_MAX) setToNow();
      if (clock.monotonic() - savedAt >= SAVE_EVERY_MS) save();
    },
    set(nextDeleteFromMs: number): void {
      setToNow();
      deleteFromMs = nextDeleteFromMs;
    },
  };
}

/** What an appliance on this directory waits with, in one sentence; null: nothing. */
export function clockDoubt(dataDir: string, nowMs: number, isRunning: boolean): string | null {
  const saved = savedIn(dataDir);
  // One that runs has saved the time within the hour.
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
    return `The clock says ${isoUtc(nowMs)}, but it should be ${isoUtc(expectedMs)}: scheduled calls, campaigns, new months and deletion wait. ${CONFIRM}`;
  if (expectedMs - nowMs > AHEAD_MS_MAX)
    return `The clock says ${isoUtc(nowMs)}, but it was ${isoUtc(expectedMs)} already: scheduled calls and campaigns wait for their date, and certificates may count as not yet valid. ${CONFIRM}`;
  return isWaiting(deleteFromMs, nowMs)
    ? `The clock was set ahead, or the appliance was off: old data is deleted from ${isoUtc(deleteFromMs)} on. ${CONFIRM}`
    : null;
}

/** A wait of more than a day means that the clock was set back since. */
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
