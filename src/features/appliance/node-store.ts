/** The nodes that share this store. Each writes its own row; the operator sets whether it is drained. */
import { and, eq, lt, sql } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import { nodes } from "../../store/schema/index.ts";

export type NodeRow = typeof nodes.$inferSelect;
type OwnRow = Pick<NodeRow, "id" | "name" | "version" | "weight" | "calls" | "seenAt">;

export function nodeStore(queries: Queries) {
  return {
    all(): Promise<NodeRow[]> {
      return queries.select().from(nodes).orderBy(nodes.name, nodes.id);
    },

    /** Records that this node is alive. A drained node stays drained. */
    async beat(own: OwnRow): Promise<void> {
      await queries
        .insert(nodes)
        .values({ ...own, beat: 1 })
        .onConflictDoUpdate({
          target: nodes.id,
          set: { ...own, beat: sql`${nodes.beat} + 1`, isStopped: false },
        });
    },

    /** Records that this node was shut down cleanly. */
    async stop(id: string): Promise<void> {
      await queries.update(nodes).set({ isStopped: true, calls: 0 }).where(eq(nodes.id, id));
    },

    async setDraining(id: string, isDraining: boolean): Promise<void> {
      await queries.update(nodes).set({ isDraining }).where(eq(nodes.id, id));
    },

    /** Deletes nodes not seen since then, except drained ones. */
    async forget(beforeMs: number): Promise<void> {
      await queries
        .delete(nodes)
        .where(and(lt(nodes.seenAt, beforeMs), eq(nodes.isDraining, false)));
    },
  };
}
