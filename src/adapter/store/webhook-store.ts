/**
 * Webhooks as their tenant sees them, and their delivery log. Secrets are written, never returned.
 */
import { and, asc, count, desc, eq } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import { EVENT_TYPES } from "../../domain/webhook/event-types.ts";
import type { WebhookRecord, WebhookRecords } from "../../domain/webhook/subscriptions.ts";
import { deliveries, webhooks } from "./schema/index.ts";

const COLUMNS = {
  id: webhooks.id,
  url: webhooks.url,
  events: webhooks.events,
  enabled: webhooks.enabled,
  createdAt: webhooks.createdAt,
};

const recordOf = (row: Omit<WebhookRecord, "events"> & { events: string[] }): WebhookRecord => ({
  ...row,
  events: EVENT_TYPES.filter((type) => row.events.includes(type)),
});

export function webhookStore(queries: Queries): WebhookRecords {
  const own = (tenantId: number, id: number) =>
    and(eq(webhooks.id, id), eq(webhooks.tenantId, tenantId));

  return {
    async list(tenantId) {
      const rows = await queries
        .select(COLUMNS)
        .from(webhooks)
        .where(eq(webhooks.tenantId, tenantId))
        .orderBy(asc(webhooks.id));
      return rows.map(recordOf);
    },

    async find(tenantId, id) {
      const row = await queries.select(COLUMNS).from(webhooks).where(own(tenantId, id)).get();
      return row && recordOf(row);
    },

    async count(tenantId) {
      const row = await queries
        .select({ n: count() })
        .from(webhooks)
        .where(eq(webhooks.tenantId, tenantId))
        .get();
      return row?.n ?? 0;
    },

    async insert(tenantId, webhook) {
      const [row] = await queries
        .insert(webhooks)
        .values({ ...webhook, events: [...webhook.events], tenantId, secretSealed: "" })
        .returning(COLUMNS);
      if (!row) throw new Error("insert answered no row");
      return recordOf(row);
    },

    async setSecret(tenantId, id, sealed) {
      await queries.update(webhooks).set({ secretSealed: sealed }).where(own(tenantId, id));
    },

    async remove(tenantId, id) {
      const rows = await queries
        .delete(webhooks)
        .where(own(tenantId, id))
        .returning({ id: webhooks.id });
      return rows.length > 0;
    },

    async deliveries(tenantId, id, page) {
      return await queries
        .select({
          eventId: deliveries.eventId,
          deliveryId: deliveries.id,
          type: deliveries.type,
          attempt: deliveries.attempt,
          status: deliveries.status,
          httpStatus: deliveries.httpStatus,
          durationMs: deliveries.durationMs,
          createdAt: deliveries.createdAt,
          nextAttemptAt: deliveries.nextAttemptAt,
        })
        .from(deliveries)
        .where(and(eq(deliveries.webhookId, id), eq(deliveries.tenantId, tenantId)))
        .orderBy(desc(deliveries.createdAt), desc(deliveries.attempt))
        .limit(page.limit)
        .offset(page.offset);
    },
  };
}
