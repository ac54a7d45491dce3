/**
 * Fires what is due. croner only wakes it, once a second; what is due is decided in the database,
 * under a lease, so that clock steps and restarts cannot fire twice or late (decisions.md 7).
 *
 * Immediate requests are entries due at once: they take the same way.
 */
import { Cron } from "croner";
import type { Clock } from "../core/clock.ts";
import { type AppError, describeError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import type { Database } from "../store/database.ts";
import { type ScheduleRow, scheduleStore } from "../store/schedule-store.ts";

/** An entry later than this is `missed`: never dialled late. */
export const GRACE_MS = 15 * 60_000;
const LEASE_MS = 30_000;
/** While a cap is full, look again after this. */
const FULL_RETRY_MS = 2_000;
const BATCH_MAX = 100;

export type FireResult =
  | { readonly type: "dialed" | "gone" | "full" }
  | { readonly type: "refused"; readonly error: AppError };

export interface SchedulerOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
  /** Names this process in leases. */
  readonly owner: string;
  fire(entry: ScheduleRow): Promise<FireResult>;
  /** The entry left `pending` unfired: `missed` or `failed`. Same transaction as the entry's. */
  abandon(entry: ScheduleRow, status: "missed" | "failed", error: AppError | null): Promise<void>;
  isRefusing(): boolean;
}

export interface Scheduler {
  /** Look now. */
  wake(): void;
  /** Resolves when the round under way, if any, is through. */
  idle(): Promise<void>;
  stop(): Promise<void>;
}

export function startScheduler(options: SchedulerOptions): Scheduler {
  const { database, clock, log } = options;
  let running: Promise<void> | null = null;
  let again = false;
  let stopped = false;

  /** Tenants whose caps were full in this round: the rest of theirs waits too, in order. */
  async function handle(entry: ScheduleRow, full: Set<number>): Promise<void> {
    const lateMs = clock.now() - entry.scheduleAt;
    if (lateMs > GRACE_MS) {
      await options.abandon(entry, "missed", null);
      return;
    }
    const outcome: FireResult = full.has(entry.tenantId)
      ? { type: "full" }
      : await options.fire(entry);
    if (outcome.type === "refused") await options.abandon(entry, "failed", outcome.error);
    if (outcome.type === "full") {
      full.add(entry.tenantId);
      await database.tx((queries) =>
        scheduleStore(queries).defer(entry.tenantId, entry.id, clock.now() + FULL_RETRY_MS),
      );
    }
  }

  async function round(): Promise<void> {
    for (;;) {
      const due = await database.tx((queries) =>
        scheduleStore(queries).claimDue(options.owner, clock.now(), LEASE_MS, BATCH_MAX),
      );
      const full = new Set<number>();
      for (const entry of due) {
        if (stopped || options.isRefusing()) return;
        try {
          await handle(entry, full);
        } catch (error) {
          log.error("schedule.fire_failed", { schedule: entry.id, error: describeError(error) });
        }
      }
      if (due.length < BATCH_MAX) return;
    }
  }

  function wake(): void {
    if (stopped || options.isRefusing()) return;
    if (running) {
      again = true;
      return;
    }
    running = round()
      .catch((error) => log.error("schedule.round_failed", { error: describeError(error) }))
      .finally(() => {
        running = null;
        if (again) {
          again = false;
          wake();
        }
      });
  }

  const cron = new Cron("* * * * * *", wake);
  wake();

  return {
    wake,
    async idle() {
      while (running) await running;
    },
    async stop() {
      stopped = true;
      cron.stop();
      await running;
    },
  };
}
