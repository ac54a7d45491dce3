/**
 * Tags and comments that a tenant's people add to calls. They are deleted together with the transcript, by
 * retention or on request. After that, nothing can be added.
 */

import type { Clock } from "../../core/clock.ts";
import type { Database, Queries } from "../../core/database.ts";
import { AppError, notFound } from "../../core/errors.ts";
import type { MessageReason } from "../../core/message-reasons.ts";
import { callAnnotationStore } from "./call-annotation-store.ts";

export const TAGS_OF_CALL_MAX = 20;
const TAGS_OF_TENANT_MAX = 200;
const COMMENTS_OF_CALL_MAX = 200;

/** The requester: authors may delete their own comments, owners may delete all. */
interface Annotator {
  readonly userId: number;
  readonly isOwner: boolean;
}

type Store = ReturnType<typeof callAnnotationStore>;
export type CallAnnotations = ReturnType<typeof createCallAnnotations>;

interface Deps {
  readonly database: Database;
  readonly clock: Clock;
}

export function createCallAnnotations({ database, clock }: Deps) {
  /** Changes a call that still has its transcript. Throws not_found, conflict. */
  const changed = <Result>(
    tenantId: number,
    callUuid: string,
    change: (store: Store, callId: number) => Promise<Result>,
  ): Promise<Result> =>
    database.tx(async (queries) => {
      const store = callAnnotationStore(queries);
      const call = await store.call(tenantId, callUuid);
      if (!call) throw notFound("call");
      if (call.transcriptExpiredAt !== null) throw wordsGone();
      return await change(store, call.id);
    });

  return {
    /** Throws not_found. */
    of: (tenantId: number, callUuid: string, by: Annotator) =>
      annotationsOf(database.read, tenantId, callUuid, by),

    /** The tenant's tags in alphabetical order. */
    async tagsInUse(tenantId: number) {
      const tags = await callAnnotationStore(database.read).tagsInUse(tenantId);
      return tags.toSorted((a, b) => a.tag.localeCompare(b.tag));
    },

    /** A tag that the tenant uses already keeps its spelling. Throws not_found, conflict. */
    addTag: (tenantId: number, callUuid: string, tag: string): Promise<string[]> =>
      changed(tenantId, callUuid, async (store, callId) => {
        await addTag(store, tenantId, callId, tag.replace(/\s+/g, " ").trim());
        return await store.tagsOf(tenantId, callId);
      }),

    /** Throws not_found, conflict. */
    removeTag: (tenantId: number, callUuid: string, tag: string): Promise<string[]> =>
      changed(tenantId, callUuid, async (store, callId) => {
        await store.removeTag(tenantId, callId, tag);
        return await store.tagsOf(tenantId, callId);
      }),

    /** Throws not_found, conflict. */
    addComment: (tenantId: number, callUuid: string, userId: number, text: string): Promise<void> =>
      changed(tenantId, callUuid, async (store, callId) => {
        const comments = await store.commentsOf(tenantId, callId);
        if (comments.length >= COMMENTS_OF_CALL_MAX)
          throw tooMany("comments_of_call", COMMENTS_OF_CALL_MAX);
        await store.addComment({ tenantId, callId, userId, text, createdAt: clock.now() });
      }),

    /** Throws not_found, forbidden. */
    removeComment: (tenantId: number, id: number, by: Annotator): Promise<void> =>
      database.tx((queries) => removeComment(queries, tenantId, id, by)),
  };
}

const mayDelete = (comment: { readonly userId: number | null }, { userId, isOwner }: Annotator) =>
  isOwner || comment.userId === userId;

async function addTag(
  store: Store,
  tenantId: number,
  callId: number,
  wanted: string,
): Promise<void> {
  const isWanted = (tag: string) => tag.toLowerCase() === wanted.toLowerCase();
  const tags = await store.tagsOf(tenantId, callId);
  if (tags.some(isWanted)) return;
  if (tags.length >= TAGS_OF_CALL_MAX) throw tooMany("tags_of_call", TAGS_OF_CALL_MAX);
  const known = (await store.tagsInUse(tenantId)).map(({ tag }) => tag);
  const tag = known.find(isWanted);
  if (!tag && known.length >= TAGS_OF_TENANT_MAX)
    throw tooMany("tags_of_company", TAGS_OF_TENANT_MAX);
  await store.addTag(tenantId, callId, tag ?? wanted);
}

async function removeComment(
  queries: Queries,
  tenantId: number,
  id: number,
  by: Annotator,
): Promise<void> {
  const store = callAnnotationStore(queries);
  const comment = await store.comment(tenantId, id);
  if (!comment) throw notFound("comment");
  if (!mayDelete(comment, by))
    throw new AppError({
      code: "forbidden",
      publicMessage: "Only the author or an owner can delete a comment.",
    });
  await store.removeComment(tenantId, id);
}

async function annotationsOf(read: Queries, tenantId: number, callUuid: string, by: Annotator) {
  const store = callAnnotationStore(read);
  const call = await store.call(tenantId, callUuid);
  if (!call) throw notFound("call");
  const comments = await store.commentsOf(tenantId, call.id);
  return {
    tags: await store.tagsOf(tenantId, call.id),
    comments: comments.map((comment) => ({ ...comment, mayDelete: mayDelete(comment, by) })),
    isOpen: call.transcriptExpiredAt === null,
  };
}

const wordsGone = () =>
  new AppError({
    code: "conflict",
    reason: "words_gone",
    publicMessage:
      "The transcript, tags and comments of this call are deleted. You can't add new ones.",
  });

const TOO_MANY = {
  tags_of_call: "A call can have at most {max} tags. Remove one first.",
  tags_of_company: "A company can have at most {max} different tags. Use one of them.",
  comments_of_call: "A call can have at most {max} comments. Delete one first.",
} as const satisfies Partial<Record<MessageReason, string>>;

const tooMany = (reason: keyof typeof TOO_MANY, max: number) =>
  new AppError({
    code: "conflict",
    reason,
    params: { max },
    publicMessage: TOO_MANY[reason].replace("{max}", String(max)),
  });
