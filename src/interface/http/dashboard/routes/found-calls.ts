/** Call list of the dashboard: with the contact's name and the summary, and a search in transcripts. */
import { z } from "zod";
import { CALL_STATUSES } from "../../../../core/ended-reason.ts";
import type { CallSearch, FoundCall } from "../../../../operations/admin/call-search.ts";
import { field, okReply, page, shown, timeOrNull } from "../../../contracts/schema.ts";
import { contract, route } from "../../contract.ts";
import { CallItem, presentItem } from "../../routes/call-shapes.ts";
import { callFilter, dayIn, filterOf, oneOf } from "../../routes/calls.ts";
import { isoOrNull } from "../../routes/present.ts";
import { tagIn } from "./call-annotations.ts";
import type { ProductContext } from "./context.ts";

export const FoundCallItem = z
  .strictObject({
    ...CallItem.shape,
    contact_name: shown(
      z.string().nullable(),
      "Name of the contact; null: none.",
      "Jonas Petraitis",
    ),
    summary: shown(
      z.string().nullable(),
      "One or two sentences.",
      "The caller asked for the hours.",
    ),
    said: shown(
      z.string().nullable(),
      "What was said around the words that were looked for.",
      "What are your opening hours?",
    ),
    tags: z.array(shown(z.string(), "A tag that the company's people gave it.", "Complaint")),
    has_message: shown(z.boolean(), "Whether the caller left a message.", false),
    planned_at: timeOrNull("When a scheduled call that waits is placed; null: of others."),
    duration_ms: shown(
      z.number().nullable(),
      "From the answer to the end; null: not answered, or not ended.",
      42_000,
    ),
    latency_p95_ms: shown(z.number().nullable(), "95th percentile of the agent's turns.", 900),
  })
  .meta({ id: "FoundCall" });

const WORDS_MAX = 100;

export const callWords = field(z.string().max(WORDS_MAX), {
  description: "Only calls in which this was said, or whose summary, name or number has it.",
  example: "opening hours",
  must: `be at most ${WORDS_MAX} characters`,
}).default("");

/** The filters of GET /calls plus those of the dashboard. */
export const foundCallFilter = {
  ...callFilter,
  status: oneOf(
    [...CALL_STATUSES, "missed"],
    "Only calls in this state; `missed`: that came in, and in which nobody talked with the caller.",
  ),
  from: dayIn("Only calls of this day or later.", "In the company's time zone"),
  to: dayIn("Only calls of this day or earlier.", "In the company's time zone"),
  words: callWords,
  tag: tagIn("Only calls with this tag.").optional(),
};

export async function foundFilterOf(
  callSearch: Pick<CallSearch, "span">,
  tenantId: number,
  { status, ...query }: z.output<z.ZodObject<typeof foundCallFilter>>,
) {
  return {
    ...filterOf({ ...query, status: status === "missed" ? undefined : status }),
    ...(await callSearch.span(tenantId, query)),
    ...(status === "missed" ? { missed: true as const } : {}),
    tag: query.tag,
  };
}

export const findCalls = contract({
  operationId: "findCalls",
  at: "GET /calls",
  tag: "Calls",
  summary: "Calls, newest first, with names and summaries; found by words",
  description:
    "The first page begins with all live calls, beyond the limit. Words are looked for in all calls that the other filters let through.",
  query: z.strictObject({
    limit: page.limit(25),
    offset: page.offset(),
    ...foundCallFilter,
  }),
  reply: okReply({
    calls: z.array(FoundCallItem),
    total: shown(z.int().nullable(), "All that match; null: not counted.", 1),
    more: shown(z.boolean(), "There are others after these.", false),
  }),
  errors: ["valid_limit_required", "valid_offset_required"],
});

/** Computed from exact times: the REST API rounds to seconds, so a difference could be one second off. */
export const durationOf = ({ answeredAt, endedAt }: Pick<FoundCall, "answeredAt" | "endedAt">) =>
  answeredAt === null || endedAt === null ? null : endedAt - answeredAt;

export const presentFound = (call: FoundCall) => ({
  ...presentItem(call),
  duration_ms: durationOf(call),
  contact_name: call.contactName,
  summary: call.summary,
  said: call.said,
  latency_p95_ms: call.latencyP95Ms,
  tags: [...call.tags],
  has_message: call.hasMessage,
  planned_at: isoOrNull(call.plannedAt),
});

export const foundCallRoutes = ({ dependencies: { services } }: ProductContext) => [
  route(findCalls)(async ({ tenantId, query }) => {
    const { limit, offset, words } = query;
    const filter = await foundFilterOf(services.callSearch, tenantId, query);
    const found = await services.callSearch.find(tenantId, filter, words, { limit, offset });
    return { ...found, ok: true, calls: found.calls.map(presentFound) };
  }),
];
