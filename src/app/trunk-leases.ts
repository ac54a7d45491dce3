/**
 * Where several nodes share a store, each trunk is registered by one of them: who holds its lease.
 * A holder counts the lease on every two seconds; one whose count stands still for twelve is gone,
 * and the next node that looks takes over. A holder that could not renew for eight seconds lets go
 * by itself, so that two never hold one trunk. Times are each node's own monotonic clock: clocks
 * that differ do no harm.
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

export interface TrunkLeases {
  readonly held: ReadonlySet<number>;
  /** Looks every two seconds from now on; resolves after the first look. */
  start(): Promise<void>;
  /** Look now, and resolve when done. Never rejects. */
  round(): Promise<void>;
  /** Gives up every lease, so that another node takes over at once; takes none again. Live calls go on. */
  stop(): Promise<void>;
}

interface TrunkLeasesOptions {
  readonly database: Database;
  readonly node: string;
  readonly trunks: Pick<TrunkLoader, "add" | "remove">;
  readonly clock: Clock;
  readonly log: Log;
}

export function createTrunkLeases(options: TrunkLeasesOptions): TrunkLeases {
  const { database, node, trunks, clock, log } = options;
  /** Trunks that run here, as they were stored when they were started. */
  const held = new Map<number, number>();
  /** Leases of others: their count, and since when (monotonic) it stands there. */
  const others = new Map<number, { readonly beat: number; readonly since: number }>();
  let renewedAt = clock.monotonic();
  let running: Promise<void> | null = null;
  let stopped = false;

  async function letGo(trunkId: number, why: string): Promise<void> {
    held.delete(trunkId);
    log.warn("trunk.let_go", { trunk: trunkId, why });
    await trunks.remove(trunkId);
  }

  async function hold(trunk: TrunkRecord): Promise<void> {
    const version = held.get(trunk.id);
    if (version === trunk.updatedAt) return;
    if (version !== undefined) await trunks.remove(trunk.id);
    else log.info("trunk.taken", { trunk: trunk.id });
    held.set(trunk.id, trunk.updatedAt);
    trunks.add(trunk);
  }

  /** True: its holder has not renewed it for too long, as far as this node has watched. */
  function isAbandoned({ trunkId, beat }: TrunkLease): boolean {
    const known = others.get(trunkId);
    if (known?.beat !== beat) {
      others.set(trunkId, { beat, since: clock.monotonic() });
      return false;
    }
    return clock.monotonic() - known.since >= TAKE_OVER_MS;
  }

  async function claim(trunk: TrunkRecord, lease: TrunkLease | undefined): Promise<boolean> {
    if (lease && !isAbandoned(lease)) return false;
    return database.tx((queries) => {
      const store = trunkLeaseStore(queries);
      const nowMs = clock.now();
      return lease ? store.takeOver(lease, node, nowMs) : store.take(trunk.id, node, nowMs);
    });
  }

  async function poll(): Promise<void> {
    const askedAt = clock.monotonic();
    const own = new Set(await database.tx((queries) => trunkLeaseStore(queries).renew(node)));
    renewedAt = askedAt;
    for (const trunkId of held.keys())
      if (!own.has(trunkId)) await letGo(trunkId, "another node holds it");
    const leases = new Map(
      (await trunkLeaseStore(database.read).all()).map((lease) => [lease.trunkId, lease]),
    );
    for (const trunk of await trunkStore(database.read).all()) {
      if (stopped) return;
      if (own.has(trunk.id) || (await claim(trunk, leases.get(trunk.id)))) {
        others.delete(trunk.id);
        await hold(trunk);
      }
    }
  }

  function round(): Promise<void> {
    if (stopped) return Promise.resolve();
    running ??= poll()
      .catch((error) => log.error("trunk.lease_failed", { error: describeError(error) }))
      .finally(() => {
        running = null;
      });
    return running;
  }

  /** Also while a round hangs on a store that does not answer. */
  async function letGoInTime(): Promise<void> {
    if (clock.monotonic() - renewedAt < LET_GO_MS) return;
    for (const trunkId of held.keys()) await letGo(trunkId, "its lease could not be renewed");
  }

  let timer: Timer | null = null;

  return {
    start() {
      timer ??= clock.every(BEAT_MS, () => {
        letGoInTime().catch((error) =>
          log.error("trunk.let_go_failed", { error: describeError(error) }),
        );
        void round();
      });
      return round();
    },
    get held() {
      return new Set(held.keys());
    },
    round,
    async stop() {
      stopped = true;
      timer?.cancel();
      await running;
      const ids = [...held.keys()];
      await database
        .tx((queries) => trunkLeaseStore(queries).release(node, ids))
        .catch((error) => log.warn("trunk.lease_kept", { error: describeError(error) }));
    },
  };
}
