/**
 * Shutdown: rejects new calls, ends live calls, then stops all parts in reverse order of their
 * start.
 */

import { endingByUs } from "../call/ending.ts";
import { sleep } from "../core/clock.ts";
import type { HttpPhase } from "./phases/services.ts";

/** Time in ms for calls to end before their media is cut. */
const GOODBYE_MS = 8_000;
const DRAIN_POLL_MS = 100;

export interface Shutdown {
  /** Rejects new calls, unregisters, waits for live calls. */
  drain(): Promise<void>;
  /** Hangs up live calls, then stops all parts. Idempotent. */
  stop(): Promise<void>;
}

export function createShutdown(
  phase: Pick<
    HttpPhase,
    "http" | "sip" | "leases" | "scheduler" | "registry" | "run" | "stops" | "clock"
  >,
): Shutdown {
  const { http, sip, leases, scheduler, registry, run, stops, clock } = phase;
  let leaving: Promise<void> = Promise.resolve();
  let stopping: Promise<void> | null = null;

  async function refuse(): Promise<void> {
    if (run.isDraining()) return;
    run.drain();
    http.server.refuse();
    sip.rejectNewCalls();
    leaving = leaveCarriers();
    await scheduler.stop();
  }

  /** Unregisters the trunks, so that new calls go to another node or to the carrier's fallback. */
  async function leaveCarriers(): Promise<void> {
    await sip.unregister();
    await leases?.stop();
  }

  async function liveCallsGone(deadlineMs: number): Promise<boolean> {
    const until = clock.monotonic() + deadlineMs;
    while (registry.size > 0) {
      if (clock.monotonic() >= until) return false;
      await sleep(clock, DRAIN_POLL_MS);
    }
    return true;
  }

  async function stopAll(): Promise<void> {
    await refuse();
    for (const call of registry.all) call.endPolitely("operator_hangup");
    if (!(await liveCallsGone(GOODBYE_MS)))
      for (const call of registry.all) call.end(endingByUs("completed", "operator_hangup"));
    await Promise.allSettled(registry.all.map((call) => call.finished));
    await leaving;
    await stops.run();
  }

  return {
    async drain() {
      await refuse();
      await liveCallsGone(Number.POSITIVE_INFINITY);
    },
    stop() {
      stopping ??= stopAll();
      return stopping;
    },
  };
}
