/**
 * The `webhooks` section of the OpenAPI document: events POSTed to a tenant's endpoint
 * (specification 6, decisions 10).
 */
import { z } from "zod";
import { shown, timeOut } from "../core/schema.ts";
import { EVENT_TYPES, EVENTS, type EventType } from "../features/webhook/event-types.ts";

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
    "Id of the delivery attempt. A retry has a new id.",
    { type: "string", pattern: "^del_[0-9a-f]{32}$" },
    `del_${"0".repeat(32)}`,
  ),
  requestHeader(
    "X-LV-Timestamp",
    "Time of the attempt, Unix time in seconds. Reject events older than five minutes.",
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
    id: shown(z.string(), "Id of the event, the same in every retry.", `evt_${"0".repeat(32)}`),
    type: shown(z.literal(type), "Event type.", type),
    created_at: timeOut("Time of the event."),
    data,
  });

/** `show` converts a schema into JSON Schema, as for API responses. */
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
          "2XX": { description: "The event was received. Use `id` to ignore duplicates." },
          410: { description: "The endpoint no longer exists. The webhook is switched off." },
          default: {
            description: "The delivery failed and is retried, at most 8 attempts in all.",
          },
        },
      },
    };
  };
  return Object.fromEntries(EVENT_TYPES.map((type) => [type, delivery(type)]));
}
