/** Webhooks over HTTP: subscriptions, deliveries and secrets; sending is the webhook room's. */

import { wireOf } from "../../../core/wire-names.ts";
import { SNIPPETS } from "../../../domain/webhook/snippets/index.ts";
import type { WebhookRecord } from "../../../domain/webhook/subscriptions.ts";
import { type Route, rawRoute, route } from "../contract.ts";
import * as contracts from "../contracts/webhooks.ts";
import type { RouteContext } from "./context.ts";

const present = (webhook: WebhookRecord) => wireOf(contracts.Webhook, webhook);

function webhookParts({ dependencies }: RouteContext) {
  const { services, webhookTester } = dependencies;
  const { webhooks } = services;
  return { webhookTester, webhooks, subscriptions: webhooks.subscriptions };
}

type Parts = ReturnType<typeof webhookParts>;

const subscriptionRoutes = ({ webhookTester, subscriptions }: Parts): Route[] => [
  route(contracts.createWebhook)(async ({ tenantId, body }) => {
    const { webhook, secret } = await subscriptions.create(tenantId, body);
    return { ok: true, webhook: present(webhook), signing_secret: secret };
  }),
  route(contracts.listWebhooks)(async ({ tenantId }) => ({
    ok: true,
    webhooks: (await subscriptions.list(tenantId)).map(present),
  })),
  route(contracts.deleteWebhook)(async ({ tenantId, params }) => {
    await subscriptions.remove(tenantId, params.id);
    return { ok: true, id: params.id, deleted: true };
  }),
  route(contracts.testWebhook)(async ({ tenantId, params }) => {
    const result = await webhookTester.test(tenantId, params.id);
    return {
      ok: true,
      delivery: wireOf(contracts.TestDelivery, result, {
        duration_ms: Math.round(result.durationMs),
      }),
    };
  }),
  route(contracts.rotateSecret)(async ({ tenantId, params }) => {
    const { webhook, secret } = await subscriptions.rotate(tenantId, params.id);
    return { ok: true, webhook: present(webhook), signing_secret: secret };
  }),
];

const deliveryRoutes = ({ webhookTester, subscriptions }: Parts): Route[] => [
  route(contracts.listDeliveries)(async ({ tenantId, params, query }) => {
    const deliveries = await subscriptions.deliveries(tenantId, params.id, query);
    return {
      ok: true,
      deliveries: deliveries.map((delivery) => wireOf(contracts.Delivery, delivery)),
    };
  }),
  route(contracts.resendDelivery)(async ({ tenantId, params }) => {
    const { eventId } = await webhookTester.resend(tenantId, params.id, params.delivery_id);
    return { ok: true, event_id: eventId, status: "queued" };
  }),
];

const signingRoutes = ({ webhooks }: Parts): Route[] => [
  rawRoute(contracts.getSnippet)(async ({ query }) => {
    return new Response(SNIPPETS[query.lang], {
      headers: { "content-type": "text/plain; charset=utf-8" },
    });
  }),
  route(contracts.regenerateSecret)(async ({ tenantId }) => {
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
