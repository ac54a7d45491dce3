/**
 * Fires what is due. Timers only wake it, once a second and at the moment the next entry falls due; what is
 * due is decided in the database, under a lease with a fencing token, so that clock steps, restarts and other nodes cannot fire
 * twice or late (decisions.md 7). Times are UTC there: daylight-saving time changes nothing.
 *
 * Immediate requests are entries due at once: they take the same way.
 */

import type { Clock, Timer } from "../../core/clock.ts";
import type { Database, Queries } from "../../core/database.ts";
import { type AppError, describeError } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";

/** An entry later than this is `missed`: never dialled late. */
export const GRACE_MS = 15 * 60_000;
const LEASE_MS = 30_000;
const LOOK_EVERY_MS = 1_000;
/** While a tenant's entries have to wait, they are looked at again after this. */
const WAIT_RETRY_MS = 900;
/** Calls that end together are one look. */
const FREED_MS = 50;
const BATCH_MAX = 100;

export type FireResult =
  | { readonly type: "dialed" | "gone" }
  /** Not now: a cap is full, the trunk is not registered. It is tried again within the grace. */
  | { readonly type: "waits"; readonly error: AppError }
  | { readonly type: "refused"; readonly error: AppError };

/** One call to place: at once, or for later. */
export interface ScheduleEntry {
  readonly id: number;
  readonly tenantId: number;
  readonly callUuid: string;
  readonly agentId: number | null;
  readonly toNumber: string;
  readonly fromNumber: string;
  readonly scheduleAt: number;
  /** Asked for without a time. */
  readonly immediate: boolean;
  /** Fencing token of the claim: only who holds the newest may move the entry on. */
  readonly leaseToken: number;
}

/** Which entries a node may fire now. */
export interface DueFilter {
  /** Tenants whose caps are full: theirs waits. */
  readonly exceptTenants: readonly number[];
  /** Where several nodes share the store: only of trunks that this one holds. Null: all. */
  readonly node: string | null;
}

/** Implemented by store/schedule-store.ts. */
interface DueRecords {
  /** When the first of what may be claimed by `dueBy` is due; null: nothing is. Writes nothing. */
  firstDue(
    nowMs: number,
    dueBy: number,
    leaseMs: number,
    filter: DueFilter,
  ): Promise<number | null>;
  /** Leases what is due to `owner`, earliest first. Call inside a transaction. */
  claimDue(
    owner: string,
    nowMs: number,
    leaseMs: number,
    countMax: number,
    filter: DueFilter,
  ): Promise<readonly ScheduleEntry[]>;
  /** Gives claimed entries back; one that somebody else has claimed since is left alone. */
  release(owner: string, entries: readonly ScheduleEntry[]): Promise<void>;
}

interface SchedulerOptions {
  readonly records: (queries: Queries) => DueRecords;
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
  /** Names this process in leases. */
  readonly owner: string;
  /** Several nodes share the store: fire only what goes over trunks that this node holds. */
  readonly node?: string | null;
  fire(entry: ScheduleEntry): Promise<FireResult>;
  /**
   * The entry leaves `pending` unfired: `missed` where nobody could try it within its grace, `failed`
   * where it was refused, or had to wait until the grace was over, with what for. Same transaction as
   * the entry's.
   */
  abandon(entry: ScheduleEntry, status: "missed" | "failed", error: AppError | null): Promise<void>;
  isDraining(): boolean;
}

export interface Scheduler {
  /** Look now. */
  wake(): void;
  /** A call of this tenant has ended: what waits for its cap is looked at soon. */
  freed(tenantId: number): void;
  /** Resolves when the round under way, if any, is through. */
  idle(): Promise<void>;
  stop(): Promise<void>;
}

export function startScheduler(options: SchedulerOptions): Scheduler {
  const { database, records, clock, log, owner, node = null } = options;
  /** By tenant: until when (monotonic) its entries are left alone, when one last had to wait, what for. */
  const waits = new Map<number, { until: number; atMs: number; error: AppError }>();
  let running: Promise<void> | null = null;
  let again = false;
  let stopped = false;
  let soon: Timer | null = null;
  /** Set where something falls due before the next look. */
  let onTime: Timer | null = null;

  const isHalted = () => stopped || options.isDraining();

  function filter(): DueFilter {
    const nowWaiting = [...waits].filter(([, { until }]) => clock.monotonic() < until);
    return { exceptTenants: nowWaiting.map(([tenantId]) => tenantId), node };
  }

  /** What kept it from being dialled; null: nobody was there to try. */
  function waitedFor({ tenantId, scheduleAt }: ScheduleEntry): AppError | null {
    const wait = waits.get(tenantId);
    return wait && wait.atMs >= scheduleAt ? wait.error : null;
  }

  /** False: it has to wait, the entry is to be given back. */
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
        // The lease stays: looked at again when it is over.
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

  const timer = clock.every(LOOK_EVERY_MS, wake);
  wake();

  return {
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
      timer.cancel();
      soon?.cancel();
      await running;
      onTime?.cancel();
    },
  };
}
