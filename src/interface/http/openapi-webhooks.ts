/**
 * The `webhooks` section of the OpenAPI document: what is POSTed to a tenant's endpoint (specification 6,
 * decisions 10).
 */
import { z } from "zod";
import { shown, timeOut } from "../../core/schema.ts";
import { EVENT_TYPES, EVENTS, type EventType } from "../../domain/webhook/event-types.ts";

type Json = Record<string, unknown>;

const SENT_AT = "2026-11-21T04:05:06+00:00";

const requestHeader = (
  name: string,
  description: string,
  schema: Json,
  example: unknown,
): Json => ({ name, in: "header", required: true, description, schema, example });

const headersOf = (type: EventType): Json[] => [
  requestHeader("X-LV-Event", "Event type.", { type: "string", const: type }, type),
  requestHeader(
    "X-LV-Delivery-Id",
    "This attempt; a retry has a new one.",
    { type: "string", pattern: "^del_[0-9a-f]{32}$" },
    `del_${"0".repeat(32)}`,
  ),
  requestHeader(
    "X-LV-Timestamp",
    "Unix time in seconds. Reject what is older than five minutes.",
    { type: "string", pattern: "^[0-9]{1,12}$" },
    "1795233906",
  ),
  requestHeader(
    "X-LV-Signature",
    "`v1` is the HMAC-SHA-256 of timestamp, a dot and the raw body, keyed with the signing secret, in hex.",
    { type: "string", pattern: "^t=[0-9]{1,12},v1=[0-9a-f]{64}$" },
    `t=1795233906,v1=${"0".repeat(64)}`,
  ),
];

const envelope = (type: EventType, data: z.ZodObject) =>
  z.strictObject({
    id: shown(z.string(), "The event; the same in every retry.", `evt_${"0".repeat(32)}`),
    type: shown(z.literal(type), "Event type.", type),
    created_at: timeOut("When it happened."),
    data,
  });

/** `show` turns a schema into JSON Schema, as for the answers of the API. */
export function webhooksSection(show: (schema: z.ZodType, io: "output") => Json): Json {
  const delivery = (type: EventType): Json => {
    const { summary, since, data, example } = EVENTS[type];
    const value = {
      id: `evt_${"0".repeat(32)}`,
      type,
      created_at: SENT_AT,
      data: example,
    };
    return {
      post: {
        operationId: `on_${type.replaceAll(".", "_")}`,
        tags: ["Webhooks"],
        summary:
          since === "specification" ? summary : `${summary} (an addition to the specification)`,
        security: [],
        parameters: headersOf(type),
        requestBody: {
          required: true,
          content: {
            "application/json": { schema: show(envelope(type, data), "output"), example: value },
          },
        },
        responses: {
          "2XX": { description: "Received. Deduplicate on `id`." },
          410: { description: "Switches the webhook off." },
          default: { description: "Anything else is tried again, up to 8 times." },
        },
      },
    };
  };
  return Object.fromEntries(EVENT_TYPES.map((type) => [type, delivery(type)]));
}
