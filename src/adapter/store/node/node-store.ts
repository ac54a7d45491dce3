/** The nodes that share this store: each writes its own row, the operator whether it is drained. */
import { and, eq, lt, sql } from "drizzle-orm";
import type { Queries } from "../../../core/database.ts";
import { nodes } from "../schema/index.ts";

export type NodeRow = typeof nodes.$inferSelect;
type OwnRow = Pick<NodeRow, "id" | "name" | "version" | "weight" | "calls" | "seenAt">;

export function nodeStore(queries: Queries) {
  return {
    all(): Promise<NodeRow[]> {
      return queries.select().from(nodes).orderBy(nodes.name, nodes.id);
    },

    /** This node is alive. It stays drained if it is. */
    async beat(own: OwnRow): Promise<void> {
      await queries
        .insert(nodes)
        .values({ ...own, beat: 1 })
        .onConflictDoUpdate({
          target: nodes.id,
          set: { ...own, beat: sql`${nodes.beat} + 1`, isStopped: false },
        });
    },

    /** This node was shut down in order. */
    async stop(id: string): Promise<void> {
      await queries.update(nodes).set({ isStopped: true, calls: 0 }).where(eq(nodes.id, id));
    },

    async setDraining(id: string, isDraining: boolean): Promise<void> {
      await queries.update(nodes).set({ isDraining }).where(eq(nodes.id, id));
    },

    /** Forgets nodes that were not seen since then, unless they are drained. */
    async forget(beforeMs: number): Promise<void> {
      await queries
        .delete(nodes)
        .where(and(lt(nodes.seenAt, beforeMs), eq(nodes.isDraining, false)));
    },
  };
}
