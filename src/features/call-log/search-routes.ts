/** Call list of the dashboard: with the contact's name and the summary, and a search in transcripts. */
import { z } from "zod";
import { CALL_STATUSES } from "../../core/ended-reason.ts";
import { contract, route } from "../../http/contract.ts";
import { field, okReply, page, shown, timeOrNull } from "../../http/contracts/schema.ts";
import type { ProductContext } from "../../http/dashboard-context.ts";
import { isoOrNull } from "../../http/route-present.ts";
import { tagIn } from "./annotations-routes.ts";
import type { CallSearch, FoundCall } from "./call-search.ts";
import { callFilter, dayIn, filterOf, oneOf } from "./routes.ts";
import { CallItem, presentItem } from "./shapes.ts";

export const FoundCallItem = z
  .strictObject({
    ...CallItem.shape,
    contact_name: shown(
      z.string().nullable(),
      "Name of the contact. `null` if there is none.",
      "Jonas Petraitis",
    ),
    summary: shown(
      z.string().nullable(),
      "Summary in one or two sentences. `null` if there is none.",
      "The caller asked for the hours.",
    ),
    said: shown(
      z.string().nullable(),
      "Part of the transcript that contains the search text. `null` if it was found elsewhere.",
      "What are your opening hours?",
    ),
    tags: z.array(shown(z.string(), "Tag of the call.", "Complaint")),
    has_message: shown(z.boolean(), "Whether the caller left a message.", false),
    planned_at: timeOrNull("Planned time of a waiting scheduled call. `null` for other calls."),
    duration_ms: shown(
      z.number().nullable(),
      "Time from the answer to the end in ms. `null` if the call was not answered or has not ended.",
      42_000,
    ),
    latency_p95_ms: shown(
      z.number().nullable(),
      "95th percentile of the answer latency in ms. `null` if not measured.",
      900,
    ),
  })
  .meta({ id: "FoundCall" });

const WORDS_MAX = 100;

export const callWords = field(z.string().max(WORDS_MAX), {
  description: "Search text in transcript, summary, name or number.",
  example: "opening hours",
  must: `be at most ${WORDS_MAX} characters`,
}).default("");

/** The filters of GET /calls plus those of the dashboard. */
export const foundCallFilter = {
  ...callFilter,
  status: oneOf(
    [...CALL_STATUSES, "missed"],
    "Filter: status of the call. `missed`: inbound calls in which nobody talked with the caller.",
  ),
  from: dayIn("Filter: first day of the calls.", "In the company's time zone"),
  to: dayIn("Filter: last day of the calls.", "In the company's time zone"),
  words: callWords,
  tag: tagIn("Filter: tag of the call.").optional(),
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
  summary: "Search calls, newest first, with names and summaries",
  description:
    "The first page starts with all live calls, in addition to `limit`. `words` searches all calls that match the other filters.",
  query: z.strictObject({
    limit: page.limit(25),
    offset: page.offset(),
    ...foundCallFilter,
  }),
  reply: okReply({
    calls: z.array(FoundCallItem),
    total: shown(z.int().nullable(), "Number of calls that match. `null` if not counted.", 1),
    more: shown(z.boolean(), "Whether more calls follow.", false),
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
