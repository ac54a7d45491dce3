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
import { BeatWatch } from "./beat-watch.ts";
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
  /** The counters of the leases, by trunk. */
  readonly #beats: BeatWatch<number>;
  #renewedAt: number;
  #running: Promise<void> | null = null;
  #timer: Timer | null = null;
  #isStopped = false;

  constructor(options: TrunkLeasesOptions) {
    this.#options = options;
    this.#beats = new BeatWatch(options.clock);
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
    const { database } = this.#options;
    const own = await this.#renew();
    for (const trunkId of this.#held.keys())
      if (!own.has(trunkId)) await this.#letGo(trunkId, "another node holds it");
    const leases = await this.#look();
    for (const trunk of await trunkStore(database.read).all()) {
      // What is taken without a fresh renewal would be let go again at once.
      if (this.#isStopped || this.#isStale) return;
      if (own.has(trunk.id) || (await this.#claim(trunk, leases.get(trunk.id))))
        await this.#hold(trunk);
    }
  }

  /**
   * Renews the leases of this node and returns their trunks. A renewal counts from when it was asked
   * for: if the store answered too late, it is asked again at once.
   */
  async #renew(): Promise<ReadonlySet<number>> {
    const { database, node, clock } = this.#options;
    for (;;) {
      const askedAt = clock.monotonic();
      const own = await database.tx((queries) => trunkLeaseStore(queries).renew(node));
      this.#renewedAt = askedAt;
      if (!this.#isStale || this.#isStopped) return new Set(own);
    }
  }

  async #look(): Promise<ReadonlyMap<number, TrunkLease>> {
    const { database, clock } = this.#options;
    const askedAt = clock.monotonic();
    const leases = await trunkLeaseStore(database.read).all();
    this.#beats.look(new Map(leases.map(({ trunkId, beat }) => [trunkId, beat])), askedAt);
    return new Map(leases.map((lease) => [lease.trunkId, lease]));
  }

  /** The leases of this node could not be renewed for so long that another node may take them. */
  get #isStale(): boolean {
    return this.#options.clock.monotonic() - this.#renewedAt >= LET_GO_MS;
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

  async #claim(trunk: TrunkRecord, lease: TrunkLease | undefined): Promise<boolean> {
    const { database, node, clock } = this.#options;
    if (lease && this.#beats.silentMs(trunk.id) < TAKE_OVER_MS) return false;
    return database.tx((queries) => {
      const store = trunkLeaseStore(queries);
      const nowMs = clock.now();
      return lease ? store.takeOver(lease, node, nowMs) : store.take(trunk.id, node, nowMs);
    });
  }

  /** Works also while a round waits for a store that does not answer. */
  async #letGoInTime(): Promise<void> {
    if (!this.#isStale) return;
    for (const trunkId of this.#held.keys())
      await this.#letGo(trunkId, "its lease could not be renewed");
  }
}
