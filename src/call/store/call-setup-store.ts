/** The data needed to set up a call: tenant, trunk, number, agent, tools. */

import { and, eq, inArray, sql } from "drizzle-orm";
import type { CallConfig } from "../../conversation/call-config.ts";
import type { Queries } from "../../core/database.ts";
import { openSplit } from "../../features/agent/agent-split-store.ts";
import { agentStore } from "../../features/agent/agent-store.ts";
import {
  accountStatusArguments,
  accountStatusColumns,
} from "../../features/billing/billing-stores.ts";
import { versionTextId } from "../../features/knowledge/file-store.ts";
import { isSameServer } from "../../platform/net/tenant-url.ts";
import { arg, parsedJson, statement } from "../../store/query/prepared.ts";
import { agents, agentVersions, phoneNumbers, tenants, trunks } from "../../store/schema/index.ts";
import type { CallSetupRecords, ClaimedNumber, KnowledgeFile } from "../stores.ts";
import { loadArguments, loadColumns } from "./call-store.ts";

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

const tenantWithNumbers = statement((queries) =>
  queries
    .select({
      tenant: tenants,
      number: phoneNumbers,
      agent: agents,
      split: openSplit(),
      load: loadColumns(queries),
      accountStatus: accountStatusColumns(),
    })
    .from(tenants)
    .leftJoin(
      phoneNumbers,
      and(
        eq(phoneNumbers.tenantId, tenants.id),
        inArray(phoneNumbers.numberE164, sql`(SELECT value FROM json_each(${arg("candidates")}))`),
      ),
    )
    .leftJoin(agents, and(eq(agents.id, phoneNumbers.agentId), eq(agents.tenantId, tenants.id)))
    .where(eq(tenants.id, arg("tenantId")))
    .prepare(),
);

const findSharedAgent = statement((queries) =>
  queries
    .select({ agent: agents, split: openSplit() })
    .from(agents)
    .where(and(eq(agents.id, arg("agentId")), eq(agents.tenantId, arg("tenantId"))))
    .prepare(),
);

/** Maximum bytes of an agent's files to read completely, first files first. The others are only searched. */
const WHOLE_FILES_BYTES_MAX = 1_000_000;

const agentContext = statement((queries) => {
  const [tenantId, agentId] = [arg("tenantId"), arg("agentId")];
  return queries
    .select({
      files: parsedJson<KnowledgeFile[]>(sql`(
        SELECT json_group_array(json_object('id', id, 'filename', filename, 'format', format,
          'sizeBytes', size_bytes, 'version', updated_at,
          'content', CASE WHEN bytes <= ${arg("bytesMax")}
            THEN (SELECT content FROM files WHERE files.id = listed.id) END))
        FROM (SELECT files.id, filename, format, size_bytes, updated_at,
            sum(size_bytes) OVER (ORDER BY files.id) AS bytes
          FROM agent_files JOIN files INDEXED BY files_listed ON files.id = agent_files.file_id
          WHERE agent_files.agent_id = ${agentId} AND files.tenant_id = ${tenantId}
          ORDER BY files.id) listed)`),
      tools: parsedJson<CallConfig["tools"]>(sql`(
        SELECT json_group_array(
          json_object('name', name, 'description', description, 'parameters', json(parameters)))
        FROM (SELECT * FROM tools
          WHERE tenant_id = ${tenantId} AND enabled = 1
            AND (agent_id IS NULL OR agent_id = ${agentId})
          ORDER BY id))`),
      disclosure: disclosure(),
    })
    .from(sql`(SELECT 1)`)
    .prepare();
});

const disclosure = () => sql<string | null>`(
  SELECT text FROM tenant_disclosures
  WHERE tenant_id = ${arg("tenantId")} AND language = ${arg("language")})`;

/** `id` is null if no file of the tenant has this text any more. */
type VersionFileRow = Omit<KnowledgeFile, "id"> & {
  readonly id: number | null;
  readonly sha256: string;
};
type VersionToolRow = CallConfig["tools"][number] & {
  readonly url: string;
  readonly urlNow: string;
};

/** Like `agentContext`, for a stored version. Tools disabled or deleted since are missing. */
const versionContext = statement((queries) =>
  queries
    .select({
      files: parsedJson<VersionFileRow[]>(sql`(
        SELECT json_group_array(json_object('id', id, 'filename', filename, 'format', format,
          'sizeBytes', size_bytes, 'version', coalesce(updated_at, 0), 'sha256', sha256,
          'content', CASE WHEN bytes <= ${arg("bytesMax")} THEN (SELECT content FROM version_texts
            WHERE tenant_id = ${agentVersions.tenantId} AND sha256 = listed.sha256) END))
        FROM (SELECT l.id, l.updated_at, t.sha256, f.value ->> 'filename' AS filename,
            f.value ->> 'format' AS format, f.value ->> 'sizeBytes' AS size_bytes,
            sum(f.value ->> 'sizeBytes') OVER (ORDER BY f.key) AS bytes
          FROM json_each(${agentVersions.content}, '$.files') f
          JOIN version_texts t
            ON t.tenant_id = ${agentVersions.tenantId} AND t.sha256 = f.value ->> 'sha256'
          LEFT JOIN files l INDEXED BY files_listed ON l.tenant_id = t.tenant_id
            AND l.id = (SELECT min(s.id) FROM files s INDEXED BY files_listed
            WHERE s.tenant_id = t.tenant_id AND s.content_sha256 = t.sha256
              AND s.filename = f.value ->> 'filename')
          ORDER BY f.key) listed)`),
      tools: parsedJson<VersionToolRow[]>(sql`(
        SELECT json_group_array(json_object('name', l.name, 'url', t.value ->> 'url',
          'urlNow', l.url, 'description', t.value ->> 'description',
          'parameters', json(t.value -> 'parameters')))
        FROM json_each(${agentVersions.content}, '$.tools') t
        JOIN tools l ON l.tenant_id = ${agentVersions.tenantId} AND l.name = t.value ->> 'name'
        WHERE l.enabled = 1 AND (l.agent_id IS NULL OR l.agent_id = ${agentVersions.agentId}))`),
      disclosure: disclosure(),
    })
    .from(agentVersions)
    .where(
      and(
        eq(agentVersions.tenantId, arg("tenantId")),
        eq(agentVersions.agentId, arg("agentId")),
        eq(agentVersions.number, arg("number")),
      ),
    )
    .prepare(),
);

type AgentOfContext = Parameters<CallSetupRecords["agentContext"]>[1];

const ofVersion = ({
  files,
  tools,
  ...rest
}: {
  readonly files: readonly VersionFileRow[];
  readonly tools: readonly VersionToolRow[];
  readonly disclosure: string | null;
}) => ({
  ...rest,
  files: files.map(({ sha256, id, ...file }) => ({ ...file, id: id ?? versionTextId(sha256) })),
  tools: tools
    .filter(({ url, urlNow }) => isSameServer(url, urlNow))
    .map(({ url, urlNow, ...tool }) => tool),
});

export function callSetupStore(queries: Queries) {
  return {
    ...callNumbers(queries),

    tenant(tenantId: number): Promise<TenantRow | undefined> {
      return findTenant(queries).get({ tenantId });
    },

    trunk(tenantId: number): Promise<TrunkRow | undefined> {
      return queries.select().from(trunks).where(eq(trunks.tenantId, tenantId)).get();
    },

    async agentContext(tenantId: number, agent: AgentOfContext) {
      const { id: agentId, language } = agent;
      const args = { tenantId, agentId, language, bytesMax: WHOLE_FILES_BYTES_MAX };
      if (agent.isStoredVersion) {
        const stored = await versionContext(queries).get({ ...args, number: agent.version });
        if (stored) return ofVersion(stored);
      }
      const row = await agentContext(queries).get(args);
      return row ?? { files: [], tools: [], disclosure: null };
    },

    async sharedAgent(tenantId: number, agentId: number) {
      return await findSharedAgent(queries).get({ tenantId, agentId });
    },

    agent: (tenantId: number, agentId: number) => agentStore(queries).find(tenantId, agentId),

    /** At most two: callers only need to know whether exactly one exists. */
    firstAgents(tenantId: number): Promise<AgentRow[]> {
      return queries.select().from(agents).where(eq(agents.tenantId, tenantId)).limit(2);
    },
  };
}

/** Numbers and the tenants that have them. */
function callNumbers(queries: Queries) {
  return {
    numberByE164(tenantId: number, numberE164: string): Promise<NumberRow | undefined> {
      return queries
        .select()
        .from(phoneNumbers)
        .where(and(eq(phoneNumbers.numberE164, numberE164), eq(phoneNumbers.tenantId, tenantId)))
        .get();
    },

    async routes(tenantId: number, candidates: readonly string[], spentSinceMs: number) {
      const args = {
        ...loadArguments(tenantId, spentSinceMs),
        ...accountStatusArguments(tenantId, null),
        candidates: JSON.stringify(candidates),
      };
      const rows = await tenantWithNumbers(queries).all(args);
      const [first] = rows;
      if (!first) return undefined;
      const numbers = rows.flatMap(({ number, agent, split }) =>
        number ? [{ ...number, agent, split }] : [],
      );
      const { tenant, load, accountStatus } = first;
      return { tenant, numbers, load, accountStatus };
    },

    /** The only lookup across tenants: all claims to these numbers. */
    claimsTo: async (numbers: readonly string[]): Promise<ClaimedNumber[]> =>
      await queries
        .select({
          numberE164: phoneNumbers.numberE164,
          tenantId: phoneNumbers.tenantId,
          confirmedAt: phoneNumbers.confirmedAt,
        })
        .from(phoneNumbers)
        .where(inArray(phoneNumbers.numberE164, [...numbers])),
  };
}
