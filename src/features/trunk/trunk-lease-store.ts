/**
 * Leases of trunks: the node that holds each trunk. Every change includes the expected state, so that two
 * nodes cannot both succeed.
 */
import { and, eq, inArray, sql } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import { trunkLeases } from "../../store/schema/index.ts";

export type TrunkLease = typeof trunkLeases.$inferSelect;

export function trunkLeaseStore(queries: Queries) {
  return {
    ...endOfLease(queries),

    all(): Promise<TrunkLease[]> {
      return queries.select().from(trunkLeases);
    },

    /** Takes a free trunk. Returns false if another node was faster. */
    async take(trunkId: number, node: string, nowMs: number): Promise<boolean> {
      const taken = await queries
        .insert(trunkLeases)
        .values({ trunkId, node, beat: 1, takenAt: nowMs })
        .onConflictDoNothing()
        .returning({ trunkId: trunkLeases.trunkId });
      return taken.length > 0;
    },

    /**
     * Takes a trunk from a dead node. Returns false if that node has renewed its lease since `seen`, or if
     * another node was faster.
     */
    async takeOver(seen: TrunkLease, node: string, nowMs: number): Promise<boolean> {
      const taken = await queries
        .update(trunkLeases)
        .set({ node, beat: seen.beat + 1, takenAt: nowMs })
        .where(
          and(
            eq(trunkLeases.trunkId, seen.trunkId),
            eq(trunkLeases.node, seen.node),
            eq(trunkLeases.beat, seen.beat),
          ),
        )
        .returning({ trunkId: trunkLeases.trunkId });
      return taken.length > 0;
    },

    /** Renews this node's leases. Returns the trunks that it still holds. */
    async renew(node: string): Promise<number[]> {
      const held = await queries
        .update(trunkLeases)
        .set({ beat: sql`${trunkLeases.beat} + 1` })
        .where(eq(trunkLeases.node, node))
        .returning({ trunkId: trunkLeases.trunkId });
      return held.map(({ trunkId }) => trunkId);
    },
  };
}

function endOfLease(queries: Queries) {
  return {
    /** Transfers this node's trunk to another node, which notices it at its next renewal. */
    async handOver(trunkId: number, from: string, to: string): Promise<void> {
      await queries
        .update(trunkLeases)
        .set({ node: to, beat: sql`${trunkLeases.beat} + 1` })
        .where(and(eq(trunkLeases.trunkId, trunkId), eq(trunkLeases.node, from)));
    },

    /** Releases leases at a clean shutdown, so that other nodes need not wait. */
    async release(node: string, trunkIds: readonly number[]): Promise<void> {
      await queries
        .delete(trunkLeases)
        .where(and(eq(trunkLeases.node, node), inArray(trunkLeases.trunkId, trunkIds)));
    },
  };
}
