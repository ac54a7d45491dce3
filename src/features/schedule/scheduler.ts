/**
 * Starts due scheduled calls. Timers only wake the scheduler, once a second and when the next entry is due.
 * The database decides which entries are due, under a lease with a fencing token. So clock steps, restarts
 * and other nodes cannot start a call twice or late (decisions 7). Times are stored in UTC, so
 * daylight-saving time has no effect.
 *
 * Immediate requests are entries due at once. They are handled the same way.
 */

import type { Clock, ClockTrust, Timer } from "../../core/clock.ts";
import type { Database, Queries } from "../../core/database.ts";
import { type AppError, describeError } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import { WorkLoop } from "../../core/work-loop.ts";

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
  /** True if requested without a time. */
  readonly immediate: boolean;
  /** Fencing token of the claim: only the holder of the newest may change the entry. */
  readonly leaseToken: number;
}

/** Entries that a node may start now. */
export interface DueFilter {
  /** Tenants whose limits are reached; their entries wait. */
  readonly exceptTenants: readonly number[];
  /** If nodes share the store: only entries whose trunk is on this node. Null: all. */
  readonly node: string | null;
  /** True while the date is untrusted: entries with a time wait. */
  readonly immediateOnly: boolean;
}

/** Implemented by store/schedule/schedule-store.ts. */
interface DueRecords {
  /** Due time of the earliest entry that can be claimed by `dueBy`; null if none. Only reads. */
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
  /** Releases claimed entries, except those that another owner has claimed since. */
  release(owner: string, entries: readonly ScheduleEntry[]): Promise<void>;
}

interface SchedulerOptions {
  readonly records: (queries: Queries) => DueRecords;
  readonly database: Database;
  readonly clock: Clock;
  readonly trust?: Pick<ClockTrust, "isTrusted">;
  readonly log: Log;
  /** The name of this process in leases. */
  readonly owner: string;
  /** If nodes share the store: start only calls over this node's trunks. */
  readonly node?: string | null;
  fire(entry: ScheduleEntry): Promise<FireResult>;
  /**
   * Ends a `pending` entry without a call, with the reason. `missed`: nobody could try it within the grace
   * time. `failed`: it was rejected, or had to wait longer than the grace time. Runs in the transaction that
   * updates the entry.
   */
  abandon(entry: ScheduleEntry, status: "missed" | "failed", error: AppError | null): Promise<void>;
  isDraining(): boolean;
}

export class Scheduler {
  /** Waiting tenants: until when (monotonic) their entries are skipped, when one last had to wait, and why. */
  readonly #waits = new Map<number, { until: number; atMs: number; error: AppError }>();
  readonly #loop: WorkLoop;
  /** Due time of the earliest entry that the last round left; null if none is due soon. */
  #nextDueAt: number | null = null;
  #freed: Timer | null = null;

  constructor(private readonly options: SchedulerOptions) {
    this.#loop = new WorkLoop({
      clock: options.clock,
      log: options.log,
      failure: "schedule.round_failed",
      everyMs: LOOK_EVERY_MS,
      round: () => this.#round(),
      nextDueAt: async () => this.#nextDueAt,
    });
  }

  /** Starts checking every second, and returns itself. Nothing is started before this call. */
  start(): this {
    this.#loop.start();
    return this;
  }

  /** Checks now. */
  wake(): void {
    this.#loop.wake();
  }

  /** A call of this tenant has ended: checks entries waiting for its limit soon. */
  freed(tenantId: number): void {
    const wait = this.#waits.get(tenantId);
    if (!wait || !this.#loop.isRunning || this.#freed) return;
    wait.until = 0;
    this.#freed = this.options.clock.after(FREED_MS, () => {
      this.#freed = null;
      this.wake();
    });
  }

  /** Resolves when the running round, if any, has finished. */
  idle(): Promise<void> {
    return this.#loop.idle();
  }

  async stop(): Promise<void> {
    this.#freed?.cancel();
    await this.#loop.stop();
  }

  get #isHalted(): boolean {
    return !this.#loop.isRunning || this.options.isDraining();
  }

  async #round(): Promise<void> {
    const { database, records, clock, owner } = this.options;
    this.#nextDueAt = null;
    while (!this.#isHalted) {
      const nowMs = clock.now();
      const dueBy = nowMs + LOOK_EVERY_MS;
      const filter = this.#filter();
      // An idle node only reads.
      const first = await records(database.read).firstDue(nowMs, dueBy, LEASE_MS, filter);
      if (first === null || first > nowMs) {
        this.#nextDueAt = first;
        return;
      }
      const claimed = await database.tx((queries) =>
        records(queries).claimDue(owner, nowMs, LEASE_MS, BATCH_MAX, filter),
      );
      if (claimed.length === 0) return;
      await this.#fireAll(claimed);
    }
  }

  #filter(): DueFilter {
    const { clock, trust, node = null } = this.options;
    const nowWaiting = [...this.#waits].filter(([, { until }]) => clock.monotonic() < until);
    const immediateOnly = trust?.isTrusted() === false;
    return { exceptTenants: nowWaiting.map(([tenantId]) => tenantId), node, immediateOnly };
  }

  async #fireAll(claimed: readonly ScheduleEntry[]): Promise<void> {
    const { database, records, log, owner } = this.options;
    const left: ScheduleEntry[] = [];
    for (const entry of claimed) {
      try {
        if (this.#isHalted || !(await this.#handle(entry))) left.push(entry);
      } catch (error) {
        // The lease stays; the entry is retried when it expires.
        log.error("schedule.fire_failed", { schedule: entry.id, error: describeError(error) });
      }
    }
    if (left.length > 0) await database.tx((queries) => records(queries).release(owner, left));
  }

  /** Returns false if the entry has to wait and must be released. */
  async #handle(entry: ScheduleEntry): Promise<boolean> {
    const { options } = this;
    const { clock } = options;
    const wait = this.#waits.get(entry.tenantId);
    if (clock.now() - entry.scheduleAt > GRACE_MS) {
      // Without a reason, no node tried it.
      const reason = wait && wait.atMs >= entry.scheduleAt ? wait.error : null;
      await options.abandon(entry, reason ? "failed" : "missed", reason);
      return true;
    }
    if (clock.monotonic() < (wait?.until ?? 0)) return false;
    const outcome = await options.fire(entry);
    if (outcome.type === "refused") await options.abandon(entry, "failed", outcome.error);
    if (outcome.type !== "waits") return true;
    const until = clock.monotonic() + WAIT_RETRY_MS;
    this.#waits.set(entry.tenantId, { until, atMs: clock.now(), error: outcome.error });
    return false;
  }
}
