/** Tags and comments of calls. Every read and write names the tenant. */
import { and, asc, count, eq, inArray } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import { callComments, calls, callTags, users } from "./schema/index.ts";

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

    /** Undefined: the tenant has no such call. */
    async call(tenantId: number, callUuid: string) {
      return await queries
        .select({ id: calls.id, transcriptExpiredAt: calls.transcriptExpiredAt })
        .from(calls)
        .where(and(eq(calls.callUuid, callUuid), eq(calls.tenantId, tenantId)))
        .get();
    },

    async deleteOf(callIds: readonly number[]): Promise<void> {
      await queries.delete(callTags).where(inArray(callTags.callId, [...callIds]));
      await queries.delete(callComments).where(inArray(callComments.callId, [...callIds]));
    },
  };
}

function tagQueries(queries: Queries) {
  return {
    /** All tags that the tenant's calls have, with how many have each. */
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

    /** Of several calls, by their UUID. A call without tags is not in it. */
    async tagsByCall(
      tenantId: number,
      callUuids: readonly string[],
    ): Promise<ReadonlyMap<string, readonly string[]>> {
      const rows = await queries
        .select({ callUuid: calls.callUuid, tag: callTags.tag })
        .from(callTags)
        .innerJoin(calls, eq(calls.id, callTags.callId))
        .where(and(eq(callTags.tenantId, tenantId), inArray(calls.callUuid, [...callUuids])))
        .orderBy(asc(callTags.tag));
      const tags = new Map<string, string[]>();
      for (const { callUuid, tag } of rows)
        tags.set(callUuid, [...(tags.get(callUuid) ?? []), tag]);
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
    /** Oldest first, with the author's name; null: the account is gone. */
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
