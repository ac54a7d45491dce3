/** The data needed to set up a call: tenant, trunk, number, agent, tools. */

import { and, eq, inArray, isNull, or, sql } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import { agentStore } from "./agent-store.ts";
import { arg, statement } from "./prepared.ts";
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

const findTenant = statement((queries) =>
  queries
    .select()
    .from(tenants)
    .where(eq(tenants.id, arg("tenantId")))
    .prepare(),
);

const numbersAmong = statement((queries) =>
  queries
    .select()
    .from(phoneNumbers)
    .where(
      and(
        eq(phoneNumbers.tenantId, arg("tenantId")),
        inArray(phoneNumbers.numberE164, sql`(SELECT value FROM json_each(${arg("candidates")}))`),
      ),
    )
    .prepare(),
);

const agentKnowledge = statement((queries) =>
  queries
    .select({ filename: files.filename, format: files.format, content: files.content })
    .from(agentFiles)
    .innerJoin(files, eq(files.id, agentFiles.fileId))
    .where(and(eq(agentFiles.agentId, arg("agentId")), eq(files.tenantId, arg("tenantId"))))
    .orderBy(files.id)
    .prepare(),
);

const disclosureText = statement((queries) =>
  queries
    .select({ text: tenantDisclosures.text })
    .from(tenantDisclosures)
    .where(
      and(
        eq(tenantDisclosures.tenantId, arg("tenantId")),
        eq(tenantDisclosures.language, arg("language")),
      ),
    )
    .prepare(),
);

const agentTools = statement((queries) =>
  queries
    .select({
      name: tools.name,
      description: tools.description,
      parameters: tools.parameters,
    })
    .from(tools)
    .where(
      and(
        eq(tools.tenantId, arg("tenantId")),
        eq(tools.enabled, true),
        or(isNull(tools.agentId), eq(tools.agentId, arg("agentId"))),
      ),
    )
    .orderBy(tools.id)
    .prepare(),
);

export function callSetupStore(queries: Queries) {
  return {
    ...callNumbers(queries),
    ...agentContext(queries),

    tenant(tenantId: number): Promise<TenantRow | undefined> {
      return findTenant(queries).get({ tenantId });
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
      return numbersAmong(queries).all({ tenantId, candidates: JSON.stringify(candidates) });
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
      return agentKnowledge(queries).all({ tenantId, agentId });
    },

    /** The tenant's own disclosure sentence; null: use the operator's. */
    async disclosure(tenantId: number, language: AgentRow["language"]): Promise<string | null> {
      return (await disclosureText(queries).get({ tenantId, language }))?.text ?? null;
    },

    tools(tenantId: number, agentId: number) {
      return agentTools(queries).all({ tenantId, agentId });
    },
  };
}
