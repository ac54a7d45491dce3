/** Events and their outbox: which subscriber still gets which event, under which lease. */
import { and, asc, eq, gt, inArray, isNull, lte, min, or, sql } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import type { EventStore, OutboxStore, Subscriber } from "../../domain/webhook/stores.ts";
import { dueStatement } from "./due-deliveries.ts";
import { prepared } from "./prepared.ts";
import { events, outbox } from "./schema/outbox.ts";

const noLease = { leaseOwner: null, leaseUntil: null };

const sentTo = ({ webhookId, legacyUrl }: Subscriber) =>
  webhookId === null
    ? and(isNull(outbox.webhookId), eq(outbox.legacyUrl, legacyUrl ?? ""))
    : eq(outbox.webhookId, webhookId);

export function eventStore(queries: Queries): EventStore {
  return {
    async insert(tenantId, event) {
      const statement = prepared(queries, "events.insert", () =>
        queries
          .insert(events)
          .values({
            tenantId: sql.placeholder("tenantId"),
            id: sql.placeholder("id"),
            type: sql.placeholder("type"),
            callUuid: sql.placeholder("callUuid"),
            body: sql.placeholder("body"),
            createdAt: sql.placeholder("createdAt"),
          })
          .prepare(),
      );
      await statement.run({ tenantId, ...event });
    },
  };
}

export function outboxStore(queries: Queries): OutboxStore {
  return {
    ...outboxQueue(queries),
    ...outboxOutcomes(queries),
    ...outboxRetries(queries),

    async insert(tenantId, eventId, subscriber, nowMs) {
      const statement = prepared(queries, "outbox.insert", () =>
        queries
          .insert(outbox)
          .values({
            tenantId: sql.placeholder("tenantId"),
            eventId: sql.placeholder("eventId"),
            webhookId: sql.placeholder("webhookId"),
            legacyUrl: sql.placeholder("legacyUrl"),
            status: "pending",
            attempts: 0,
            nextAttemptAt: sql.placeholder("nowMs"),
            createdAt: sql.placeholder("nowMs"),
          })
          .prepare(),
      );
      await statement.run({ tenantId, eventId, ...subscriber, nowMs });
    },
  };
}

/** Waiting deliveries: one node at a time attempts each. */
function outboxQueue(
  queries: Queries,
): Pick<OutboxStore, "due" | "lease" | "release" | "nextDueAfter"> {
  return {
    async due(nowMs, busy, limit) {
      return dueStatement(queries).all({
        nowMs,
        limit,
        busyFailing: busy.failing ? 1 : 0,
        busyWebhooks: JSON.stringify(busy.webhookIds),
        busyUrls: JSON.stringify(busy.legacyUrls),
      });
    },

    async lease(outboxIds, owner, untilMs) {
      const statement = prepared(queries, "outbox.lease", () =>
        queries
          .update(outbox)
          .set({
            leaseOwner: sql`${sql.placeholder("owner")}`,
            leaseUntil: sql`${sql.placeholder("untilMs")}`,
          })
          .where(inArray(outbox.id, sql`(SELECT value FROM json_each(${sql.placeholder("ids")}))`))
          .prepare(),
      );
      await statement.run({ owner, untilMs, ids: JSON.stringify(outboxIds) });
    },

    async release(outboxIds, owner) {
      await queries
        .update(outbox)
        .set(noLease)
        .where(and(inArray(outbox.id, [...outboxIds]), eq(outbox.leaseOwner, owner)));
    },

    async nextDueAfter(nowMs) {
      const found = await queries
        .select({ at: min(outbox.nextAttemptAt) })
        .from(outbox)
        .where(and(eq(outbox.status, "pending"), gt(outbox.nextAttemptAt, nowMs)));
      return found[0]?.at ?? null;
    },
  };
}

/** Results of attempts. */
function outboxOutcomes(queries: Queries): Pick<OutboxStore, "conclude" | "abandon"> {
  return {
    async conclude(outboxId, owner, outcome) {
      const statement = prepared(queries, "outbox.conclude", () =>
        queries
          .update(outbox)
          .set({
            status: sql`${sql.placeholder("status")}`,
            attempts: sql`${sql.placeholder("attempts")}`,
            nextAttemptAt: sql`${sql.placeholder("nextAttemptAt")}`,
            ...noLease,
          })
          .where(
            and(
              eq(outbox.id, sql.placeholder("outboxId")),
              eq(outbox.leaseOwner, sql.placeholder("owner")),
            ),
          )
          .returning({ id: outbox.id })
          .prepare(),
      );
      const changed = await statement.all({ ...outcome, outboxId, owner });
      return changed.length > 0;
    },

    async abandon(tenantId, subscriber) {
      await queries
        .update(outbox)
        .set({ status: "failed", nextAttemptAt: null })
        .where(
          and(eq(outbox.tenantId, tenantId), sentTo(subscriber), eq(outbox.status, "pending")),
        );
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
        .set({ ...noLease, status: "pending", attempts: 0, nextAttemptAt: nowMs })
        .where(
          and(
            eq(outbox.tenantId, tenantId),
            eq(outbox.webhookId, webhookId),
            inArray(outbox.eventId, [...eventIds]),
            or(isNull(outbox.leaseUntil), lte(outbox.leaseUntil, nowMs)),
          ),
        );
    },
  };
}
