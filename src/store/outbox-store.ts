/** Events and their outbox: who still has to be told what, under which lease. */
import { and, asc, eq, gt, inArray, isNull, lte, min, notInArray, or } from "drizzle-orm";
import type { EventStore, OutboxStore } from "../webhook/stores.ts";
import type { Queries } from "./database.ts";
import { events, outbox, webhooks } from "./schema/outbox.ts";

export function eventStore(queries: Queries): EventStore {
  return {
    async insert(tenantId, event) {
      await queries.insert(events).values({ tenantId, ...event });
    },
  };
}

export function outboxStore(queries: Queries): OutboxStore {
  return {
    async insert(tenantId, eventId, subscriber, nowMs) {
      await queries.insert(outbox).values({
        tenantId,
        eventId,
        ...subscriber,
        status: "pending",
        attempts: 0,
        nextAttemptAt: nowMs,
        createdAt: nowMs,
      });
    },

    async due(nowMs, busy, limit) {
      return queries
        .select({
          outboxId: outbox.id,
          tenantId: outbox.tenantId,
          webhookId: outbox.webhookId,
          legacyUrl: outbox.legacyUrl,
          attempts: outbox.attempts,
          eventId: outbox.eventId,
          type: events.type,
          callUuid: events.callUuid,
          body: events.body,
          failingSince: webhooks.failingSince,
        })
        .from(outbox)
        .innerJoin(events, eq(events.id, outbox.eventId))
        .leftJoin(webhooks, eq(webhooks.id, outbox.webhookId))
        .where(
          and(
            eq(outbox.status, "pending"),
            lte(outbox.nextAttemptAt, nowMs),
            or(isNull(outbox.leaseUntil), lte(outbox.leaseUntil, nowMs)),
            or(
              isNull(outbox.webhookId),
              and(eq(webhooks.enabled, true), notInArray(outbox.webhookId, [...busy.webhookIds])),
            ),
            or(isNull(outbox.legacyUrl), notInArray(outbox.legacyUrl, [...busy.legacyUrls])),
          ),
        )
        .orderBy(asc(outbox.nextAttemptAt), asc(outbox.id))
        .limit(limit);
    },

    async lease(outboxIds, owner, untilMs) {
      await queries
        .update(outbox)
        .set({ leaseOwner: owner, leaseUntil: untilMs })
        .where(inArray(outbox.id, [...outboxIds]));
    },

    async release(outboxIds, owner) {
      await queries
        .update(outbox)
        .set({ leaseOwner: null, leaseUntil: null })
        .where(and(inArray(outbox.id, [...outboxIds]), eq(outbox.leaseOwner, owner)));
    },

    async nextDueAfter(nowMs) {
      const found = await queries
        .select({ at: min(outbox.nextAttemptAt) })
        .from(outbox)
        .where(and(eq(outbox.status, "pending"), gt(outbox.nextAttemptAt, nowMs)));
      return found[0]?.at ?? null;
    },

    async conclude(outboxId, owner, outcome) {
      const changed = await queries
        .update(outbox)
        .set({ ...outcome, leaseOwner: null, leaseUntil: null })
        .where(and(eq(outbox.id, outboxId), eq(outbox.leaseOwner, owner)))
        .returning({ id: outbox.id });
      return changed.length > 0;
    },

    async abandon(tenantId, webhookId) {
      await queries
        .update(outbox)
        .set({ status: "failed", nextAttemptAt: null })
        .where(
          and(
            eq(outbox.tenantId, tenantId),
            eq(outbox.webhookId, webhookId),
            eq(outbox.status, "pending"),
            isNull(outbox.leaseOwner),
          ),
        );
    },

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
        .set({ status: "pending", attempts: 0, nextAttemptAt: nowMs })
        .where(
          and(
            eq(outbox.tenantId, tenantId),
            eq(outbox.webhookId, webhookId),
            inArray(outbox.eventId, [...eventIds]),
            isNull(outbox.leaseOwner),
          ),
        );
    },
  };
}
