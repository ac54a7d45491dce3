/** Tags and comments of calls. Every read and write includes the tenant. */
import { and, asc, count, eq, inArray, sql } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import { arg, statement } from "../../store/query/prepared.ts";
import { callComments, calls, callTags, users } from "../../store/schema/index.ts";

interface NewComment {
  readonly tenantId: number;
  readonly callId: number;
  readonly userId: number;
  readonly text: string;
  readonly createdAt: number;
}

export function callAnnotationStore(queries: Queries) {
  return {
    ...tagQueries(queries),
    ...commentQueries(queries),

    /** Undefined if the tenant has no such call. */
    async call(tenantId: number, callUuid: string) {
      return await queries
        .select({ id: calls.id, transcriptExpiredAt: calls.transcriptExpiredAt })
        .from(calls)
        .where(and(eq(calls.callUuid, callUuid), eq(calls.tenantId, tenantId)))
        .get();
    },

    async deleteOf(callIds: readonly number[]): Promise<void> {
      await queries.delete(callTags).where(inArray(callTags.callId, callIds));
      await queries.delete(callComments).where(inArray(callComments.callId, callIds));
    },
  };
}

/** The query of `tagsByCall`. Exported for a test of its query plan. */
export const tagsOfCalls = (queries: Queries) =>
  queries
    .select({ callId: callTags.callId, tag: callTags.tag })
    .from(callTags)
    .where(
      and(
        inArray(callTags.callId, sql`(SELECT value FROM json_each(${arg("callIds")}))`),
        // The plus keeps SQLite from reading all tags of the tenant.
        sql`+${callTags.tenantId} = ${arg("tenantId")}`,
      ),
    )
    .orderBy(asc(callTags.callId), asc(callTags.tag));
const readTagsOfCalls = statement((queries) => tagsOfCalls(queries).prepare());

function tagQueries(queries: Queries) {
  return {
    /** All tags of the tenant's calls, with the number of calls of each. */
    async tagsInUse(tenantId: number) {
      return await queries
        .select({ tag: callTags.tag, calls: count() })
        .from(callTags)
        .where(eq(callTags.tenantId, tenantId))
        .groupBy(callTags.tag);
    },

    async tagsOf(tenantId: number, callId: number): Promise<string[]> {
      const rows = await queries
        .select({ tag: callTags.tag })
        .from(callTags)
        .where(and(eq(callTags.tenantId, tenantId), eq(callTags.callId, callId)))
        .orderBy(asc(callTags.tag));
      return rows.map(({ tag }) => tag);
    },

    /** Tags of several calls, by call id. Calls without tags are missing. */
    async tagsByCall(
      tenantId: number,
      callIds: readonly number[],
    ): Promise<ReadonlyMap<number, readonly string[]>> {
      const rows = await readTagsOfCalls(queries).all({ tenantId, callIds: `[${callIds.join()}]` });
      const tags = new Map<number, string[]>();
      for (const { callId, tag } of rows) tags.set(callId, [...(tags.get(callId) ?? []), tag]);
      return tags;
    },

    async addTag(tenantId: number, callId: number, tag: string): Promise<void> {
      await queries.insert(callTags).values({ tenantId, callId, tag }).onConflictDoNothing();
    },

    async removeTag(tenantId: number, callId: number, tag: string): Promise<void> {
      await queries
        .delete(callTags)
        .where(
          and(eq(callTags.tenantId, tenantId), eq(callTags.callId, callId), eq(callTags.tag, tag)),
        );
    },
  };
}

function commentQueries(queries: Queries) {
  return {
    /** Oldest first, with the author's name; null if the account is gone. */
    async commentsOf(tenantId: number, callId: number) {
      return await queries
        .select({
          id: callComments.id,
          userId: callComments.userId,
          author: users.name,
          text: callComments.text,
          createdAt: callComments.createdAt,
        })
        .from(callComments)
        .leftJoin(users, eq(users.id, callComments.userId))
        .where(and(eq(callComments.tenantId, tenantId), eq(callComments.callId, callId)))
        .orderBy(asc(callComments.id));
    },

    async comment(tenantId: number, id: number) {
      return await queries
        .select({ userId: callComments.userId })
        .from(callComments)
        .where(and(eq(callComments.id, id), eq(callComments.tenantId, tenantId)))
        .get();
    },

    async addComment(comment: NewComment): Promise<void> {
      await queries.insert(callComments).values(comment);
    },

    async removeComment(tenantId: number, id: number): Promise<void> {
      await queries
        .delete(callComments)
        .where(and(eq(callComments.id, id), eq(callComments.tenantId, tenantId)));
    },
  };
}
