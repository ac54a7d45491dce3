/** Webhooks for their tenant, and their delivery log. Secrets are written, never returned. */
import { and, desc, eq, getTableColumns, isNull, sql } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import { ownedBy, ownedRows } from "../../store/query/owned-rows.ts";
import { deliveries, webhooks } from "../../store/schema/index.ts";
import { EVENT_TYPES } from "./event-types.ts";
import type { WebhookRecord, WebhookRecords } from "./subscriptions.ts";

const { tenantId, secretSealed, ...COLUMNS } = getTableColumns(webhooks);

const recordOf = (row: Omit<WebhookRecord, "events"> & { events: string[] }): WebhookRecord => ({
  ...row,
  events: EVENT_TYPES.filter((type) => row.events.includes(type)),
});

export function webhookStore(queries: Queries): WebhookRecords {
  const rows = ownedRows(queries, webhooks, COLUMNS);
  return {
    list: async (tenantId) => (await rows.list(tenantId)).map(recordOf),

    async find(tenantId, id) {
      const row = await rows.find(tenantId, id);
      return row && recordOf(row);
    },

    count: rows.count,
    remove: rows.remove,

    async insert(tenantId, webhook) {
      const values = { ...webhook, events: [...webhook.events], tenantId, secretSealed: "" };
      return recordOf(await rows.insert(values));
    },

    async setSecret(tenantId, id, sealed) {
      await queries
        .update(webhooks)
        .set({ secretSealed: sealed })
        .where(ownedBy(webhooks, tenantId, id));
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
          test: sql<number>`${isNull(deliveries.outboxId)}`.mapWith(Boolean),
        })
        .from(deliveries)
        .where(and(eq(deliveries.webhookId, id), eq(deliveries.tenantId, tenantId)))
        .orderBy(desc(deliveries.createdAt), desc(deliveries.attempt))
        .limit(page.limit)
        .offset(page.offset);
    },
  };
}
