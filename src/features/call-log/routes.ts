/** Calls (specification 2 and 4, decisions 6). */

import { z } from "zod";
import { spaceSeparatedUtc } from "../../core/clock.ts";
import { isE164 } from "../../core/e164.ts";
import { CALL_STATUSES } from "../../core/ended-reason.ts";
import { invalidField, notFound } from "../../core/errors.ts";
import { byteRange } from "../../http/byte-range.ts";
import { contract, type Route, rawRoute, route, WrittenJson } from "../../http/contract.ts";
import {
  e164In,
  field,
  filled,
  flag,
  idIn,
  okReply,
  page,
  shown,
  timeIn,
} from "../../http/contracts/schema.ts";
import type { RouteContext } from "../../http/route-context.ts";
import { CallDetail, CallItem, callUuid, presentDetail, presentItem } from "./shapes.ts";
import { createCallTexts } from "./text-response.ts";

/** `ofWhat` describes the days. */
export const dayIn = (description: string, ofWhat: string) =>
  field(z.iso.date(), {
    description: `${description} ${ofWhat}.`,
    example: "2026-11-21",
    must: "be a date like 2026-11-21",
  }).optional();

export const oneOf = <const Values extends readonly [string, ...string[]]>(
  values: Values,
  description: string,
) =>
  field(z.enum(values), {
    description,
    example: values[0],
    must: `be one of: ${values.join(", ")}`,
  }).optional();

export const callFilter = {
  agent_id: idIn("agents").optional(),
  status: oneOf(CALL_STATUSES, "Filter: status of the call."),
  direction: oneOf(["inbound", "outbound"], "Filter: direction of the call."),
  from: dayIn("Filter: first day of the calls.", "UTC"),
  to: dayIn("Filter: last day of the calls.", "UTC"),
};

export const listCalls = contract({
  operationId: "listCalls",
  at: "GET /calls",
  cacheable: true,
  tag: "Calls",
  summary: "List calls, newest first",
  description:
    "Increase `offset` to read more pages. `total` counts all records that match the filters.",
  query: z.strictObject({
    limit: page.limit(25),
    offset: page.offset(),
    ...callFilter,
  }),
  reply: okReply({
    calls: z.array(CallItem),
    total: shown(z.int(), "Number of calls that match the filters.", 1),
  }),
  errors: ["valid_limit_required", "valid_offset_required"],
});

export const getCall = contract({
  operationId: "getCall",
  at: "GET /calls/{uuid}",
  noun: "call",
  tag: "Calls",
  summary: "One call: transcript, summary, recording, costs",
  reply: okReply({ call: CallDetail }),
});

export const createCall = contract({
  operationId: "createCall",
  at: "POST /calls",
  keyScope: "calls",
  tag: "Calls",
  summary: "Place a call, now or later",
  description:
    "Without `schedule_at`, the call is placed within 60 seconds. Default of `agent_id`: the agent assigned to `from_number`, or else the tenant's only agent. If `from_number` doesn't belong to the tenant, the default caller ID is used.",
  body: z
    .strictObject({
      to_number: e164In("Number to call."),
      agent_id: idIn("agents", "Missing or `null`: the default agent.").nullable().optional(),
      from_number: e164In(
        "Caller ID: one of the tenant's numbers. Missing or `null`: the trunk's caller ID.",
      )
        .nullable()
        .optional(),
      schedule_at: field(timeIn(), {
        description:
          "Time of the call in ISO 8601, at most a year ahead. Missing or `null`: now. Without `Z` or an offset it is UTC. The format of `scheduled_at` is also accepted.",
        example: "2026-11-21T04:05:06Z",
        must: "be an ISO 8601 time, like 2026-11-21T04:05:06Z, not in the past and at most a year ahead",
      })
        .nullable()
        .optional(),
      reason: filled(
        300,
        "Reason for the call. Given to the agent if the person calls back within 14 days (callback memory).",
        "the appointment on Friday",
      ).optional(),
      sensitive: flag("Whether the reason may be given only to a recognised caller.")
        .optional()
        .meta({ default: false }),
    })
    .meta({ id: "NewCall" }),
  reply: okReply({
    status: shown(
      z.enum(["queued_immediate", "scheduled"]),
      "Whether the call was queued for now or scheduled.",
      "queued_immediate",
    ),
    call_uuid: callUuid,
    schedule_id: shown(z.int(), "Id of the schedule entry. `null` if there is none.", 1),
    from_number: shown(z.string(), "Caller ID of the call, E.164.", "+37060000001"),
    scheduled_at: shown(
      z.string().nullable(),
      "Time of the call in UTC, as `YYYY-MM-DD hh:mm:ss`. `null` if it is placed at once.",
      "2026-11-21 04:05:06",
    ),
  }),
  errors: [
    "valid_to_number_required",
    "valid_agent_id_required",
    "valid_schedule_at_required",
    "insufficient_balance",
    "plan_limit_reached",
    "destination_not_allowed",
    "not_found",
    "unknown_field",
  ],
});

const target = field(
  z
    .string()
    .max(255)
    .regex(
      /^(\+[1-9]\d{6,14}|[Ss][Ii][Pp]:([^\s@<>?",%]|%[0-9A-Fa-f]{2}){1,128}@[A-Za-z0-9.\-[\]:]{1,128})$/,
    ),
  {
    description: "Destination: an E.164 number or a SIP URI.",
    example: "+37060000003",
    must: "be a number in E.164 form or a SIP URI like sip:desk@example.com",
    reason: "transfer_to",
  },
);

export const transferCall = contract({
  operationId: "transferCall",
  at: "POST /calls/{uuid}/transfer",
  keyScope: "calls",
  noun: "call",
  tag: "Calls",
  summary: "Transfer a live call",
  description: "If the transfer fails, the caller returns to the agent.",
  body: z
    .strictObject({
      to: target,
      briefing: field(z.union([z.boolean(), z.string().trim().min(1).max(500)]), {
        description:
          "Briefing for an attended transfer, spoken to the person before the caller is connected. A text, or `true` for a summary of the call.",
        example: true,
        must: "be true, false, or a text of at most 500 characters",
      }).optional(),
    })
    .meta({ id: "Transfer" }),
  reply: okReply({
    call_uuid: callUuid,
    status: shown(
      z.literal("transferring"),
      "Status of the request: the transfer has started.",
      "transferring",
    ),
    to: shown(z.string(), "Destination of the transfer: E.164 number or SIP URI.", "+37060000003"),
  }),
  errors: [
    "valid_to_required",
    "conflict",
    "destination_not_allowed",
    "plan_limit_reached",
    "unknown_field",
  ],
});

export const hangUpCall = contract({
  operationId: "hangUpCall",
  at: "POST /calls/{uuid}/hangup",
  keyScope: "calls",
  noun: "call",
  tag: "Calls",
  summary: "End a live call",
  reply: okReply({
    call_uuid: callUuid,
    status: shown(z.enum(CALL_STATUSES), "Status of the call after the request.", "completed"),
  }),
  errors: ["conflict", "unknown_field"],
});

export const getRecording = contract({
  operationId: "getRecording",
  at: "GET /recordings/{uuid}",
  noun: "recording",
  tag: "Calls",
  summary: "Download a recording by its signed link",
  description:
    "Needs no API key. `recording_url` of a call contains the signature and expires. Range requests return 206.",
  open: true,
  query: z.strictObject({
    expires: field(z.int().positive(), {
      description: "Unix time in seconds when the link expires.",
      example: 1795233906,
      must: "be as in the signed link",
    }),
    signature: field(z.string().max(128), {
      description: "HMAC signature of the link.",
      example: "0".repeat(64),
      must: "be as in the signed link",
    }),
  }),
  reply: z.string().meta({ format: "binary" }),
  replyType: "audio/mpeg",
  errors: ["valid_expires_required", "valid_signature_required", "not_found"],
});

const DAY_MS = 86_400_000;

/** UTC days, `to` included. */
const dayStart = (day: string | undefined) => (day === undefined ? undefined : Date.parse(day));
const dayEnd = (day: string | undefined) =>
  day === undefined ? undefined : Date.parse(day) + DAY_MS;

export const filterOf = (query: z.output<z.ZodObject<typeof callFilter>>) => ({
  agentId: query.agent_id,
  status: query.status,
  direction: query.direction,
  fromMs: dayStart(query.from),
  toMs: dayEnd(query.to),
});

const callRecordRoutes = ({ dependencies, recordingLinks }: RouteContext): Route[] => {
  const { callRecords } = dependencies.services;
  const texts = createCallTexts(callRecords, (call) => JSON.stringify(presentItem(call)));
  return [
    route(listCalls)(async ({ tenantId, query }) => {
      const filter = filterOf(query);
      // With a database server, one query: the cache would cost an extra round trip.
      if (dependencies.isStoreRemote) {
        const { calls, total } = await callRecords.list(tenantId, filter, query);
        return { ok: true, calls: calls.map(presentItem), total };
      }
      const { calls, total } = await texts.page(tenantId, filter, query);
      return new WrittenJson(`{"ok":true,"calls":[${calls.join()}],"total":${total}}`);
    }),
    route(getCall)(async ({ tenantId, params }) => ({
      ok: true,
      call: presentDetail(await callRecords.conversation(tenantId, params.uuid), recordingLinks),
    })),
  ];
};

const callControlRoutes = ({ dependencies: { calls, services } }: RouteContext): Route[] => [
  route(createCall)(async ({ tenantId, body }) => {
    const { to_number: toNumber, from_number: fromNumber, schedule_at: scheduleAt } = body;
    if (!isE164(toNumber))
      throw invalidField("to_number", "`to_number` must be E.164.", { reason: "number" });
    const requested = await calls.request(tenantId, {
      toNumber,
      fromNumber: fromNumber && isE164(fromNumber) ? fromNumber : null,
      agentId: body.agent_id ?? null,
      scheduleAtMs: scheduleAt ? Date.parse(scheduleAt) : null,
      purpose:
        body.reason === undefined
          ? null
          : { reason: body.reason, sensitive: body.sensitive ?? false, origin: "api" },
    });
    const { scheduledAtMs } = requested;
    return {
      ok: true,
      status: scheduledAtMs === null ? "queued_immediate" : "scheduled",
      call_uuid: requested.callUuid,
      schedule_id: requested.scheduleId,
      from_number: requested.fromNumber,
      scheduled_at: scheduledAtMs === null ? null : spaceSeparatedUtc(scheduledAtMs),
    };
  }),
  route(transferCall)(async ({ tenantId, params, body }) => {
    const { briefing } = body;
    await calls.transfer(tenantId, params.uuid, body.to, briefing === false ? null : briefing);
    return { ok: true, call_uuid: params.uuid, status: "transferring", to: body.to };
  }),
  route(hangUpCall)(async ({ tenantId, params }) => {
    await calls.hangUp(tenantId, params.uuid);
    const { status } = await services.callRecords.get(tenantId, params.uuid);
    return { ok: true, call_uuid: params.uuid, status };
  }),
];

export const callRoutes = (context: RouteContext): Route[] => [
  ...callRecordRoutes(context),
  ...callControlRoutes(context),
];

export const recordingRoutes = ({ dependencies, recordingLinks }: RouteContext) => {
  const { services, recordings } = dependencies;

  async function pathOf(callUuid: string): Promise<string> {
    const stored = await services.callRecords.linkedRecordingFile(callUuid);
    const path = stored === null ? null : await recordings.locate(stored);
    if (path === null) throw notFound("recording");
    return path;
  }

  return [
    rawRoute(getRecording)(async ({ params, query, http }) => {
      if (!recordingLinks.verify(params.uuid, query.expires, query.signature))
        throw notFound("recording");
      return recordingResponse(await pathOf(params.uuid), params.uuid, http);
    }),
  ];
};

/** The MP3, or the requested range of it. */
export function recordingResponse(path: string, callUuid: string, request: Request): Response {
  const file = Bun.file(path);
  const etag = `"${file.size.toString(16)}.${file.lastModified.toString(16)}"`;
  const headers = {
    etag,
    "content-type": "audio/mpeg",
    "accept-ranges": "bytes",
    "cache-control": "private, no-store",
    "content-disposition": `inline; filename="${callUuid}.mp3"`,
  };
  // Ranges apply to GET only (RFC 9110, 14.2).
  const known = request.headers.get("if-range") ?? etag;
  // `If-Range` with another ETag, or with a date, requests the whole file (13.1.5).
  const isPart = request.method === "GET" && known === etag;
  const wanted = isPart ? request.headers.get("range") : null;
  const range = byteRange(wanted, file.size);
  if (range.kind === "unsatisfiable")
    return new Response(null, {
      status: 416,
      headers: { ...headers, "content-range": `bytes */${file.size}` },
    });
  if (range.kind === "whole") return new Response(file, { headers });
  return new Response(file.slice(range.start, range.end + 1, "audio/mpeg"), {
    status: 206,
    headers: { ...headers, "content-range": `bytes ${range.start}-${range.end}/${file.size}` },
  });
}
