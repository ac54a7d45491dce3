/**
 * Checks at run time that one of the appliance's directories is writable. A removed directory is created
 * again, but not its parents: the disk may be unmounted. If that fails, the operator is notified, and files
 * written there in the meantime are lost.
 */
import { accessSync, constants, existsSync, mkdirSync } from "node:fs";
import type { Clock } from "../core/clock.ts";
import { describeError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import { hasInodes } from "./disk-watch.ts";

const POLL_EVERY_MS = 5_000;
const PRIVATE = 0o700;

interface DirectoryWatch {
  /** The system's error message; null: the directory is writable. */
  problem(): string | null;
  stop(): void;
}

/** Checks now and every 5 s. The owner must `stop` it. */
export function watchDirectory(options: {
  readonly directory: string;
  readonly clock: Clock;
  readonly log: Log;
}): DirectoryWatch {
  const { directory, clock, log } = options;
  let problem: string | null = null;

  function poll(): void {
    const before = problem;
    try {
      if (!existsSync(directory)) {
        mkdirSync(directory, { mode: PRIVATE });
        log.warn("directory.recreated", { directory });
      }
      accessSync(directory, constants.W_OK | constants.X_OK);
      problem = hasInodes(directory) ? null : "no inode is left: df -i";
    } catch (error) {
      problem = describeError(error);
    }
    if (problem !== null && before === null)
      log.error("directory.not_writable", { directory, error: problem });
  }

  poll();
  const timer = clock.every(POLL_EVERY_MS, poll);
  return { problem: () => problem, stop: () => timer.cancel() };
}
