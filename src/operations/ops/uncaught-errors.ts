/**
 * An error that nobody caught is logged and counted, and the process goes on: the other calls are not part of
 * it. Whether the process still works is the watchdog's question, which asks media, SIP and the database.
 * Without these handlers Bun prints the error with all its values; it ends the process, unless the entry awaits
 * something at its top level.
 */
import type { Clock } from "../../core/clock.ts";
import { describeError } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";

const LINES_PER_MINUTE_MAX = 20;
const MINUTE_MS = 60_000;

/** Of this process. */
const counts = { exception: 0, rejection: 0 };

export const uncaughtErrors = (): Readonly<Record<"exception" | "rejection", number>> => counts;

/** A log line of its own may fail, too, such as on a closed pipe: lines are bounded. */
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

/** Without the message, which of a failed query names values. */
function framesOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const frames = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  return frames.map((line) => line.trim()).join("\n");
}
