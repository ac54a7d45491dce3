/** All stores of webhook delivery: subscribers, the delivery log; health is in a file of its own. */
import { and, eq, isNotNull, isNull } from "drizzle-orm";
import type { DeliveryStore, SubscriberStore, WebhookStores } from "../webhook/stores.ts";
import type { Queries } from "./database.ts";
import { endpointHealthStore } from "./endpoint-health-store.ts";
import { eventStore, outboxStore } from "./outbox-store.ts";
import { agents } from "./schema/agents.ts";
import { deliveries, legacyEndpoints, webhooks } from "./schema/outbox.ts";
import { tenants } from "./schema/tenants.ts";

const ofTenant = (tenantId: number, webhookId: number) =>
  and(eq(webhooks.tenantId, tenantId), eq(webhooks.id, webhookId));

function subscriberStore(queries: Queries): SubscriberStore {
  return {
    async webhooksFor(tenantId, type) {
      const enabled = await queries
        .select({ id: webhooks.id, events: webhooks.events })
        .from(webhooks)
        .where(and(eq(webhooks.tenantId, tenantId), eq(webhooks.enabled, true)))
        .orderBy(webhooks.id);
      return enabled.filter(({ events }) => events.includes(type)).map(({ id }) => id);
    },

    async legacyOf(tenantId, agentId) {
      const found = await queries
        .select({ url: agents.webhookUrl, olderVariant: tenants.legacyWebhook })
        .from(agents)
        .innerJoin(tenants, eq(tenants.id, agents.tenantId))
        .leftJoin(
          legacyEndpoints,
          and(
            eq(legacyEndpoints.tenantId, agents.tenantId),
            eq(legacyEndpoints.url, agents.webhookUrl),
          ),
        )
        .where(
          and(
            eq(agents.tenantId, tenantId),
            eq(agents.id, agentId),
            isNull(legacyEndpoints.disabledReason),
          ),
        );
      const agent = found[0];
      return agent?.url ? { url: agent.url, olderVariant: agent.olderVariant } : null;
    },

    async target(tenantId, webhookId) {
      const found = await queries
        .select({
          url: webhooks.url,
          secretSealed: webhooks.secretSealed,
          enabled: webhooks.enabled,
        })
        .from(webhooks)
        .where(ofTenant(tenantId, webhookId));
      return found[0] ?? null;
    },

    async tenantSecret(tenantId) {
      const found = await queries
        .select({ sealed: tenants.webhookSecretSealed })
        .from(tenants)
        .where(eq(tenants.id, tenantId));
      return found[0]?.sealed ?? null;
    },
  };
}

function deliveryStore(queries: Queries): DeliveryStore {
  return {
    async insert(tenantId, record) {
      await queries.insert(deliveries).values({ tenantId, ...record });
    },

    async eventOf(tenantId, webhookId, deliveryId) {
      const found = await queries
        .select({ eventId: deliveries.eventId })
        .from(deliveries)
        .where(
          and(
            eq(deliveries.tenantId, tenantId),
            eq(deliveries.webhookId, webhookId),
            eq(deliveries.id, deliveryId),
            isNotNull(deliveries.outboxId),
          ),
        );
      return found[0]?.eventId ?? null;
    },
  };
}

export const webhookStores: WebhookStores = {
  events: eventStore,
  subscribers: subscriberStore,
  outbox: outboxStore,
  deliveries: deliveryStore,
  health: endpointHealthStore,
};
