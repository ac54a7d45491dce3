/**
 * Monitors the free space on the data directory's disk. Below the first threshold new calls are not recorded;
 * below the second no calls are accepted. Live calls continue in both cases (appliance.md 5). Hysteresis: a
 * level ends when the free space is 10 % above its threshold.
 */
import { statfsSync } from "node:fs";
import type { Clock } from "../core/clock.ts";
import { describeError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";

/** Writable bytes. Throws if the file system does not respond. */
export type FreeDiskBytes = () => number;

/** Half an hour of stereo WAV recordings of ten calls. */
export const RECORDING_BYTES_MIN = 512 * 1_048_576;
/** For the database, its log, and final writes of live calls. */
export const CALL_BYTES_MIN = 128 * 1_048_576;
const RETURN_FACTOR = 1.1;
const POLL_EVERY_MS = 5_000;

export type DiskLevel = "ample" | "no_recordings" | "no_calls";

export interface DiskWatch {
  readonly level: DiskLevel;
  mayRecord(): boolean;
  /** Reason why no calls are accepted; null: calls are accepted. */
  rejection(): string | null;
  /** A problem that the operator should fix although calls are accepted. */
  warning(): string | null;
  stop(): void;
}

export const freeBytesOf =
  (directory: string): FreeDiskBytes =>
  () => {
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize;
  };

/** False: no inodes are left. A file system without an inode count is fine. */
export function hasInodes(directory: string): boolean {
  const { files, ffree } = statfsSync(directory);
  return files === 0 || ffree > 0;
}

/**
 * Checks now and every 5 s. If the file system does not respond, the level stays. The owner must `stop` it.
 */
export function watchDisk(options: {
  readonly freeBytes: FreeDiskBytes;
  readonly clock: Clock;
  readonly log: Log;
}): DiskWatch {
  const { freeBytes, clock, log } = options;
  let level: DiskLevel = "ample";
  let free = Number.POSITIVE_INFINITY;

  function poll(): void {
    try {
      free = freeBytes();
    } catch (error) {
      log.warn("disk.unavailable", { error: describeError(error) });
      return;
    }
    const next = levelAt(free, level);
    if (next === level) return;
    log[next === "ample" ? "info" : "error"](`disk.${next}`, { free_bytes: free });
    level = next;
  }

  poll();
  const timer = clock.every(POLL_EVERY_MS, poll);
  const room = () => `The disk has ${Math.floor(free / 1_048_576)} MiB left`;
  return {
    get level() {
      return level;
    },
    mayRecord: () => level === "ample",
    rejection: () =>
      level === "no_calls" ? `${room()}: new calls are rejected until there is more.` : null,
    warning: () =>
      level === "no_recordings"
        ? `${room()}: new calls are not recorded until there is more.`
        : null,
    stop: () => timer.cancel(),
  };
}

function levelAt(free: number, before: DiskLevel): DiskLevel {
  const mark = (bytes: number, wasBelow: boolean) => (wasBelow ? bytes * RETURN_FACTOR : bytes);
  if (free < mark(CALL_BYTES_MIN, before === "no_calls")) return "no_calls";
  if (free < mark(RECORDING_BYTES_MIN, before !== "ample")) return "no_recordings";
  return "ample";
}
