/**
 * Versions of agents. `recordVersions` runs last in every transaction that changes agents, tools or files. It
 * reads their state inside the database and returns nothing, so that on a database server it is sent together
 * with COMMIT.
 *
 * Kept versions: the 50 newest of an agent, and the published one. Publishing closes an open split, so both
 * its versions are always kept.
 */
import { and, eq, getTableColumns, type SQL, sql } from "drizzle-orm";
import { authorText, UPGRADE, type VersionNote } from "../../core/author.ts";
import type { Database, Queries } from "../../core/database.ts";
import { agentDrafts, agents, files } from "../../store/schema/index.ts";
import { storedText } from "../knowledge/files.ts";
import { TOOL_DEFAULTS } from "./agent-content.ts";
import { AGENT_DEFAULTS } from "./agent-schema.ts";

const VERSIONS_MAX = 50;

type Values = Readonly<Record<string, unknown>>;

const { id, tenantId, createdAt, updatedAt, version, publishesRehearsed, ...FIELDS } =
  getTableColumns(agents);

const jsonFlag = (value: SQL) => sql`iif(${value}, json('true'), json('false'))`;

/** Each field of an agent with its value, for `json_object`. */
const fields = Object.entries(FIELDS).flatMap(([name, column]) => {
  const value = sql`a.${sql.identifier(column.name)}`;
  return [sql.raw(`'${name}'`), column.dataType === "boolean" ? jsonFlag(value) : value];
});

const FILES = sql`(
  SELECT json_group_array(json_object('filename', filename, 'format', format,
    'sizeBytes', size_bytes, 'sha256', content_sha256))
  FROM (SELECT f.id, filename, format, size_bytes, content_sha256
    FROM agent_files l JOIN files f INDEXED BY files_listed ON f.id = l.file_id
    WHERE f.tenant_id = a.tenant_id AND l.agent_id = a.id ORDER BY f.filename, f.id))`;

const TOOLS = sql`(
  SELECT json_group_array(json_object('name', name, 'description', description, 'url', url,
    'secretHeader', secret_header, 'parameters', json(parameters), 'callerLevel', caller_level,
    'shared', ${jsonFlag(sql`agent_id IS NULL`)}))
  FROM (SELECT * FROM tools t
    WHERE t.tenant_id = a.tenant_id AND t.enabled = 1 AND (t.agent_id IS NULL OR t.agent_id = a.id)
    ORDER BY t.name))`;

const CONTENT = sql`json_object(${sql.join(fields, sql`, `)}, 'files', json(${FILES}), 'tools', json(${TOOLS}))`;

/** The JSON of a stored value. Fields newer than the stored content get their defaults. */
const storedValue = (json: SQL, name: string, fallback: unknown) =>
  sql`json(coalesce(${json} -> ${sql.raw(`'$.${name}'`)}, ${JSON.stringify(fallback ?? null)}))`;

const storedObject = (json: SQL, names: readonly string[], defaults: Values, ...others: SQL[]) =>
  sql`json_object(${sql.join(
    [
      ...names.flatMap((name) => [sql.raw(`'${name}'`), storedValue(json, name, defaults[name])]),
      ...others,
    ],
    sql`, `,
  )})`;

/** In the order in which TOOLS writes them. */
const TOOL_FIELDS = "name description url secretHeader parameters callerLevel shared".split(" ");

/** A stored content in today's format, for comparisons. */
const asWrittenNow = (content: SQL) =>
  storedObject(
    content,
    Object.keys(FIELDS),
    { ...AGENT_DEFAULTS },
    sql`'files'`,
    storedValue(content, "files", []),
    sql`'tools'`,
    sql`json((SELECT json_group_array(json(${storedObject(sql`t.value`, TOOL_FIELDS, { ...TOOL_DEFAULTS })}))
      FROM json_each(${content}, '$.tools') t))`,
  );

/** Stores the file text before a version refers to it. Recording the next version deletes unreferenced texts. */
export async function keepText(queries: Queries, tenantId: number, fileId: number): Promise<void> {
  await queries.run(sql`
    INSERT OR IGNORE INTO version_texts (tenant_id, sha256, content)
    SELECT tenant_id, content_sha256, content FROM files
    WHERE id = ${fileId} AND tenant_id = ${tenantId}`);
}

/** `agentId` null: every agent of the tenant, for example after a change of a tool or file. */
export async function recordVersions(
  queries: Queries,
  tenantId: number,
  agentId: number | null,
  note: VersionNote,
): Promise<void> {
  const scope = sql`a.tenant_id = ${tenantId}${agentId === null ? sql`` : sql` AND a.id = ${agentId}`}`;
  const inScope = sql`agent_id IN (SELECT a.id FROM agents a WHERE ${scope})`;
  await queries.run(sql`
    INSERT OR IGNORE INTO version_texts (tenant_id, sha256, content)
    SELECT f.tenant_id, f.content_sha256, f.content
    FROM agents a JOIN agent_files l ON l.agent_id = a.id
      JOIN files f INDEXED BY files_listed ON f.id = l.file_id AND f.tenant_id = a.tenant_id
    WHERE ${scope} AND f.content_sha256 IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM version_texts t WHERE t.tenant_id = f.tenant_id AND t.sha256 = f.content_sha256)`);
  await queries.run(sql`
    INSERT INTO agent_versions
      (tenant_id, agent_id, number, kind, author, restored_from, created_at, content)
    SELECT tenant_id, id, 1 + coalesce(
        (SELECT max(v.number) FROM agent_versions v WHERE v.agent_id = now.id), 0),
      'published', ${authorText(note.author)}, ${note.restoredFrom ?? null}, ${note.nowMs}, content
    FROM (SELECT a.tenant_id, a.id, a.version, ${CONTENT} AS content FROM agents a WHERE ${scope}) now
    WHERE content IS NOT (SELECT ${asWrittenNow(sql`v.content`)} FROM agent_versions v
      WHERE v.agent_id = now.id AND v.number = now.version)`);
  await linkTexts(queries, inScope);
  const newest = sql`(SELECT max(v.number) FROM agent_versions v
    WHERE v.agent_id = a.id AND v.kind = 'published')`;
  await queries.run(
    sql`UPDATE agents AS a SET version = ${newest} WHERE ${scope} AND version IS NOT ${newest}`,
  );
  const published = sql`(SELECT version FROM agents WHERE id = agent_id)`;
  await queries.run(sql`UPDATE agent_splits SET ended_at = ${note.nowMs}
    WHERE ${inScope} AND ended_at IS NULL AND version_a <> ${published}`);
  await deleteOldVersions(queries, inScope);
  await deleteUnusedTexts(queries, tenantId);
}

const deleteOldVersions = (queries: Queries, inScope: SQL) =>
  queries.run(sql`DELETE FROM agent_versions
    WHERE ${inScope} AND number <= (SELECT max(l.number) FROM agent_versions l
        WHERE l.agent_id = agent_versions.agent_id) - ${VERSIONS_MAX}
      AND NOT EXISTS (SELECT 1 FROM agents a
        WHERE a.id = agent_versions.agent_id AND a.version = agent_versions.number)`);

/** Turns the existing draft into an unpublished version. Returns its number. */
export async function storeCandidate(
  queries: Queries,
  tenantId: number,
  agentId: number,
  { author, nowMs }: VersionNote,
): Promise<number> {
  const draft = and(eq(agentDrafts.agentId, agentId), eq(agentDrafts.tenantId, tenantId));
  const newest = sql`(SELECT max(number) FROM agent_versions WHERE agent_id = ${agentId})`;
  await queries.run(sql`
    INSERT INTO agent_versions (tenant_id, agent_id, number, kind, author, created_at, content)
    SELECT tenant_id, agent_id, 1 + ${newest}, 'candidate', ${authorText(author)}, ${nowMs}, content
    FROM agent_drafts WHERE ${draft}`);
  await linkTexts(queries, sql`agent_id = ${agentId}`);
  await queries.delete(agentDrafts).where(draft);
  await deleteOldVersions(queries, sql`agent_id = ${agentId}`);
  await deleteUnusedTexts(queries, tenantId);
  const [stored] = await queries.all<{ number: number }>(sql`SELECT ${newest} AS number`);
  if (!stored) throw new Error("insert left no row");
  return stored.number;
}

/** Records the texts that new versions refer to. */
const linkTexts = (queries: Queries, inScope: SQL) =>
  queries.run(sql`
    INSERT INTO agent_version_files (version_id, sha256)
    SELECT DISTINCT v.id, json_extract(f.value, '$.sha256')
    FROM agent_versions v, json_each(v.content, '$.files') f
    WHERE v.${inScope} AND v.number = (
        SELECT max(l.number) FROM agent_versions l WHERE l.agent_id = v.agent_id)
      AND json_extract(f.value, '$.sha256') IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM agent_version_files l WHERE l.version_id = v.id)`);

/** Deletes the tenant's texts that no version or draft refers to. */
export async function deleteUnusedTexts(queries: Queries, tenantId: number): Promise<void> {
  await queries.run(sql`DELETE FROM version_texts WHERE tenant_id = ${tenantId}
    AND NOT EXISTS (
      SELECT 1 FROM agent_version_files l JOIN agent_versions v ON v.id = l.version_id
      WHERE l.sha256 = version_texts.sha256 AND v.tenant_id = version_texts.tenant_id)
    AND NOT EXISTS (
      SELECT 1 FROM agent_drafts d, json_each(d.content, '$.files') f
      WHERE d.tenant_id = version_texts.tenant_id
        AND json_extract(f.value, '$.sha256') = version_texts.sha256)`);
}

/** Stores a first version for agents without one, from older releases. Reads little if all have one. */
export async function recordFirstVersions(database: Database, nowMs: number): Promise<void> {
  const waiting = await database.read.all<{ tenantId: number }>(sql`
    SELECT tenant_id AS "tenantId" FROM agents WHERE version = 0
    UNION SELECT tenant_id FROM files WHERE content_sha256 IS NULL`);
  for (const { tenantId } of waiting)
    await database.tx(async (queries) => {
      const unread = await queries.all<{ id: number; content: string }>(
        sql`SELECT id, content FROM files WHERE tenant_id = ${tenantId} AND content_sha256 IS NULL`,
      );
      for (const { id, content } of unread) {
        const { contentSha256 } = storedText(content);
        await queries.update(files).set({ contentSha256 }).where(eq(files.id, id));
      }
      await recordVersions(queries, tenantId, null, { author: UPGRADE, nowMs });
    });
}
