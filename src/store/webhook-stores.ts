/** All stores of webhook delivery: subscribers and their health, the delivery log. */
import { and, eq, isNotNull, sql } from "drizzle-orm";
import type {
  DeliveryStore,
  SubscriberStore,
  WebhookHealthStore,
  WebhookStores,
} from "../webhook/stores.ts";
import type { Queries } from "./database.ts";
import { eventStore, outboxStore } from "./outbox-store.ts";
import { agents } from "./schema/agents.ts";
import { deliveries, webhooks } from "./schema/outbox.ts";
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
        .where(and(eq(agents.tenantId, tenantId), eq(agents.id, agentId)));
      const agent = found[0];
      return agent?.url ? { url: agent.url, olderVariant: agent.olderVariant } : null;
    },

    async target(tenantId, webhookId) {
      const found = await queries
        .select({
          url: webhooks.url,
          secretSealed: webhooks.secretSealed,
          enabled: webhooks.enabled,
          failingSince: webhooks.failingSince,
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

function healthStore(queries: Queries): WebhookHealthStore {
  return {
    async succeeded(tenantId, webhookId) {
      await queries
        .update(webhooks)
        .set({ failingSince: null })
        .where(and(ofTenant(tenantId, webhookId), isNotNull(webhooks.failingSince)));
    },

    async failed(tenantId, webhookId, nowMs) {
      await queries
        .update(webhooks)
        .set({ failingSince: sql`coalesce(${webhooks.failingSince}, ${nowMs})` })
        .where(ofTenant(tenantId, webhookId));
    },

    async disable(tenantId, webhookId, reason) {
      await queries
        .update(webhooks)
        .set({ enabled: false, disabledReason: reason })
        .where(ofTenant(tenantId, webhookId));
    },
  };
}

export const webhookStores: WebhookStores = {
  events: eventStore,
  subscribers: subscriberStore,
  outbox: outboxStore,
  deliveries: deliveryStore,
  health: healthStore,
};
