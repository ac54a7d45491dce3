/** Webhooks over HTTP: subscriptions, deliveries and secrets; sending is the webhook room's. */

import { tenantStore } from "../../../adapter/store/tenant-store.ts";
import { webhookStore } from "../../../adapter/store/webhook-store.ts";
import { signingSecret } from "../../../core/ids.ts";
import { wireOf } from "../../../core/wire-names.ts";
import { SNIPPETS } from "../../../domain/webhook/snippets/index.ts";
import { Subscriptions, type WebhookRecord } from "../../../domain/webhook/subscriptions.ts";
import { tenantSecretBinding } from "../../../platform/secrets/secret-binding.ts";
import { type Route, rawRoute, route } from "../contract.ts";
import * as contracts from "../contracts/webhooks.ts";
import type { RouteContext } from "./context.ts";

const PREFIX_LENGTH = 8;

const present = (webhook: WebhookRecord) => wireOf(contracts.Webhook, webhook);

function webhookParts({ dependencies }: RouteContext) {
  const { database, billing, vault, clock, random, webhookTester, urlProblem } = dependencies;
  const subscriptions = new Subscriptions({
    database,
    records: webhookStore,
    plans: billing,
    vault,
    clock,
    random,
    urlProblem,
  });
  return { webhookTester, subscriptions, database, vault, random };
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

const signingRoutes = ({ database, vault, random }: Parts): Route[] => [
  rawRoute(contracts.getSnippet)(async ({ query }) => {
    return new Response(SNIPPETS[query.lang], {
      headers: { "content-type": "text/plain; charset=utf-8" },
    });
  }),
  route(contracts.regenerateSecret)(async ({ tenantId }) => {
    const secret = signingSecret(random);
    const prefix = secret.slice(0, PREFIX_LENGTH);
    const sealed = vault.seal(secret, tenantSecretBinding(tenantId));
    await database.tx(async (queries) => {
      await tenantStore(queries).setWebhookSecret(tenantId, sealed, prefix);
      await database.revocations.note(queries, [{ kind: "tenant_secret", tenant: tenantId }]);
    });
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
