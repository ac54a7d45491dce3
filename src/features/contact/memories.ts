/** Memories of outbound calls, which the tenant can read and correct. */

import type { Database } from "../../core/database.ts";
import { notFound } from "../../core/errors.ts";
import { callerStore, type MemoryRow as Memory } from "./caller-store.ts";

export type { Memory };
export type Memories = ReturnType<typeof createMemories>;

export const createMemories = (database: Database) => ({
  /** `number` null: all numbers. */
  list: (tenantId: number, number: string | null): Promise<Memory[]> =>
    callerStore(database.read).listMemories(tenantId, number),

  /** Throws not_found. */
  async update(
    tenantId: number,
    id: number,
    changes: Partial<Pick<Memory, "reason" | "outcome" | "promise" | "sensitive">>,
  ): Promise<Memory> {
    const changed = await database.tx((queries) =>
      callerStore(queries).updateMemory(tenantId, id, changes),
    );
    if (!changed) throw notFound("memory");
    return changed;
  },

  /** Throws not_found. */
  async remove(tenantId: number, id: number): Promise<void> {
    const isGone = await database.tx((queries) => callerStore(queries).removeMemory(tenantId, id));
    if (!isGone) throw notFound("memory");
  },
});
