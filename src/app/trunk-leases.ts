/**
 * If several nodes share a store, the holder of a trunk's lease registers the trunk. The holder
 * increments the lease's counter every two seconds. If the counter does not change for twelve
 * seconds, the holder is considered dead and another node takes over. A holder that could not renew
 * for eight seconds releases the lease, so that two nodes never hold one trunk. Each node uses its
 * own monotonic clock, so clock differences do not matter.
 *
 * trunk-assignment.ts assigns the trunks. A trunk without a holder goes to the node with the lowest
 * load. A holder with too many trunks gives idle ones away, one per round. A drained node gives all
 * away immediately, while its live calls continue. A trunk that does not register stays on its
 * node: its carrier sends to a fixed address.
 */

import type { Clock, Timer } from "../core/clock.ts";
import type { Database } from "../core/database.ts";
import { describeError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import { nodeStore } from "../features/appliance/node-store.ts";
import { trunkLeaseStore } from "../features/trunk/trunk-lease-store.ts";
import { type TrunkRecord, trunkStore } from "../features/trunk/trunk-store.ts";
import { type ClusterState, clusterStateOf } from "./cluster-state.ts";
import { HeartbeatMonitor } from "./heartbeat-monitor.ts";
import { createRoundRobin, recipientOf } from "./trunk-assignment.ts";
import type { TrunkLoader } from "./trunks.ts";

export const BEAT_MS = 2_000;
export const LET_GO_MS = 8_000;
export const TAKE_OVER_MS = 12_000;
/**
 * An uneven distribution must last this long before trunks move, so that a restart does not move
 * them twice.
 */
export const UNEVEN_MS = 30_000;
/** Rounds that a trunk without a holder waits for the assigned node. */
const ROUNDS_FOR_OTHERS = 3;
const FORGET_NODES_MS = 7 * 86_400_000;

/** Data about a node for the other nodes. */
export interface OwnNode {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  /** Maximum number of concurrent calls. */
  readonly weight: number;
  readonly calls: number;
}

interface TrunkLeasesOptions {
  readonly database: Database;
  readonly self: () => OwnNode;
  readonly trunks: Pick<TrunkLoader, "add" | "remove">;
  /** Whether the tenant has live calls on this node. */
  readonly hasCalls: (tenantId: number) => boolean;
  readonly clock: Clock;
  readonly log: Log;
}

export class TrunkLeases {
  readonly #options: TrunkLeasesOptions;
  readonly #node: string;
  /** `updatedAt` of the record with which each running trunk was started, by trunk id. */
  readonly #held = new Map<number, number>();
  readonly #leaseBeats: HeartbeatMonitor<number>;
  readonly #nodeBeats: HeartbeatMonitor<string>;
  /** Rounds in which each trunk without a holder was left to another node. */
  readonly #leftToOthers = new Map<number, number>();
  #unevenSince: number | null = null;
  #renewedAt: number;
  #running: Promise<void> | null = null;
  #timer: Timer | null = null;
  #isStopped = false;

  constructor(options: TrunkLeasesOptions) {
    this.#options = options;
    this.#node = options.self().id;
    this.#leaseBeats = new HeartbeatMonitor(options.clock);
    this.#nodeBeats = new HeartbeatMonitor(options.clock);
    this.#renewedAt = options.clock.monotonic();
  }

  /** Starts to check every two seconds. Resolves after the first check. */
  async start(): Promise<void> {
    const { clock, database, log } = this.#options;
    await database
      .tx((queries) => nodeStore(queries).forget(clock.now() - FORGET_NODES_MS))
      .catch((error) => log.warn("node.not_forgotten", { error: describeError(error) }));
    this.#timer ??= clock.every(BEAT_MS, () => {
      this.#letGoInTime().catch((error) =>
        log.error("trunk.release_failed", { error: describeError(error) }),
      );
      void this.round();
    });
    await this.round();
  }

  /** Whether another node has been silent so long that its trunks may be taken over. */
  isSilent(node: string): boolean {
    return node !== this.#node && this.#nodeBeats.silentMs(node) >= TAKE_OVER_MS;
  }

  /** Runs one check. Never rejects. */
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
   * Releases all leases, so that another node takes over immediately, and acquires no new ones.
   * Live calls continue.
   */
  async stop(): Promise<void> {
    const { database, log } = this.#options;
    this.#isStopped = true;
    this.#timer?.cancel();
    await this.#running;
    const ids = [...this.#held.keys()];
    await database
      .tx(async (queries) => {
        await trunkLeaseStore(queries).release(this.#node, ids);
        await nodeStore(queries).stop(this.#node);
      })
      .catch((error) => log.warn("trunk.lease_kept", { error: describeError(error) }));
  }

  async #poll(): Promise<void> {
    const own = await this.#renew();
    for (const trunkId of this.#held.keys())
      if (!own.has(trunkId)) await this.#letGo(trunkId, "another node holds it");
    const fleet = await this.#look();
    const trunks = await trunkStore(this.#options.database.read).all();
    const deal = createRoundRobin(fleet.takers);
    for (const trunk of trunks) {
      // Without a fresh renewal, a new lease would be released immediately.
      if (this.#isStopped || this.#isStale) return;
      const isOwn = own.has(trunk.id) && (this.#held.has(trunk.id) || !fleet.leaves);
      if (isOwn || (await this.#claim(trunk, fleet, deal))) await this.#hold(trunk);
    }
    for (const { trunk, to } of this.#leaving(trunks, fleet, own)) {
      if (this.#isStopped || this.#isStale) return;
      await this.#handOver(trunk.id, to);
    }
  }

  /**
   * Renews the leases of this node and returns their trunks. A renewal counts from its request:
   * after a slow response it is repeated immediately.
   */
  async #renew(): Promise<ReadonlySet<number>> {
    const { database, self, clock } = this.#options;
    for (;;) {
      const askedAt = clock.monotonic();
      const own = await database.tx(async (queries) => {
        await nodeStore(queries).beat({ ...self(), seenAt: clock.now() });
        return await database.finish(queries, () => trunkLeaseStore(queries).renew(this.#node));
      }, "urgent");
      this.#renewedAt = askedAt;
      if (!this.#isStale || this.#isStopped) return new Set(own);
    }
  }

  /** Reads the current nodes and leases. */
  async #look(): Promise<ClusterState> {
    const { database, clock } = this.#options;
    const askedAt = clock.monotonic();
    const [leases, nodes] = await Promise.all([
      trunkLeaseStore(database.read).all(),
      nodeStore(database.read).all(),
    ]);
    this.#leaseBeats.look(new Map(leases.map(({ trunkId, beat }) => [trunkId, beat])), askedAt);
    this.#nodeBeats.look(new Map(nodes.map(({ id, beat }) => [id, beat])), askedAt);
    const isAlive = (id: string) =>
      id === this.#node || (this.#nodeBeats.hasMoved(id) && !this.isSilent(id));
    return clusterStateOf(this.#node, leases, nodes, isAlive);
  }

  /** Whether another node may take over this node's leases, because the last renewal is too old. */
  get #isStale(): boolean {
    return this.#options.clock.monotonic() - this.#renewedAt >= LET_GO_MS;
  }

  async #letGo(trunkId: number, why: string): Promise<void> {
    const { trunks, log } = this.#options;
    this.#held.delete(trunkId);
    log.warn("trunk.released", { trunk: trunkId, why });
    await trunks.remove(trunkId);
  }

  async #hold(trunk: TrunkRecord): Promise<void> {
    const { trunks, log } = this.#options;
    const version = this.#held.get(trunk.id);
    if (version === trunk.updatedAt) return;
    if (version !== undefined) await trunks.remove(trunk.id);
    else log.info("trunk.acquired", { trunk: trunk.id });
    this.#held.set(trunk.id, trunk.updatedAt);
    trunks.add(trunk);
  }

  /** Acquires the lease of a trunk without a living holder, if it is this node's turn. */
  async #claim(
    trunk: TrunkRecord,
    fleet: ClusterState,
    deal: () => string | null,
  ): Promise<boolean> {
    const { database, clock } = this.#options;
    const lease = fleet.leases.get(trunk.id);
    if (fleet.leaves) return false;
    if (lease && this.#leaseBeats.silentMs(trunk.id) < TAKE_OVER_MS) {
      this.#leftToOthers.delete(trunk.id);
      return false;
    }
    const waited = this.#leftToOthers.get(trunk.id) ?? 0;
    if (deal() !== this.#node && waited < ROUNDS_FOR_OTHERS) {
      this.#leftToOthers.set(trunk.id, waited + 1);
      return false;
    }
    this.#leftToOthers.delete(trunk.id);
    return await database.tx((queries) => {
      const store = trunkLeaseStore(queries);
      const nowMs = clock.now();
      return lease
        ? store.takeOver(lease, this.#node, nowMs)
        : store.take(trunk.id, this.#node, nowMs);
    });
  }

  /** Trunks to give away now: all if this node is drained, otherwise at most one idle trunk. */
  #leaving(
    trunks: readonly TrunkRecord[],
    fleet: ClusterState,
    own: ReadonlySet<number>,
  ): { readonly trunk: TrunkRecord; readonly to: string }[] {
    const { clock, hasCalls } = this.#options;
    const mine = trunks.filter(({ id }) => own.has(id));
    if (fleet.leaves) {
      const deal = createRoundRobin(fleet.takers);
      return mine.flatMap((trunk) => {
        const to = deal();
        return to === null ? [] : [{ trunk, to }];
      });
    }
    const to = recipientOf(
      fleet.self,
      fleet.takers.filter(({ id }) => id !== this.#node),
    );
    this.#unevenSince = to === null ? null : (this.#unevenSince ?? clock.monotonic());
    if (to === null || clock.monotonic() - (this.#unevenSince ?? 0) < UNEVEN_MS) return [];
    const idle = mine.find((trunk) => trunk.register && !hasCalls(trunk.tenantId));
    return idle ? [{ trunk: idle, to }] : [];
  }

  /** Unregisters first, so that two nodes never hold one trunk. */
  async #handOver(trunkId: number, to: string): Promise<void> {
    const { database, trunks, log } = this.#options;
    if (this.#held.delete(trunkId)) await trunks.remove(trunkId);
    await database.tx((queries) => trunkLeaseStore(queries).handOver(trunkId, this.#node, to));
    log.info("trunk.handed_over", { trunk: trunkId, to });
  }

  /** Also runs while a round waits for a store that does not answer. */
  async #letGoInTime(): Promise<void> {
    if (!this.#isStale) return;
    for (const trunkId of this.#held.keys())
      await this.#letGo(trunkId, "its lease could not be renewed");
  }
}
