/** Webhooks (specification 4 and 6, decisions 10). */

import { z } from "zod";
import { wireOf } from "../../../core/wire-names.ts";
import { EVENT_TYPES } from "../../../domain/webhook/event-types.ts";
import { SNIPPETS } from "../../../domain/webhook/snippets/index.ts";
import type { WebhookRecord } from "../../../domain/webhook/subscriptions.ts";
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
} from "../../contracts/schema.ts";
import { contract, type Route, rawRoute, route } from "../contract.ts";
import { webhookName } from "../session/audit-details.ts";
import type { RouteContext } from "./context.ts";

export const Webhook = z
  .strictObject({
    id: idOut("webhook"),
    url: shown(z.string(), "Where events are POSTed to.", "https://example.com/hooks"),
    events: shown(z.array(z.enum(EVENT_TYPES)), "Event types it receives.", ["call.ended"]),
    enabled: shown(z.boolean(), "False: switched off after failing for days.", true),
    created_at: timeOut("When it was made."),
  })
  .meta({ id: "Webhook" });

const signingSecret = shown(z.string(), "Shown now and never again.", "0".repeat(64));

const deliveryShape = {
  event_id: shown(z.string(), "The event; the same in every retry.", `evt_${"0".repeat(32)}`),
  delivery_id: shown(z.string(), "This attempt.", `del_${"0".repeat(32)}`),
  status: shown(z.enum(["delivered", "failed"]), "2xx is delivered.", "delivered"),
  http_status: shown(z.int().nullable(), "Null: no answer.", 200),
  duration_ms: shown(z.int(), "How long it took.", 87),
};

export const TestDelivery = z
  .strictObject({
    ...deliveryShape,
    error: shown(z.string().nullable(), "Why it failed.", null),
  })
  .meta({ id: "TestDelivery" });

export const Delivery = z
  .strictObject({
    ...deliveryShape,
    type: shown(z.string(), "Event type.", "call.ended"),
    attempt: shown(z.int(), "1 is the first.", 1),
    created_at: timeOut("When it was attempted."),
    next_attempt_at: timeOrNull("When it is tried again; null: not."),
    test: shown(z.boolean(), "Sent as a test: it cannot be sent again.", false),
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
  description: "The signing secret is in this answer only.",
  body: z
    .strictObject({
      url: httpsUrl("Where to POST events."),
      events: field(z.array(z.enum(EVENT_TYPES)).min(1).max(EVENT_TYPES.length), {
        description: "Event types to receive.",
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
  summary: "Unsubscribe",
  reply: deletedReply(),
});

export const testWebhook = contract({
  operationId: "testWebhook",
  at: "POST /webhooks/{id}/test",
  weight: 5,
  noun: "webhook",
  tag: "Webhooks",
  summary: "Send a test call.ended now",
  description: "Holds no customer data. A failed delivery is a result, not an error.",
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
  description: "The old one stops at once.",
  reply: okReply({ webhook: Webhook, signing_secret: signingSecret }),
  errors: ["unknown_field"],
});

export const listDeliveries = contract({
  operationId: "listDeliveries",
  at: "GET /webhooks/{id}/deliveries",
  noun: "webhook",
  tag: "Webhooks",
  summary: "Delivery log, newest first",
  description: "Never holds the payload.",
  query: z.strictObject({ limit: page.limit(25), offset: page.offset() }),
  reply: okReply({ deliveries: z.array(Delivery) }),
  errors: ["valid_limit_required"],
});

export const resendDelivery = contract({
  operationId: "resendWebhookDelivery",
  at: "POST /webhooks/{id}/deliveries/{delivery_id}/resend",
  noun: "webhook",
  tag: "Webhooks",
  summary: "Send a logged delivery's event again",
  description: "Queued at once, with all its attempts: same event id and body, new delivery ids.",
  reply: okReply({
    event_id: shown(z.string(), "The event.", `evt_${"0".repeat(32)}`),
    status: shown(z.literal("queued"), "Under way.", "queued"),
  }),
  errors: ["conflict", "unknown_field"],
});

export const getSnippet = contract({
  operationId: "getWebhookSnippet",
  at: "GET /webhooks/snippet",
  tag: "Webhooks",
  summary: "Code that verifies a signature",
  query: z.strictObject({
    lang: choice(["php", "javascript", "python", "curl"], "Language.", "python"),
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
  description: "Prefer a webhook's own rotate-secret. The previous secret stops at once.",
  status: 201,
  reply: okReply({
    webhook_secret: shown(z.string(), "64 hex characters. Shown once.", "0".repeat(64)),
    prefix: shown(z.string(), "Its first 8 characters.", "00000000"),
    note: shown(z.string(), "What to do now.", "Store it now."),
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
