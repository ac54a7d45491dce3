/** Reads the stored versions of an agent and stores its draft. */
import { and, desc, eq, getTableColumns, inArray, min, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { type Author, authorText } from "../../core/author.ts";
import type { Queries } from "../../core/database.ts";
import { agentDrafts, agentVersions, versionTexts } from "../../store/schema/index.ts";
import type { AgentContent } from "./agent-content.ts";

/** The label of a key or the address of a person. Null if it was deleted or there is no author. */
const authorName = (author: SQLiteColumn): SQL<string | null> => sql`coalesce(
  (SELECT label FROM api_keys WHERE 'key:' || api_keys.id = ${author}),
  (SELECT email FROM users WHERE 'member:' || users.id = ${author}))`;

const VERSION = {
  ...getTableColumns(agentVersions),
  authorName: authorName(agentVersions.author),
};

export function agentHistoryStore(queries: Queries) {
  const ofAgent = (tenantId: number, agentId: number) =>
    and(eq(agentVersions.agentId, agentId), eq(agentVersions.tenantId, tenantId));
  return {
    ...drafts(queries),

    /** Newest first. */
    async list(tenantId: number, agentId: number, page: { limit: number; offset: number }) {
      return await queries
        .select(VERSION)
        .from(agentVersions)
        .where(ofAgent(tenantId, agentId))
        .orderBy(desc(agentVersions.number))
        .limit(page.limit)
        .offset(page.offset);
    },

    async find(tenantId: number, agentId: number, number: number) {
      return await queries
        .select(VERSION)
        .from(agentVersions)
        .where(and(ofAgent(tenantId, agentId), eq(agentVersions.number, number)))
        .get();
    },

    /** Number of the oldest version; 0 if none is stored. */
    async oldest(tenantId: number, agentId: number): Promise<number> {
      const row = await queries
        .select({ number: min(agentVersions.number) })
        .from(agentVersions)
        .where(ofAgent(tenantId, agentId))
        .get();
      return row?.number ?? 0;
    },

    async putText(tenantId: number, sha256: string, content: string): Promise<void> {
      await queries
        .insert(versionTexts)
        .values({ tenantId, sha256, content })
        .onConflictDoNothing();
    },

    async texts(tenantId: number, hashes: readonly string[]): Promise<ReadonlyMap<string, string>> {
      const rows = await queries
        .select({ sha256: versionTexts.sha256, content: versionTexts.content })
        .from(versionTexts)
        .where(and(eq(versionTexts.tenantId, tenantId), inArray(versionTexts.sha256, [...hashes])));
      return new Map(rows.map(({ sha256, content }) => [sha256, content]));
    },
  };
}

function drafts(queries: Queries) {
  const draftOf = (tenantId: number, agentId: number) =>
    and(eq(agentDrafts.agentId, agentId), eq(agentDrafts.tenantId, tenantId));
  return {
    async draft(tenantId: number, agentId: number) {
      return await queries
        .select({ ...getTableColumns(agentDrafts), authorName: authorName(agentDrafts.author) })
        .from(agentDrafts)
        .where(draftOf(tenantId, agentId))
        .get();
    },

    async putDraft(
      tenantId: number,
      agentId: number,
      draft: { baseVersion: number; author: Author; updatedAt: number; content: AgentContent },
    ): Promise<void> {
      const row = { ...draft, author: authorText(draft.author) };
      await queries
        .insert(agentDrafts)
        .values({ ...row, tenantId, agentId })
        .onConflictDoUpdate({ target: agentDrafts.agentId, set: row });
    },

    async removeDraft(tenantId: number, agentId: number): Promise<void> {
      await queries.delete(agentDrafts).where(draftOf(tenantId, agentId));
    },
  };
}
