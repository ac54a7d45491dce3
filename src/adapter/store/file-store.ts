/** Knowledge files and their assignments. Contents are read only when requested. */
import { and, asc, count, eq, inArray } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import type { FileRecord, FileRecords } from "../../domain/knowledge/files.ts";
import { agentFiles, agents, files } from "./schema/index.ts";

const COLUMNS = {
  id: files.id,
  filename: files.filename,
  format: files.format,
  sizeBytes: files.sizeBytes,
  createdAt: files.createdAt,
  updatedAt: files.updatedAt,
};

export function fileStore(queries: Queries): FileRecords {
  const own = (tenantId: number, id: number) => and(eq(files.id, id), eq(files.tenantId, tenantId));

  async function agentsOf(fileId: number): Promise<number[]> {
    const rows = await queries
      .select({ agentId: agentFiles.agentId })
      .from(agentFiles)
      .where(eq(agentFiles.fileId, fileId))
      .orderBy(asc(agentFiles.agentId));
    return rows.map((row) => row.agentId);
  }

  return {
    async list(tenantId) {
      const rows = await queries
        .select(COLUMNS)
        .from(files)
        .where(eq(files.tenantId, tenantId))
        .orderBy(asc(files.id));
      const links = await queries
        .select({ fileId: agentFiles.fileId, agentId: agentFiles.agentId })
        .from(agentFiles)
        .innerJoin(files, eq(files.id, agentFiles.fileId))
        .where(eq(files.tenantId, tenantId))
        .orderBy(asc(agentFiles.agentId));
      const byFile = Map.groupBy(links, (link) => link.fileId);
      return rows.map(
        (row): FileRecord => ({
          ...row,
          agentIds: (byFile.get(row.id) ?? []).map((link) => link.agentId),
        }),
      );
    },

    async find(tenantId, id) {
      const row = await queries.select(COLUMNS).from(files).where(own(tenantId, id)).get();
      return row && { ...row, agentIds: await agentsOf(id) };
    },

    async content(tenantId, id) {
      const row = await queries
        .select({ content: files.content })
        .from(files)
        .where(own(tenantId, id))
        .get();
      return row?.content;
    },

    async count(tenantId) {
      const row = await queries
        .select({ n: count() })
        .from(files)
        .where(eq(files.tenantId, tenantId))
        .get();
      return row?.n ?? 0;
    },

    async insert(tenantId, file) {
      const [row] = await queries
        .insert(files)
        .values({ ...file, tenantId })
        .returning({ id: files.id });
      if (!row) throw new Error("insert answered no row");
      return row.id;
    },

    async update(tenantId, id, changes) {
      await queries.update(files).set(changes).where(own(tenantId, id));
    },

    async remove(tenantId, id) {
      const rows = await queries.delete(files).where(own(tenantId, id)).returning({ id: files.id });
      return rows.length > 0;
    },

    async attach(fileId, agentId) {
      await queries.insert(agentFiles).values({ fileId, agentId }).onConflictDoNothing();
    },

    async detachAll(fileId) {
      await queries.delete(agentFiles).where(eq(agentFiles.fileId, fileId));
    },

    async countAgents(tenantId, agentIds) {
      const row = await queries
        .select({ n: count() })
        .from(agents)
        .where(and(eq(agents.tenantId, tenantId), inArray(agents.id, [...agentIds])))
        .get();
      return row?.n ?? 0;
    },
  };
}
