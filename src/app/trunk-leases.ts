/**
 * If several nodes share a store, the holder of a trunk's lease registers the trunk. The holder
 * increments the lease's counter every two seconds. If the counter stands still for twelve seconds,
 * the holder is gone and the next node that checks takes over. A holder that could not renew for
 * eight seconds releases the lease, so that two nodes never hold one trunk. Each node uses its own
 * monotonic clock, so different clocks do no harm.
 */

import { type TrunkLease, trunkLeaseStore } from "../adapter/store/trunk-lease-store.ts";
import { type TrunkRecord, trunkStore } from "../adapter/store/trunk-store.ts";
import type { Clock, Timer } from "../core/clock.ts";
import type { Database } from "../core/database.ts";
import { describeError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import type { TrunkLoader } from "./trunks.ts";

export const BEAT_MS = 2_000;
export const LET_GO_MS = 8_000;
export const TAKE_OVER_MS = 12_000;

interface TrunkLeasesOptions {
  readonly database: Database;
  readonly node: string;
  readonly trunks: Pick<TrunkLoader, "add" | "remove">;
  readonly clock: Clock;
  readonly log: Log;
}

export class TrunkLeases {
  readonly #options: TrunkLeasesOptions;
  /** The trunks that run here, with the record they were started from. */
  readonly #held = new Map<number, number>();
  /** Leases of other nodes: the counter, and since when (monotonic) it has not changed. */
  readonly #others = new Map<number, { readonly beat: number; readonly since: number }>();
  #renewedAt: number;
  #running: Promise<void> | null = null;
  #timer: Timer | null = null;
  #isStopped = false;

  constructor(options: TrunkLeasesOptions) {
    this.#options = options;
    this.#renewedAt = options.clock.monotonic();
  }

  /** Checks every two seconds from now on. Resolves after the first check. */
  start(): Promise<void> {
    const { clock, log } = this.#options;
    this.#timer ??= clock.every(BEAT_MS, () => {
      this.#letGoInTime().catch((error) =>
        log.error("trunk.let_go_failed", { error: describeError(error) }),
      );
      void this.round();
    });
    return this.round();
  }

  get held(): ReadonlySet<number> {
    return new Set(this.#held.keys());
  }

  /** Checks now and resolves when done. Never rejects. */
  round(): Promise<void> {
    if (this.#isStopped) return Promise.resolve();
    this.#running ??= this.#poll()
      .catch((error) =>
        this.#options.log.error("trunk.lease_failed", { error: describeError(error) }),
      )
      .finally(() => {
        this.#running = null;
      });
    return this.#running;
  }

  /**
   * Releases all leases, so that another node takes over at once, and takes no new ones. Live calls
   * go on.
   */
  async stop(): Promise<void> {
    const { database, node, log } = this.#options;
    this.#isStopped = true;
    this.#timer?.cancel();
    await this.#running;
    const ids = [...this.#held.keys()];
    await database
      .tx((queries) => trunkLeaseStore(queries).release(node, ids))
      .catch((error) => log.warn("trunk.lease_kept", { error: describeError(error) }));
  }

  async #poll(): Promise<void> {
    const { database, node, clock } = this.#options;
    const askedAt = clock.monotonic();
    const own = new Set(await database.tx((queries) => trunkLeaseStore(queries).renew(node)));
    this.#renewedAt = askedAt;
    for (const trunkId of this.#held.keys())
      if (!own.has(trunkId)) await this.#letGo(trunkId, "another node holds it");
    const leases = new Map(
      (await trunkLeaseStore(database.read).all()).map((lease) => [lease.trunkId, lease]),
    );
    for (const trunk of await trunkStore(database.read).all()) {
      if (this.#isStopped) return;
      if (own.has(trunk.id) || (await this.#claim(trunk, leases.get(trunk.id)))) {
        this.#others.delete(trunk.id);
        await this.#hold(trunk);
      }
    }
  }

  async #letGo(trunkId: number, why: string): Promise<void> {
    this.#held.delete(trunkId);
    this.#options.log.warn("trunk.let_go", { trunk: trunkId, why });
    await this.#options.trunks.remove(trunkId);
  }

  async #hold(trunk: TrunkRecord): Promise<void> {
    const { trunks, log } = this.#options;
    const version = this.#held.get(trunk.id);
    if (version === trunk.updatedAt) return;
    if (version !== undefined) await trunks.remove(trunk.id);
    else log.info("trunk.taken", { trunk: trunk.id });
    this.#held.set(trunk.id, trunk.updatedAt);
    trunks.add(trunk);
  }

  /** True if this node has seen no renewal for too long. */
  #isAbandoned({ trunkId, beat }: TrunkLease): boolean {
    const nowMs = this.#options.clock.monotonic();
    const known = this.#others.get(trunkId);
    if (known?.beat !== beat) {
      this.#others.set(trunkId, { beat, since: nowMs });
      return false;
    }
    return nowMs - known.since >= TAKE_OVER_MS;
  }

  async #claim(trunk: TrunkRecord, lease: TrunkLease | undefined): Promise<boolean> {
    const { database, node, clock } = this.#options;
    if (lease && !this.#isAbandoned(lease)) return false;
    return database.tx((queries) => {
      const store = trunkLeaseStore(queries);
      const nowMs = clock.now();
      return lease ? store.takeOver(lease, node, nowMs) : store.take(trunk.id, node, nowMs);
    });
  }

  /** Works also while a round waits for a store that does not answer. */
  async #letGoInTime(): Promise<void> {
    if (this.#options.clock.monotonic() - this.#renewedAt < LET_GO_MS) return;
    for (const trunkId of this.#held.keys())
      await this.#letGo(trunkId, "its lease could not be renewed");
  }
}
