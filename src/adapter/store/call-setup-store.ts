/** The data needed to set up a call: tenant, trunk, number, agent, tools. */

import { and, eq, inArray, isNull, or, sql } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import { agentStore } from "./agent-store.ts";
import { prepared } from "./prepared.ts";
import {
  agentFiles,
  agents,
  files,
  phoneNumbers,
  tenantDisclosures,
  tenants,
  tools,
  trunks,
} from "./schema/index.ts";

type TenantRow = typeof tenants.$inferSelect;
type AgentRow = typeof agents.$inferSelect;
type NumberRow = typeof phoneNumbers.$inferSelect;
type TrunkRow = typeof trunks.$inferSelect;

export function callSetupStore(queries: Queries) {
  return {
    ...callNumbers(queries),
    ...agentContext(queries),

    tenant(tenantId: number): Promise<TenantRow | undefined> {
      const statement = prepared(queries, "tenants.row", () =>
        queries
          .select()
          .from(tenants)
          .where(eq(tenants.id, sql.placeholder("tenantId")))
          .prepare(),
      );
      return statement.get({ tenantId });
    },

    trunk(tenantId: number): Promise<TrunkRow | undefined> {
      return queries.select().from(trunks).where(eq(trunks.tenantId, tenantId)).get();
    },

    agent: (tenantId: number, agentId: number) => agentStore(queries).find(tenantId, agentId),

    /** Reads at most two: callers only need to know whether there is exactly one. */
    firstAgents(tenantId: number): Promise<AgentRow[]> {
      return queries.select().from(agents).where(eq(agents.tenantId, tenantId)).limit(2);
    },
  };
}

/** Numbers and the tenants that own them. */
function callNumbers(queries: Queries) {
  return {
    numberByE164(tenantId: number, numberE164: string): Promise<NumberRow | undefined> {
      return queries
        .select()
        .from(phoneNumbers)
        .where(and(eq(phoneNumbers.numberE164, numberE164), eq(phoneNumbers.tenantId, tenantId)))
        .get();
    },

    firstNumberOf(tenantId: number, candidates: readonly string[]): Promise<NumberRow[]> {
      return queries
        .select()
        .from(phoneNumbers)
        .where(
          and(
            eq(phoneNumbers.tenantId, tenantId),
            inArray(phoneNumbers.numberE164, [...candidates]),
          ),
        );
    },

    /** The only lookup across tenants: the tenant of each of these numbers. */
    async ownersOf(numbers: readonly string[]): Promise<ReadonlyMap<string, number>> {
      const rows = await queries
        .select({ numberE164: phoneNumbers.numberE164, tenantId: phoneNumbers.tenantId })
        .from(phoneNumbers)
        .where(inArray(phoneNumbers.numberE164, [...numbers]));
      return new Map(rows.map(({ numberE164, tenantId }) => [numberE164, tenantId]));
    },
  };
}

/** The knowledge, disclosure and tools of a call's agent. */
function agentContext(queries: Queries) {
  return {
    knowledge(tenantId: number, agentId: number) {
      return queries
        .select({ filename: files.filename, format: files.format, content: files.content })
        .from(agentFiles)
        .innerJoin(files, eq(files.id, agentFiles.fileId))
        .where(and(eq(agentFiles.agentId, agentId), eq(files.tenantId, tenantId)))
        .orderBy(files.id);
    },

    /** The tenant's own disclosure sentence; null: use the operator's. */
    async disclosure(tenantId: number, language: AgentRow["language"]): Promise<string | null> {
      const row = await queries
        .select({ text: tenantDisclosures.text })
        .from(tenantDisclosures)
        .where(
          and(eq(tenantDisclosures.tenantId, tenantId), eq(tenantDisclosures.language, language)),
        )
        .get();
      return row?.text ?? null;
    },

    tools(tenantId: number, agentId: number) {
      return queries
        .select({
          name: tools.name,
          description: tools.description,
          parameters: tools.parameters,
        })
        .from(tools)
        .where(
          and(
            eq(tools.tenantId, tenantId),
            eq(tools.enabled, true),
            or(isNull(tools.agentId), eq(tools.agentId, agentId)),
          ),
        )
        .orderBy(tools.id);
    },
  };
}
