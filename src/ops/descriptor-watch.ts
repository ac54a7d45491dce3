/**
 * Monitors the open file descriptors of the process; each socket and file needs one. When few are left, new
 * calls are rejected, so that HTTP, the database and live calls continue. Linux only; other systems reject
 * nothing.
 */
import { readdirSync, readFileSync } from "node:fs";
import type { Clock } from "../core/clock.ts";
import { describeError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";

/** RTP and RTCP, the same for a second party, the recording, and a connection to each of three providers. */
const PER_CALL = 8;
/** Database, workers, listeners, mails and webhooks. */
const OWN = 64;
/** Concurrent connections: browsers, API clients, and slow ones until their timeout. */
const HTTP_CONNECTIONS = 512;
/** Descriptors reserved for everything except new calls. */
const RESERVE_MAX = 256;
const RESERVE_SHARE = 1 / 4;
const POLL_EVERY_MS = 1_000;

/** Limit and number of open descriptors. Throws if the system does not report them. */
export interface Descriptors {
  limit(): number;
  open(): number;
}

/** `pid`: a process of this user; default: this one. */
export const descriptorsOf = (pid: number | "self" = "self"): Descriptors => ({
  limit() {
    const limits = readFileSync(`/proc/${pid}/limits`, "utf8");
    const soft = /^Max open files\s+(\S+)/m.exec(limits)?.[1];
    return soft === undefined || soft === "unlimited" ? Number.POSITIVE_INFINITY : Number(soft);
  },
  open: () => readdirSync(`/proc/${pid}/fd`).length,
});

interface DescriptorDemand {
  readonly concurrentCalls: number;
}

export const descriptorsNeeded = (demand: DescriptorDemand): number =>
  OWN + demand.concurrentCalls * PER_CALL + HTTP_CONNECTIONS;

export const MORE_DESCRIPTORS =
  "Raise LimitNOFILE in the unit (without systemd: ulimit -n), or lower [limits] concurrent_calls.";

/** Null: the limit is enough for the configured calls and connections. */
export function tooFewDescriptors(limit: number, demand: DescriptorDemand): string | null {
  const needed = descriptorsNeeded(demand);
  return limit >= needed
    ? null
    : `${limit} file descriptors are allowed; ${demand.concurrentCalls} calls and ${HTTP_CONNECTIONS} connections need ${needed}.`;
}

export interface DescriptorWatch {
  /** Reason to reject a new call. Null: the call is accepted, and counted until the next poll. */
  rejection(): string | null;
  /** Reason why no calls are accepted; null: calls are accepted. */
  problem(): string | null;
  /** Set if the limit is too low for the configuration. */
  warning(): string | null;
  stop(): void;
}

/** Checks now and every second. The owner must `stop` it. */
export function watchDescriptors(options: {
  readonly descriptors: Descriptors;
  readonly demand: () => DescriptorDemand;
  readonly clock: Clock;
  readonly log: Log;
}): DescriptorWatch {
  const { descriptors, demand, clock, log } = options;
  const limit = limitOf(descriptors, log);
  const reserve = Math.min(RESERVE_MAX, limit * RESERVE_SHARE);
  let open = 0;
  /** Calls accepted since `open` was counted. */
  let accepted = 0;
  let isShort = false;

  const sentence = () =>
    `${open} of ${limit} file descriptors are open: new calls are rejected until some are closed.`;

  function poll(): void {
    try {
      open = descriptors.open();
    } catch (error) {
      // Assume that none are left, because other opens would fail as well.
      open = limit;
      log.warn("descriptors.unavailable", { error: describeError(error) });
    }
    accepted = 0;
    const wasShort = isShort;
    isShort = limit - open < reserve;
    if (isShort !== wasShort)
      log[isShort ? "error" : "info"](`descriptors.${isShort ? "no_calls" : "ample"}`, {
        open,
        limit,
      });
  }

  const few = tooFewDescriptors(limit, demand());
  if (few !== null) log.warn("descriptors.too_few", { limit, needed: descriptorsNeeded(demand()) });
  if (Number.isFinite(limit)) poll();
  const timer = Number.isFinite(limit) ? clock.every(POLL_EVERY_MS, poll) : null;
  return {
    rejection() {
      if (limit - open - accepted * PER_CALL < reserve) return sentence();
      accepted++;
      return null;
    },
    problem: () => (isShort ? sentence() : null),
    warning() {
      const few = tooFewDescriptors(limit, demand());
      return few && `${few} ${MORE_DESCRIPTORS}`;
    },
    stop: () => timer?.cancel(),
  };
}

function limitOf(descriptors: Descriptors, log: Log): number {
  try {
    return descriptors.limit();
  } catch (error) {
    log.info("descriptors.limit_unavailable", { error: describeError(error) });
    return Number.POSITIVE_INFINITY;
  }
}
