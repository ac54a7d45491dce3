/** The rule that an agent's drafts are published only after a passed rehearsal. */
import { eq } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import { agents } from "../../store/schema/index.ts";

/** The caller must check first that the agent belongs to the tenant. */
export const agentRule = (queries: Queries) => ({
  async isSet(agentId: number): Promise<boolean> {
    const row = await queries
      .select({ isSet: agents.publishesRehearsed })
      .from(agents)
      .where(eq(agents.id, agentId))
      .get();
    return row?.isSet ?? false;
  },

  async set(agentId: number, publishesRehearsed: boolean): Promise<void> {
    await queries.update(agents).set({ publishesRehearsed }).where(eq(agents.id, agentId));
  },
});
