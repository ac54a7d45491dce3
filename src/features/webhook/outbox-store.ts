/** Events and their outbox: the pending deliveries of each subscriber, with their leases. */
import {
  and,
  asc,
  eq,
  gt,
  inArray,
  isNull,
  lte,
  min,
  ne,
  or,
  type Placeholder,
  sql,
} from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import { arg, statement } from "../../store/query/prepared.ts";
import { agents } from "../../store/schema/agents.ts";
import { NO_LEASE } from "../../store/schema/columns.ts";
import { events, outbox, webhooks } from "../../store/schema/outbox.ts";
import { tenants } from "../../store/schema/tenants.ts";
import { dueDeliveries, lookForDue } from "./due-deliveries-store.ts";
import type { EventStore, OutboxStore, Subscriber } from "./stores.ts";

/** Literal text, so that SQLite uses the index of an endpoint's pending deliveries (file-queries.ts). */
const IS_PENDING = sql`${outbox.status} = 'pending'`;

const sentTo = ({ webhookId, legacyUrl }: Subscriber) =>
  webhookId === null
    ? and(isNull(outbox.webhookId), eq(outbox.legacyUrl, legacyUrl ?? ""))
    : eq(outbox.webhookId, webhookId);

const insertEvent = statement((queries) =>
  queries
    .insert(events)
    .values({
      tenantId: arg("tenantId"),
      id: arg("id"),
      type: arg("type"),
      callUuid: arg("callUuid"),
      body: arg("body"),
      createdAt: arg("createdAt"),
    })
    .prepare(),
);

/**
 * Inserts a delivery of each event for each enabled webhook that selected its type. Nothing is read first. On
 * a database server that would be a round trip, and after `finish` it would be too late to write.
 */
const deliverEvents = statement((queries) => {
  const given = sql`json_each(${arg("events")}) AS given`;
  const createdAt = sql`given.value ->> 'createdAt'`;
  const isSelected = sql`EXISTS (
    SELECT 1 FROM json_each(${webhooks.events}) AS t WHERE t.value = given.value ->> 'type')`;
  const deliveries = queries
    .select({
      id: sql`NULL`.as("id"),
      tenantId: webhooks.tenantId,
      eventId: sql`given.value ->> 'id'`.as("event_id"),
      webhookId: sql`${webhooks.id}`.as("webhook_id"),
      legacyUrl: sql`NULL`.as("legacy_url"),
      status: sql`'pending'`.as("status"),
      attempts: sql`0`.as("attempts"),
      nextAttemptAt: createdAt.as("next_attempt_at"),
      leaseOwner: sql`NULL`.as("lease_owner"),
      leaseUntil: sql`NULL`.as("lease_until"),
      createdAt: createdAt.as("created_at"),
    })
    .from(webhooks)
    .innerJoin(given, isSelected)
    .where(and(eq(webhooks.tenantId, arg("tenantId")), eq(webhooks.enabled, true)))
    .orderBy(sql`given.key`, asc(webhooks.id));
  return queries.insert(outbox).select(deliveries).prepare();
});

const findLegacyEndpoint = statement((queries) => {
  const [tenantId, agentId] = [arg("tenantId"), arg("agentId")];
  return queries
    .select({ url: agents.webhookUrl, olderVariant: tenants.legacyWebhook })
    .from(agents)
    .innerJoin(tenants, eq(tenants.id, agents.tenantId))
    .where(
      and(
        eq(agents.id, agentId),
        eq(agents.tenantId, tenantId),
        ne(agents.webhookUrl, ""),
        sql`NOT EXISTS (SELECT 1 FROM legacy_endpoints WHERE tenant_id = ${tenantId}
          AND url = ${agents.webhookUrl} AND disabled_reason IS NOT NULL)`,
      ),
    )
    .prepare();
});

const insertDelivery = statement((queries) =>
  queries
    .insert(outbox)
    .values({
      tenantId: arg("tenantId"),
      eventId: arg("eventId"),
      webhookId: arg("webhookId"),
      legacyUrl: arg("legacyUrl"),
      status: "pending",
      attempts: 0,
      nextAttemptAt: arg("nowMs"),
      createdAt: arg("nowMs"),
    })
    .prepare(),
);

const given = (ids: Placeholder) => inArray(outbox.id, sql`(SELECT value FROM json_each(${ids}))`);

const leaseDeliveries = statement((queries) =>
  queries
    .update(outbox)
    .set({
      leaseOwner: sql`${arg("owner")}`,
      leaseUntil: sql`${arg("untilMs")}`,
    })
    .where(given(arg("ids")))
    .prepare(),
);

const concludeDelivery = statement((queries) =>
  queries
    .update(outbox)
    .set({
      status: sql`${arg("status")}`,
      attempts: sql`${arg("attempts")}`,
      nextAttemptAt: sql`${arg("nextAttemptAt")}`,
      ...NO_LEASE,
    })
    .where(and(eq(outbox.id, arg("outboxId")), eq(outbox.leaseOwner, arg("owner"))))
    .returning({ id: outbox.id })
    .prepare(),
);

const concludeDelivered = statement((queries) =>
  queries
    .update(outbox)
    .set({
      status: "delivered",
      nextAttemptAt: null,
      ...NO_LEASE,
      attempts: sql`${outbox.attempts} + 1`,
    })
    .where(and(given(arg("ids")), eq(outbox.leaseOwner, arg("owner"))))
    .returning({ id: outbox.id })
    .prepare(),
);

const nextDelivery = statement((queries) =>
  queries
    .select({ at: min(outbox.nextAttemptAt) })
    .from(outbox)
    .where(and(eq(outbox.status, "pending"), gt(outbox.nextAttemptAt, arg("nowMs"))))
    .prepare(),
);

export function eventStore(queries: Queries): EventStore {
  return {
    async insert(tenantId, event) {
      await insertEvent(queries).run({ tenantId, ...event });
    },

    async deliver(tenantId, stored) {
      const events = JSON.stringify(stored.map(({ body, ...event }) => event));
      await deliverEvents(queries).run({ tenantId, events });
    },

    async legacyEndpoint(tenantId, agentId) {
      const row = await findLegacyEndpoint(queries).get({ tenantId, agentId });
      return row?.url ? { url: row.url, olderVariant: row.olderVariant } : null;
    },
  };
}

export function outboxStore(queries: Queries): OutboxStore {
  return {
    ...outboxQueue(queries),
    ...outboxOutcomes(queries),
    ...outboxRetries(queries),

    async insert(tenantId, eventId, subscriber, nowMs) {
      await insertDelivery(queries).run({ tenantId, eventId, ...subscriber, nowMs });
    },
  };
}

/** Waiting deliveries: one node at a time attempts each. */
function outboxQueue(
  queries: Queries,
): Pick<OutboxStore, "due" | "look" | "lease" | "release" | "nextDueAfter"> {
  return {
    due: (nowMs, claim) => dueDeliveries(queries, nowMs, claim),

    look: (nowMs, busy, isCrowd) => lookForDue(queries, nowMs, busy, isCrowd),

    async lease(outboxIds, owner, untilMs) {
      await leaseDeliveries(queries).run({ owner, untilMs, ids: JSON.stringify(outboxIds) });
    },

    async release(outboxIds, owner) {
      await queries
        .update(outbox)
        .set(NO_LEASE)
        .where(and(inArray(outbox.id, outboxIds), eq(outbox.leaseOwner, owner)));
    },

    async nextDueAfter(nowMs) {
      return (await nextDelivery(queries).get({ nowMs }))?.at ?? null;
    },
  };
}

/** Results of attempts. */
function outboxOutcomes(
  queries: Queries,
): Pick<OutboxStore, "conclude" | "concludeDelivered" | "abandon"> {
  return {
    async conclude(outboxId, owner, outcome) {
      const changed = await concludeDelivery(queries).all({ ...outcome, outboxId, owner });
      return changed.length > 0;
    },

    async concludeDelivered(outboxIds, owner) {
      const ids = JSON.stringify(outboxIds);
      const held = await concludeDelivered(queries).all({ ids, owner });
      return held.map(({ id }) => id);
    },

    async abandon(tenantId, subscriber) {
      await queries
        .update(outbox)
        .set({ status: "failed", nextAttemptAt: null })
        .where(and(eq(outbox.tenantId, tenantId), sentTo(subscriber), IS_PENDING));
    },
  };
}

/** Failed deliveries, sent again on request. */
function outboxRetries(queries: Queries): Pick<OutboxStore, "failedEvents" | "restart"> {
  return {
    async failedEvents(tenantId, webhookId, limit) {
      const found = await queries
        .select({ eventId: outbox.eventId })
        .from(outbox)
        .where(
          and(
            eq(outbox.tenantId, tenantId),
            eq(outbox.webhookId, webhookId),
            eq(outbox.status, "failed"),
          ),
        )
        .orderBy(asc(outbox.id))
        .limit(limit);
      return found.map((row) => row.eventId);
    },

    async restart(tenantId, webhookId, eventIds, nowMs) {
      await queries
        .update(outbox)
        .set({ ...NO_LEASE, status: "pending", attempts: 0, nextAttemptAt: nowMs })
        .where(
          and(
            eq(outbox.tenantId, tenantId),
            eq(outbox.webhookId, webhookId),
            inArray(outbox.eventId, eventIds),
            or(isNull(outbox.leaseUntil), lte(outbox.leaseUntil, nowMs)),
          ),
        );
    },
  };
}
