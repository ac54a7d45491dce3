/**
 * All stores of webhook delivery: subscribers and the delivery log. The health store is a separate
 * file.
 */
import { and, eq, inArray, isNotNull, sql } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import { arg, statement } from "../../store/query/prepared.ts";
import { deliveries, webhooks } from "../../store/schema/outbox.ts";
import { tenants } from "../../store/schema/tenants.ts";
import { endpointHealthStore } from "./endpoint-health-store.ts";
import { eventStore, outboxStore } from "./outbox-store.ts";
import type { DeliveryStore, SubscriberStore, WebhookStores } from "./stores.ts";

const TARGET = {
  url: webhooks.url,
  secretSealed: webhooks.secretSealed,
  enabled: webhooks.enabled,
};

const webhookTarget = statement((queries) =>
  queries
    .select(TARGET)
    .from(webhooks)
    .where(and(eq(webhooks.tenantId, arg("tenantId")), eq(webhooks.id, arg("webhookId"))))
    .prepare(),
);

const webhookTargets = statement((queries) =>
  queries
    .select({ ...TARGET, tenantId: webhooks.tenantId, webhookId: webhooks.id })
    .from(webhooks)
    .where(inArray(webhooks.id, sql`(SELECT value FROM json_each(${arg("ids")}))`))
    .prepare(),
);

/**
 * Inserts records from JSON, so that a group of outcomes is one statement. Columns are in the table's order.
 * Materialised, because SQLite would otherwise serialise each record's JSON again for each value.
 */
const insertDeliveryRecords = statement((queries) =>
  queries
    .insert(deliveries)
    .select(
      sql`WITH records AS MATERIALIZED (SELECT value AS record FROM json_each(${arg("records")}))
        SELECT record ->> 'id', record ->> 'tenantId', record ->> 'outboxId', record ->> 'webhookId',
          record ->> 'eventId', record ->> 'type', record ->> 'attempt', record ->> 'status',
          record ->> 'httpStatus', record ->> 'durationMs', record ->> 'error',
          record ->> 'createdAt', record ->> 'nextAttemptAt'
        FROM records`,
    )
    .prepare(),
);

/** The address and secret of a delivery. */
function subscriberStore(queries: Queries): SubscriberStore {
  return {
    async target(tenantId, webhookId) {
      return (await webhookTarget(queries).get({ tenantId, webhookId })) ?? null;
    },

    async targets(webhookIds) {
      return webhookTargets(queries).all({ ids: JSON.stringify(webhookIds) });
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
    async insertAll(records) {
      await insertDeliveryRecords(queries).run({ records: JSON.stringify(records) });
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
