/** Tags and comments that a company's people add to its calls. */
import { z } from "zod";
import { isoUtc } from "../../core/clock.ts";
import { type ApiRequest, contract, route } from "../../http/contract.ts";
import {
  deletedReply,
  filled,
  idOut,
  nameIn,
  okReply,
  shown,
  timeOut,
} from "../../http/contracts/schema.ts";
import type { ProductContext } from "../../http/dashboard-context.ts";
import { sessionOf } from "../../http/dashboard-signed-in.ts";
import { TAGS_OF_CALL_MAX } from "./call-annotations.ts";

const TAG_MAX = 40;
const COMMENT_MAX = 2_000;
const tag = "Calls";
const EXAMPLE = "Complaint";

export const tagIn = (description: string) => nameIn(TAG_MAX, description, EXAMPLE);

const tagsOut = z.array(shown(z.string(), "A tag.", EXAMPLE));
const CallTag = z.strictObject({ tag: tagIn("The tag.") }).meta({ id: "CallTag" });

export const listCallTags = contract({
  operationId: "listCallTags",
  at: "GET /call-tags",
  tag,
  summary: "List all tags of the company's calls",
  reply: okReply({
    tags: z.array(
      z.strictObject({
        tag: shown(z.string(), "The tag.", EXAMPLE),
        calls: shown(z.int(), "Number of calls with the tag.", 3),
      }),
    ),
  }),
});

export const getCallAnnotations = contract({
  operationId: "getCallAnnotations",
  at: "GET /calls/{uuid}/annotations",
  noun: "call",
  tag,
  summary: "Tags and comments of a call",
  reply: okReply({
    tags: tagsOut,
    comments: z.array(
      z
        .strictObject({
          id: idOut("comment"),
          author: shown(
            z.string().nullable(),
            "Author. `null` if the account was deleted.",
            "Rasa",
          ),
          text: shown(z.string(), "What it says.", "Call back on Monday."),
          at: timeOut("Time of creation."),
          may_delete: shown(z.boolean(), "Whether you may delete it.", true),
        })
        .meta({ id: "CallComment" }),
    ),
    open: shown(
      z.boolean(),
      "Whether tags and comments can be added. `false` if the transcript was deleted.",
      true,
    ),
  }),
});

export const addCallTag = contract({
  operationId: "addCallTag",
  at: "POST /calls/{uuid}/tags",
  noun: "call",
  tag,
  summary: "Tag a call",
  description: `An existing tag of the company keeps its spelling. At most ${TAGS_OF_CALL_MAX} tags per call.`,
  body: CallTag,
  reply: okReply({ tags: tagsOut }),
  errors: ["conflict"],
});

export const removeCallTag = contract({
  operationId: "removeCallTag",
  at: "POST /calls/{uuid}/tags/remove",
  noun: "call",
  tag,
  summary: "Remove a tag from a call",
  body: CallTag,
  reply: okReply({ tags: tagsOut }),
  errors: ["conflict"],
});

export const addCallComment = contract({
  operationId: "addCallComment",
  at: "POST /calls/{uuid}/comments",
  noun: "call",
  tag,
  summary: "Comment on a call",
  body: z
    .strictObject({ text: filled(COMMENT_MAX, "The comment.", "Call back on Monday.") })
    .meta({ id: "NewCallComment" }),
  reply: okReply({}),
  errors: ["conflict"],
});

export const deleteCallComment = contract({
  operationId: "deleteCallComment",
  at: "DELETE /call-comments/{id}",
  noun: "comment",
  tag,
  summary: "Delete a comment",
  description: "Only the author and owners can delete a comment.",
  reply: deletedReply(),
});

const annotatorOf = (request: ApiRequest) => {
  const { user, role } = sessionOf(request);
  return { userId: user.id, isOwner: role === "owner" };
};

export const callAnnotationRoutes = ({ dependencies }: ProductContext) => {
  const { callAnnotations } = dependencies.services;
  return [
    route(listCallTags)(async ({ tenantId }) => ({
      ok: true,
      tags: await callAnnotations.tagsInUse(tenantId),
    })),
    route(getCallAnnotations)(async (request) => {
      const { tenantId, params } = request;
      const found = await callAnnotations.of(tenantId, params.uuid, annotatorOf(request));
      return {
        ok: true,
        tags: found.tags,
        comments: found.comments.map(({ id, author, text, createdAt, mayDelete }) => ({
          id,
          author,
          text,
          at: isoUtc(createdAt),
          may_delete: mayDelete,
        })),
        open: found.isOpen,
      };
    }),
    route(addCallTag)(async ({ tenantId, params, body }) => ({
      ok: true,
      tags: await callAnnotations.addTag(tenantId, params.uuid, body.tag),
    })),
    route(removeCallTag)(async ({ tenantId, params, body }) => ({
      ok: true,
      tags: await callAnnotations.removeTag(tenantId, params.uuid, body.tag),
    })),
    route(addCallComment)(async (request) => {
      const { tenantId, params, body } = request;
      const { userId } = annotatorOf(request);
      await callAnnotations.addComment(tenantId, params.uuid, userId, body.text);
      return { ok: true };
    }),
    route(deleteCallComment)(async (request) => {
      const { tenantId, params } = request;
      await callAnnotations.removeComment(tenantId, params.id, annotatorOf(request));
      return { ok: true, id: params.id, deleted: true };
    }),
  ];
};
