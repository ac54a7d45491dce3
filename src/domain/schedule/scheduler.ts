/**
 * Starts scheduled calls that are due. Timers only wake the scheduler, once a second and when the
 * next entry is due. The database decides what is due, under a lease with a fencing token, so that
 * clock steps, restarts and other nodes cannot start a call twice or late (decisions.md 7). Times
 * are stored in UTC: daylight-saving time has no effect.
 *
 * Immediate requests are entries that are due at once and are handled the same way.
 */

import type { Clock, Timer } from "../../core/clock.ts";
import type { Database, Queries } from "../../core/database.ts";
import { type AppError, describeError } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";

/** An entry that is later than this becomes `missed` and is not called. */
export const GRACE_MS = 15 * 60_000;
const LEASE_MS = 30_000;
const LOOK_EVERY_MS = 1_000;
/** If a tenant's entries must wait, they are tried again after this time. */
const WAIT_RETRY_MS = 900;
/** Groups calls that end at about the same time into one check. */
const FREED_MS = 50;
const BATCH_MAX = 100;

export type FireResult =
  | { readonly type: "dialed" | "gone" }
  /**
   * Cannot start now: a limit is reached, or the trunk is not registered. Retried within the grace
   * time.
   */
  | { readonly type: "waits"; readonly error: AppError }
  | { readonly type: "refused"; readonly error: AppError };

/** One call to place, now or at a given time. */
export interface ScheduleEntry {
  readonly id: number;
  readonly tenantId: number;
  readonly callUuid: string;
  readonly agentId: number | null;
  readonly toNumber: string;
  readonly fromNumber: string;
  readonly scheduleAt: number;
  /** Requested without a time. */
  readonly immediate: boolean;
  /** Fencing token of the claim: only the holder of the newest may change the entry. */
  readonly leaseToken: number;
}

/** Which entries a node may start now. */
export interface DueFilter {
  /** Tenants whose limits are reached; their entries wait. */
  readonly exceptTenants: readonly number[];
  /** Where nodes share the store: only entries whose trunk is on this node. Null: all. */
  readonly node: string | null;
}

/** Implemented by store/schedule-store.ts. */
interface DueRecords {
  /** When the earliest entry that can be claimed by `dueBy` is due; null: none. Writes nothing. */
  firstDue(
    nowMs: number,
    dueBy: number,
    leaseMs: number,
    filter: DueFilter,
  ): Promise<number | null>;
  /** Leases due entries to `owner`, earliest first. Call it inside a transaction. */
  claimDue(
    owner: string,
    nowMs: number,
    leaseMs: number,
    countMax: number,
    filter: DueFilter,
  ): Promise<readonly ScheduleEntry[]>;
  /** Releases claimed entries. An entry that another owner has claimed since is left alone. */
  release(owner: string, entries: readonly ScheduleEntry[]): Promise<void>;
}

interface SchedulerOptions {
  readonly records: (queries: Queries) => DueRecords;
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
  /** The name of this process in leases. */
  readonly owner: string;
  /** Where nodes share the store: start only calls over trunks of this node. */
  readonly node?: string | null;
  fire(entry: ScheduleEntry): Promise<FireResult>;
  /**
   * Ends a `pending` entry without a call: `missed` if nobody could try it within the grace time,
   * `failed` if it was rejected or had to wait until the grace time was over, with the reason. Runs
   * in the same transaction as the entry's update.
   */
  abandon(entry: ScheduleEntry, status: "missed" | "failed", error: AppError | null): Promise<void>;
  isDraining(): boolean;
}

export interface Scheduler {
  /** Starts checking every second, and returns itself. Nothing is started before this call. */
  start(): Scheduler;
  /** Checks now. */
  wake(): void;
  /** A call of this tenant has ended: checks entries waiting for its limit soon. */
  freed(tenantId: number): void;
  /** Resolves when the running round, if any, has finished. */
  idle(): Promise<void>;
  stop(): Promise<void>;
}

export function createScheduler(options: SchedulerOptions): Scheduler {
  const { database, records, clock, log, owner, node = null } = options;
  /**
   * By tenant: until when (monotonic) its entries are skipped, when one last had to wait, and why.
   */
  const waits = new Map<number, { until: number; atMs: number; error: AppError }>();
  let running: Promise<void> | null = null;
  let again = false;
  let timer: Timer | null = null;
  let stopped = false;
  let soon: Timer | null = null;
  /** Set if an entry is due before the next regular check. */
  let onTime: Timer | null = null;

  const isHalted = () => timer === null || stopped || options.isDraining();

  function filter(): DueFilter {
    const nowWaiting = [...waits].filter(([, { until }]) => clock.monotonic() < until);
    return { exceptTenants: nowWaiting.map(([tenantId]) => tenantId), node };
  }

  /** Why the entry was not called; null: no node tried it. */
  function waitedFor({ tenantId, scheduleAt }: ScheduleEntry): AppError | null {
    const wait = waits.get(tenantId);
    return wait && wait.atMs >= scheduleAt ? wait.error : null;
  }

  /** Returns false if the entry has to wait and must be released. */
  async function handle(entry: ScheduleEntry): Promise<boolean> {
    const { tenantId } = entry;
    if (clock.now() - entry.scheduleAt > GRACE_MS) {
      const error = waitedFor(entry);
      await options.abandon(entry, error ? "failed" : "missed", error);
      return true;
    }
    if (clock.monotonic() < (waits.get(tenantId)?.until ?? 0)) return false;
    const outcome = await options.fire(entry);
    if (outcome.type === "refused") await options.abandon(entry, "failed", outcome.error);
    if (outcome.type !== "waits") return true;
    const until = clock.monotonic() + WAIT_RETRY_MS;
    waits.set(tenantId, { until, atMs: clock.now(), error: outcome.error });
    return false;
  }

  async function fireAll(claimed: readonly ScheduleEntry[]): Promise<void> {
    const left: ScheduleEntry[] = [];
    for (const entry of claimed) {
      if (isHalted()) {
        left.push(entry);
        continue;
      }
      try {
        if (!(await handle(entry))) left.push(entry);
      } catch (error) {
        // The lease stays; the entry is tried again when it expires.
        log.error("schedule.fire_failed", { schedule: entry.id, error: describeError(error) });
      }
    }
    if (left.length > 0) await database.tx((queries) => records(queries).release(owner, left));
  }

  async function round(): Promise<void> {
    while (!isHalted()) {
      const nowMs = clock.now();
      const dueBy = nowMs + LOOK_EVERY_MS;
      const first = await records(database.read).firstDue(nowMs, dueBy, LEASE_MS, filter());
      if (first === null || first > nowMs) return wakeAt(first, nowMs);
      const claimed = await database.tx((queries) =>
        records(queries).claimDue(owner, nowMs, LEASE_MS, BATCH_MAX, filter()),
      );
      if (claimed.length === 0) return;
      await fireAll(claimed);
    }
  }

  function wakeAt(dueMs: number | null, nowMs: number): void {
    onTime?.cancel();
    onTime = dueMs === null || stopped ? null : clock.after(dueMs - nowMs, wake);
  }

  function wake(): void {
    if (isHalted()) return;
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

  const scheduler: Scheduler = {
    start() {
      timer ??= clock.every(LOOK_EVERY_MS, wake);
      wake();
      return scheduler;
    },
    wake,
    freed(tenantId) {
      const wait = waits.get(tenantId);
      if (!wait || stopped || soon) return;
      wait.until = 0;
      soon = clock.after(FREED_MS, () => {
        soon = null;
        wake();
      });
    },
    async idle() {
      while (running) await running;
    },
    async stop() {
      stopped = true;
      timer?.cancel();
      soon?.cancel();
      await running;
      onTime?.cancel();
    },
  };
  return scheduler;
}
