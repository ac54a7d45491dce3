/** Which node holds which trunk. Every change names what it expects, so that two cannot both succeed. */
import { and, eq, inArray, sql } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import { trunkLeases } from "./schema/index.ts";

export type TrunkLease = typeof trunkLeases.$inferSelect;

export function trunkLeaseStore(queries: Queries) {
  return {
    all(): Promise<TrunkLease[]> {
      return queries.select().from(trunkLeases);
    },

    /** A trunk that nobody holds; false when somebody was faster. */
    async take(trunkId: number, node: string, nowMs: number): Promise<boolean> {
      const taken = await queries
        .insert(trunkLeases)
        .values({ trunkId, node, beat: 1, takenAt: nowMs })
        .onConflictDoNothing()
        .returning({ trunkId: trunkLeases.trunkId });
      return taken.length > 0;
    },

    /** From a node that is gone; false when it has renewed since `seen`, or somebody was faster. */
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

    /** Says that the node lives; answers the trunks that it still holds. */
    async renew(node: string): Promise<number[]> {
      const held = await queries
        .update(trunkLeases)
        .set({ beat: sql`${trunkLeases.beat} + 1` })
        .where(eq(trunkLeases.node, node))
        .returning({ trunkId: trunkLeases.trunkId });
      return held.map(({ trunkId }) => trunkId);
    },

    /** At a clean end: the others need not wait. */
    async release(node: string, trunkIds: readonly number[]): Promise<void> {
      await queries
        .delete(trunkLeases)
        .where(and(eq(trunkLeases.node, node), inArray(trunkLeases.trunkId, [...trunkIds])));
    },
  };
}
