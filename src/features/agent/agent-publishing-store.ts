/**
 * Restores an agent's files and tools to the state of a version, without changing other agents. A file that
 * other agents use is copied. A tool of all agents stays unchanged.
 *
 * A secret is never sent to a server other than its own. Such a tool is disabled until its secret is entered
 * again.
 */
import { and, eq, inArray, sql } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import { isSameServer } from "../../platform/net/tenant-url.ts";
import { agentFiles, files, tools } from "../../store/schema/index.ts";
import type { AgentContent, VersionFile, VersionTool } from "./agent-content.ts";

/** A deviation from the version, with its kind. */
export interface PublishingNote {
  readonly kind: "file_copied" | "tool_needs_secret" | "tool_of_others";
  readonly name: string;
}

interface Publishing {
  readonly tenantId: number;
  readonly agentId: number;
  readonly nowMs: number;
  readonly textOf: (sha256: string) => string;
  /** An empty secret, sealed to the tool. */
  readonly noSecret: (toolId: number) => string;
  /** True if the sealed value is a secret that a person entered. */
  readonly isSecret: (sealed: string, toolId: number) => boolean;
}

export async function publishContent(
  queries: Queries,
  content: Pick<AgentContent, "files" | "tools">,
  publishing: Publishing,
): Promise<PublishingNote[]> {
  return [
    ...(await publishFiles(queries, content.files, publishing)),
    ...(await publishTools(queries, content.tools, publishing)),
  ];
}

async function publishFiles(
  queries: Queries,
  wanted: readonly VersionFile[],
  { tenantId, agentId, nowMs, textOf }: Publishing,
): Promise<PublishingNote[]> {
  const rows = await queries
    .select({
      id: files.id,
      filename: files.filename,
      sha256: files.contentSha256,
      isMine: sql<number>`EXISTS (SELECT 1 FROM agent_files l WHERE l.file_id = ${files.id} AND l.agent_id = ${agentId})`,
      uses: sql<number>`(SELECT count(*) FROM agent_files l WHERE l.file_id = ${files.id})`,
    })
    .from(files)
    .where(eq(files.tenantId, tenantId))
    .orderBy(files.id);
  const left = new Set(rows.filter(({ isMine }) => isMine));
  const notes: PublishingNote[] = [];
  const take = (found: (typeof rows)[number] | undefined) => {
    if (found) left.delete(found);
    return found;
  };
  const missing = wanted.filter(
    ({ filename, sha256 }) =>
      !take([...left].find((row) => row.filename === filename && row.sha256 === sha256)),
  );
  for (const { filename, format, sizeBytes, sha256 } of missing) {
    const text = { filename, format, sizeBytes, contentSha256: sha256, updatedAt: nowMs };
    const own = take([...left].find((row) => row.filename === filename && row.uses === 1));
    if (own) {
      await queries
        .update(files)
        .set({ ...text, content: textOf(sha256) })
        .where(eq(files.id, own.id));
      continue;
    }
    if (rows.some((row) => row.isMine && row.filename === filename))
      notes.push({ kind: "file_copied", name: filename });
    const same = rows.find((row) => row.filename === filename && row.sha256 === sha256);
    const [made] = same
      ? [same]
      : await queries
          .insert(files)
          .values({ ...text, tenantId, content: textOf(sha256), createdAt: nowMs })
          .returning({ id: files.id });
    if (made)
      await queries.insert(agentFiles).values({ agentId, fileId: made.id }).onConflictDoNothing();
  }
  const detached = [...left].map(({ id }) => id);
  await queries
    .delete(agentFiles)
    .where(and(eq(agentFiles.agentId, agentId), inArray(agentFiles.fileId, detached)));
  return notes;
}

async function publishTools(
  queries: Queries,
  wanted: readonly VersionTool[],
  publishing: Publishing,
): Promise<PublishingNote[]> {
  const { tenantId, agentId, nowMs, noSecret, isSecret } = publishing;
  const rows = await queries.select().from(tools).where(eq(tools.tenantId, tenantId));
  const notes: PublishingNote[] = [];
  for (const { shared, ...tool } of wanted) {
    const found = rows.find(({ name }) => name === tool.name);
    if (found ? found.agentId !== agentId : shared) {
      if (!found || !isSame(found, { shared, ...tool }))
        notes.push({ kind: "tool_of_others", name: tool.name });
      continue;
    }
    const isSafe =
      found !== undefined &&
      isSameServer(found.url, tool.url) &&
      isSecret(found.secretSealed, found.id);
    if (!isSafe) notes.push({ kind: "tool_needs_secret", name: tool.name });
    const fields = { ...tool, enabled: isSafe, updatedAt: nowMs };
    const id = found?.id ?? (await insertTool(queries, { ...fields, tenantId, agentId, nowMs }));
    await queries
      .update(tools)
      .set({ ...fields, ...(isSafe ? {} : { secretSealed: noSecret(id) }) })
      .where(eq(tools.id, id));
  }
  const names = wanted.map(({ name }) => name);
  const surplus = rows.filter((row) => row.agentId === agentId && !names.includes(row.name));
  await queries
    .update(tools)
    .set({ enabled: false, updatedAt: nowMs })
    .where(
      inArray(
        tools.id,
        surplus.map(({ id }) => id),
      ),
    );
  return notes;
}

const isSame = (row: typeof tools.$inferSelect, tool: VersionTool): boolean =>
  row.enabled &&
  (row.agentId === null) === tool.shared &&
  row.url === tool.url &&
  row.description === tool.description &&
  row.callerLevel === tool.callerLevel &&
  JSON.stringify(row.parameters) === JSON.stringify(tool.parameters);

async function insertTool(
  queries: Queries,
  {
    nowMs,
    ...tool
  }: Omit<VersionTool, "shared"> & {
    readonly tenantId: number;
    readonly agentId: number;
    readonly enabled: boolean;
    readonly updatedAt: number;
    readonly nowMs: number;
  },
): Promise<number> {
  const [row] = await queries
    .insert(tools)
    .values({ ...tool, enabled: false, secretSealed: "", createdAt: nowMs })
    .returning({ id: tools.id });
  if (!row) throw new Error("insert answered no row");
  return row.id;
}
