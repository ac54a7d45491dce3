/** Knowledge files and their assignments. Contents are read only when requested. */
import { and, asc, between, eq, getTableColumns, inArray, sum } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import { ownedBy, ownedRows } from "../../store/query/owned-rows.ts";
import { agentFiles, agents, files, versionTexts } from "../../store/schema/index.ts";
import { keepText, recordVersions } from "../agent/agent-version-store.ts";
import type { FileRecord, FileRecords } from "./files.ts";

interface KnowledgeOwners {
  /** The only lookup across tenants: the file ids of each tenant. */
  idsOfTenants(): Promise<ReadonlyMap<number, readonly number[]>>;
}

const { tenantId, content, contentSha256, ...COLUMNS } = getTableColumns(files);

export function fileStore(queries: Queries): FileRecords & KnowledgeOwners {
  const rows = ownedRows(queries, files, COLUMNS);

  async function agentsOf(fileId: number): Promise<number[]> {
    const rows = await queries
      .select({ agentId: agentFiles.agentId })
      .from(agentFiles)
      .where(eq(agentFiles.fileId, fileId))
      .orderBy(asc(agentFiles.agentId));
    return rows.map((row) => row.agentId);
  }

  return {
    ...fileAssignments(queries),
    ...fileContents(queries),
    ...knowledgeOwners(queries),

    async list(tenantId) {
      const found = await rows.list(tenantId);
      const links = await queries
        .select({ fileId: agentFiles.fileId, agentId: agentFiles.agentId })
        .from(agentFiles)
        .innerJoin(files, eq(files.id, agentFiles.fileId))
        .where(eq(files.tenantId, tenantId))
        .orderBy(asc(agentFiles.agentId));
      const byFile = Map.groupBy(links, (link) => link.fileId);
      return found.map(
        (row): FileRecord => ({
          ...row,
          agentIds: (byFile.get(row.id) ?? []).map((link) => link.agentId),
        }),
      );
    },

    async find(tenantId, id) {
      const row = await rows.find(tenantId, id);
      return row && { ...row, agentIds: await agentsOf(id) };
    },

    count: rows.count,
    keepText: (tenantId, id) => keepText(queries, tenantId, id),
    recordVersions: (tenantId, note) => recordVersions(queries, tenantId, null, note),

    remove: rows.remove,

    async insert(tenantId, file) {
      return (await rows.insert({ ...file, tenantId })).id;
    },

    async update(tenantId, id, changes) {
      await queries
        .update(files)
        .set(changes)
        .where(ownedBy(files, tenantId, id));
    },
  };
}

/** The agents that use a file. */
function fileAssignments(
  queries: Queries,
): Pick<FileRecords, "attach" | "detachAll" | "countAgents" | "bytesOfAgents"> {
  return {
    async attach(fileId, agentId) {
      await queries.insert(agentFiles).values({ fileId, agentId }).onConflictDoNothing();
    },

    async detachAll(fileId) {
      await queries.delete(agentFiles).where(eq(agentFiles.fileId, fileId));
    },

    async bytesOfAgents(tenantId) {
      const rows = await queries
        .select({ agentId: agentFiles.agentId, bytes: sum(files.sizeBytes).mapWith(Number) })
        .from(agentFiles)
        .innerJoin(files, eq(files.id, agentFiles.fileId))
        .where(eq(files.tenantId, tenantId))
        .groupBy(agentFiles.agentId);
      return new Map(rows.map(({ agentId, bytes }) => [agentId, bytes]));
    },

    async countAgents(tenantId, agentIds) {
      return await queries.$count(
        agents,
        and(eq(agents.tenantId, tenantId), inArray(agents.id, agentIds)),
      );
    },
  };
}

/** Hexadecimal digits of the hash that fit into an exact number. */
const TEXT_ID_DIGITS = 12;

/** Id of a text that exists only in versions: negative, derived from its hash. Files have positive ids. */
export const versionTextId = (sha256: string): number =>
  -1 - Number.parseInt(sha256.slice(0, TEXT_ID_DIGITS), 16);

async function versionText(queries: Queries, tenantId: number, textId: number) {
  const beginning = (-1 - textId).toString(16).padStart(TEXT_ID_DIGITS, "0");
  const row = await queries
    .select({ content: versionTexts.content })
    .from(versionTexts)
    .where(
      and(
        eq(versionTexts.tenantId, tenantId),
        between(versionTexts.sha256, beginning, `${beginning}g`),
      ),
    )
    .get();
  return row?.content;
}

/** The text of a file, which lists omit. */
function fileContents(queries: Queries): Pick<FileRecords, "content"> {
  return {
    async content(tenantId, id) {
      if (id < 0) return await versionText(queries, tenantId, id);
      const row = await queries
        .select({ content: files.content })
        .from(files)
        .where(ownedBy(files, tenantId, id))
        .get();
      return row?.content;
    },
  };
}

function knowledgeOwners(queries: Queries): KnowledgeOwners {
  return {
    async idsOfTenants() {
      const rows = await queries.select({ id: files.id, tenantId: files.tenantId }).from(files);
      const ids = new Map<number, number[]>();
      for (const { id, tenantId } of rows) ids.set(tenantId, [...(ids.get(tenantId) ?? []), id]);
      return ids;
    },
  };
}
