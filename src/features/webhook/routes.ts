/** Webhooks (specification 4 and 6, decisions 10). */

import { z } from "zod";
import { wireOf } from "../../core/wire-names.ts";
import { contract, type Route, rawRoute, route } from "../../http/contract.ts";
import {
  choice,
  deletedReply,
  field,
  httpsUrl,
  idOut,
  okReply,
  page,
  shown,
  timeOrNull,
  timeOut,
} from "../../http/contracts/schema.ts";
import type { RouteContext } from "../../http/route-context.ts";
import { webhookName } from "../../http/session/audit-details.ts";
import { EVENT_TYPES } from "./event-types.ts";
import { SNIPPETS } from "./snippets/index.ts";
import type { WebhookRecord } from "./subscriptions.ts";

export const Webhook = z
  .strictObject({
    id: idOut("webhook"),
    url: shown(z.string(), "URL that receives the events.", "https://example.com/hooks"),
    events: shown(z.array(z.enum(EVENT_TYPES)), "Types of the events to send.", ["call.ended"]),
    enabled: shown(
      z.boolean(),
      "Whether events are sent. `false` after days of failures, or after the endpoint returned 410.",
      true,
    ),
    created_at: timeOut("Time of creation."),
  })
  .meta({ id: "Webhook" });

const signingSecret = shown(
  z.string(),
  "Signing secret. Shown only in this response.",
  "0".repeat(64),
);

const deliveryShape = {
  event_id: shown(z.string(), "Id of the event, the same in every retry.", `evt_${"0".repeat(32)}`),
  delivery_id: shown(z.string(), "Id of the delivery attempt, `del_…`.", `del_${"0".repeat(32)}`),
  status: shown(
    z.enum(["delivered", "failed"]),
    "Result of the attempt. `delivered` for a 2xx response.",
    "delivered",
  ),
  http_status: shown(
    z.int().nullable(),
    "HTTP status of the response. `null` if there was none.",
    200,
  ),
  duration_ms: shown(z.int(), "Duration in ms.", 87),
};

export const TestDelivery = z
  .strictObject({
    ...deliveryShape,
    error: shown(z.string().nullable(), "Reason of the failure. `null` if it succeeded.", null),
  })
  .meta({ id: "TestDelivery" });

export const Delivery = z
  .strictObject({
    ...deliveryShape,
    type: shown(z.string(), "Event type.", "call.ended"),
    attempt: shown(z.int(), "Number of the attempt, from 1.", 1),
    created_at: timeOut("Time of the attempt."),
    next_attempt_at: timeOrNull("Time of the next attempt. `null` if there is none."),
    test: shown(z.boolean(), "Whether it was a test. A test can't be sent again.", false),
  })
  .meta({ id: "Delivery" });

export const listWebhooks = contract({
  operationId: "listWebhooks",
  at: "GET /webhooks",
  tag: "Webhooks",
  summary: "List webhooks, without secrets",
  reply: okReply({ webhooks: z.array(Webhook) }),
});

export const createWebhook = contract({
  operationId: "createWebhook",
  answersSecret: true,
  audited: true,
  recordsChanges: true,
  notWhenActing: true,
  at: "POST /webhooks",
  tag: "Webhooks",
  summary: "Subscribe to events",
  description: "Only this response contains the signing secret.",
  body: z
    .strictObject({
      url: httpsUrl("URL that receives the events."),
      events: field(z.array(z.enum(EVENT_TYPES)).min(1).max(EVENT_TYPES.length), {
        description: "Types of the events to send.",
        example: ["call.ended"],
        must: `be a list of one or more of: ${EVENT_TYPES.join(", ")}`,
      }),
    })
    .meta({ id: "NewWebhook" }),
  reply: okReply({ webhook: Webhook, signing_secret: signingSecret }),
  errors: ["valid_url_required", "valid_events_required", "plan_limit_reached", "unknown_field"],
});

export const deleteWebhook = contract({
  operationId: "deleteWebhook",
  audited: true,
  at: "DELETE /webhooks/{id}",
  noun: "webhook",
  tag: "Webhooks",
  summary: "Delete a webhook",
  reply: deletedReply(),
});

export const testWebhook = contract({
  operationId: "testWebhook",
  at: "POST /webhooks/{id}/test",
  weight: 5,
  noun: "webhook",
  tag: "Webhooks",
  summary: "Send a test event",
  description:
    "Sends a `call.ended` event without customer data. If the delivery fails, the response is still 200 and contains the result.",
  reply: okReply({ delivery: TestDelivery }),
  errors: ["unknown_field"],
});

export const rotateSecret = contract({
  operationId: "rotateWebhookSecret",
  answersSecret: true,
  audited: true,
  notWhenActing: true,
  at: "POST /webhooks/{id}/rotate-secret",
  noun: "webhook",
  tag: "Webhooks",
  summary: "Replace the signing secret",
  description: "The old secret stops working at once.",
  reply: okReply({ webhook: Webhook, signing_secret: signingSecret }),
  errors: ["unknown_field"],
});

export const listDeliveries = contract({
  operationId: "listDeliveries",
  at: "GET /webhooks/{id}/deliveries",
  noun: "webhook",
  tag: "Webhooks",
  summary: "List deliveries, newest first",
  description: "Log of all delivery attempts, without their payloads.",
  query: z.strictObject({ limit: page.limit(25), offset: page.offset() }),
  reply: okReply({ deliveries: z.array(Delivery) }),
  errors: ["valid_limit_required"],
});

export const resendDelivery = contract({
  operationId: "resendWebhookDelivery",
  at: "POST /webhooks/{id}/deliveries/{delivery_id}/resend",
  noun: "webhook",
  tag: "Webhooks",
  summary: "Resend the event of a delivery",
  description:
    "Queues the event at once, with the full number of attempts. The event id and body stay the same; each attempt has a new delivery id.",
  reply: okReply({
    event_id: shown(z.string(), "Id of the event, `evt_…`.", `evt_${"0".repeat(32)}`),
    status: shown(z.literal("queued"), "Status of the request: the event is queued.", "queued"),
  }),
  errors: ["conflict", "unknown_field"],
});

export const getSnippet = contract({
  operationId: "getWebhookSnippet",
  at: "GET /webhooks/snippet",
  tag: "Webhooks",
  summary: "Code that verifies a signature",
  query: z.strictObject({
    lang: choice(
      ["php", "javascript", "python", "curl"],
      "Programming language of the code.",
      "python",
    ),
  }),
  reply: z.string(),
  replyType: "text/plain",
  errors: ["valid_lang_required"],
});

export const regenerateSecret = contract({
  operationId: "regenerateWebhookSecret",
  answersSecret: true,
  audited: true,
  notWhenActing: true,
  at: "POST /webhook-secret/regenerate",
  role: "owner",
  tag: "Webhooks",
  summary: "Replace the tenant-level secret (legacy)",
  description:
    "The previous secret stops working at once. For webhooks, use `POST /webhooks/{id}/rotate-secret` instead.",
  status: 201,
  reply: okReply({
    webhook_secret: shown(
      z.string(),
      "New secret, 64 hex characters. Shown only in this response.",
      "0".repeat(64),
    ),
    prefix: shown(z.string(), "First 8 characters of the secret.", "00000000"),
    note: shown(z.string(), "Next step for the receiver.", "Store it now."),
  }),
  errors: ["unknown_field"],
});

const present = (webhook: WebhookRecord) => wireOf(Webhook, webhook);

function webhookParts({ dependencies }: RouteContext) {
  const { services, webhookTester } = dependencies;
  const { webhooks } = services;
  return { webhookTester, webhooks, subscriptions: webhooks.subscriptions };
}

type Parts = ReturnType<typeof webhookParts>;

const subscriptionRoutes = ({ webhookTester, subscriptions }: Parts): Route[] => [
  route(createWebhook)(async ({ tenantId, body }) => {
    const { webhook, secret } = await subscriptions.create(tenantId, body);
    return { ok: true, webhook: present(webhook), signing_secret: secret };
  }),
  route(listWebhooks)(async ({ tenantId }) => ({
    ok: true,
    webhooks: (await subscriptions.list(tenantId)).map(present),
  })),
  route(deleteWebhook)(async ({ tenantId, params, note }) => {
    note({ subject: webhookName(await subscriptions.remove(tenantId, params.id)) });
    return { ok: true, id: params.id, deleted: true };
  }),
  route(testWebhook)(async ({ tenantId, params }) => {
    const result = await webhookTester.test(tenantId, params.id);
    return {
      ok: true,
      delivery: wireOf(TestDelivery, result, {
        duration_ms: Math.round(result.durationMs),
      }),
    };
  }),
  route(rotateSecret)(async ({ tenantId, params, note }) => {
    const { webhook, secret } = await subscriptions.rotate(tenantId, params.id);
    note({ subject: webhookName(webhook) });
    return { ok: true, webhook: present(webhook), signing_secret: secret };
  }),
];

const deliveryRoutes = ({ webhookTester, subscriptions }: Parts): Route[] => [
  route(listDeliveries)(async ({ tenantId, params, query }) => {
    const deliveries = await subscriptions.deliveries(tenantId, params.id, query);
    return {
      ok: true,
      deliveries: deliveries.map((delivery) => wireOf(Delivery, delivery)),
    };
  }),
  route(resendDelivery)(async ({ tenantId, params }) => {
    const { eventId } = await webhookTester.resend(tenantId, params.id, params.delivery_id);
    return { ok: true, event_id: eventId, status: "queued" };
  }),
];

const signingRoutes = ({ webhooks }: Parts): Route[] => [
  rawRoute(getSnippet)(async ({ query }) => {
    return new Response(SNIPPETS[query.lang], {
      headers: { "content-type": "text/plain; charset=utf-8" },
    });
  }),
  route(regenerateSecret)(async ({ tenantId }) => {
    const { secret, prefix } = await webhooks.replaceTenantSecret(tenantId);
    return {
      ok: true,
      webhook_secret: secret,
      prefix,
      note: "Store it now: it is not shown again. The previous secret has stopped verifying. Prefer POST /webhooks/{id}/rotate-secret.",
    };
  }),
];

export const webhookRoutes = (context: RouteContext): Route[] => {
  const parts = webhookParts(context);
  return [...subscriptionRoutes(parts), ...deliveryRoutes(parts), ...signingRoutes(parts)];
};
