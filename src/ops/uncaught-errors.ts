/**
 * Logs and counts uncaught errors and continues, because other calls are not affected. The watchdog checks
 * media, SIP and the database to decide if the process still works. Without these handlers Bun prints the
 * error with all its values. It also ends the process, unless the entry has a pending top-level await.
 */
import type { Clock } from "../core/clock.ts";
import { describeError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";

const LINES_PER_MINUTE_MAX = 20;
const MINUTE_MS = 60_000;

/** Uncaught errors of this process. */
const counts = { exception: 0, rejection: 0 };

export const uncaughtErrors = (): Readonly<Record<"exception" | "rejection", number>> => counts;

/** The number of lines is limited, because logging itself may fail, for example on a closed pipe. */
export function surviveUncaughtErrors(log: Log, clock: Clock): { forget(): void } {
  let minuteEndsAt = 0;
  let lines = 0;
  const surviveAs = (kind: keyof typeof counts) => (error: unknown) => {
    counts[kind]++;
    const now = clock.monotonic();
    if (now >= minuteEndsAt) {
      minuteEndsAt = now + MINUTE_MS;
      lines = 0;
    }
    if (lines++ < LINES_PER_MINUTE_MAX)
      log.error("process.uncaught_error", {
        kind,
        error: describeError(error),
        stack: framesOf(error),
      });
  };
  const onException = surviveAs("exception");
  const onRejection = surviveAs("rejection");
  process.on("uncaughtException", onException);
  process.on("unhandledRejection", onRejection);
  return {
    forget() {
      process.off("uncaughtException", onException);
      process.off("unhandledRejection", onRejection);
    },
  };
}

/** Stack without the message, because the message of a failed query contains values. */
function framesOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const frames = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  return frames.map((line) => line.trim()).join("\n");
}
