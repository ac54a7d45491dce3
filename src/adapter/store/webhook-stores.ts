/**
 * All stores of webhook delivery: subscribers and the delivery log. The health store is a separate
 * file.
 */
import { and, eq, isNotNull, isNull, sql } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import type { DeliveryStore, SubscriberStore, WebhookStores } from "../../domain/webhook/stores.ts";
import { endpointHealthStore } from "./endpoint-health-store.ts";
import { eventStore, outboxStore } from "./outbox-store.ts";
import { prepared } from "./prepared.ts";
import { agents } from "./schema/agents.ts";
import { deliveries, legacyEndpoints, webhooks } from "./schema/outbox.ts";
import { tenants } from "./schema/tenants.ts";

function subscriberStore(queries: Queries): SubscriberStore {
  return {
    ...deliveryTargets(queries),

    async webhooksFor(tenantId, type) {
      const statement = prepared(queries, "webhooks.enabled", () =>
        queries
          .select({ id: webhooks.id, events: webhooks.events })
          .from(webhooks)
          .where(
            and(eq(webhooks.tenantId, sql.placeholder("tenantId")), eq(webhooks.enabled, true)),
          )
          .orderBy(webhooks.id)
          .prepare(),
      );
      const enabled = await statement.all({ tenantId });
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
  };
}

/** The address and secret of a delivery. */
function deliveryTargets(queries: Queries): Pick<SubscriberStore, "target" | "tenantSecret"> {
  return {
    async target(tenantId, webhookId) {
      const statement = prepared(queries, "webhooks.target", () =>
        queries
          .select({
            url: webhooks.url,
            secretSealed: webhooks.secretSealed,
            enabled: webhooks.enabled,
          })
          .from(webhooks)
          .where(
            and(
              eq(webhooks.tenantId, sql.placeholder("tenantId")),
              eq(webhooks.id, sql.placeholder("webhookId")),
            ),
          )
          .prepare(),
      );
      return (await statement.get({ tenantId, webhookId })) ?? null;
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
      const statement = prepared(queries, "deliveries.insert", () =>
        queries
          .insert(deliveries)
          .values({
            tenantId: sql.placeholder("tenantId"),
            id: sql.placeholder("id"),
            outboxId: sql.placeholder("outboxId"),
            webhookId: sql.placeholder("webhookId"),
            eventId: sql.placeholder("eventId"),
            type: sql.placeholder("type"),
            attempt: sql.placeholder("attempt"),
            status: sql.placeholder("status"),
            httpStatus: sql.placeholder("httpStatus"),
            durationMs: sql.placeholder("durationMs"),
            error: sql.placeholder("error"),
            createdAt: sql.placeholder("createdAt"),
            nextAttemptAt: sql.placeholder("nextAttemptAt"),
          })
          .prepare(),
      );
      await statement.run({ tenantId, ...record });
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
