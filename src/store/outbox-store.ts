/** Events and their outbox: who still has to be told what, under which lease. */
import { and, asc, eq, gt, inArray, isNull, lte, min, notInArray, or, sql } from "drizzle-orm";
import type { EventStore, OutboxStore, Subscriber } from "../webhook/stores.ts";
import type { Queries } from "./database.ts";
import { events, legacyEndpoints, outbox, webhooks } from "./schema/outbox.ts";

const sentTo = ({ webhookId, legacyUrl }: Subscriber) =>
  webhookId === null
    ? and(isNull(outbox.webhookId), eq(outbox.legacyUrl, legacyUrl ?? ""))
    : eq(outbox.webhookId, webhookId);

/** An earlier event of the same call is under way to the same endpoint. */
const overtakes = (nowMs: number) => sql`EXISTS (
  SELECT 1 FROM events AS earlier_event
  JOIN outbox AS earlier ON earlier.event_id = earlier_event.id
  WHERE earlier_event.call_uuid = ${events.callUuid}
    AND earlier.id < ${outbox.id} AND earlier.status = 'pending' AND earlier.lease_until > ${nowMs}
    AND earlier.webhook_id IS ${outbox.webhookId} AND earlier.legacy_url IS ${outbox.legacyUrl})`;

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
          failingSince: sql<number | null>`coalesce(${webhooks.failingSince},
            ${legacyEndpoints.failingSince})`,
        })
        .from(outbox)
        .innerJoin(events, eq(events.id, outbox.eventId))
        .leftJoin(webhooks, eq(webhooks.id, outbox.webhookId))
        .leftJoin(
          legacyEndpoints,
          and(
            eq(legacyEndpoints.tenantId, outbox.tenantId),
            eq(legacyEndpoints.url, outbox.legacyUrl),
          ),
        )
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
            isNull(legacyEndpoints.disabledReason),
            sql`NOT ${overtakes(nowMs)}`,
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

    async abandon(tenantId, subscriber) {
      await queries
        .update(outbox)
        .set({ status: "failed", nextAttemptAt: null })
        .where(
          and(
            eq(outbox.tenantId, tenantId),
            sentTo(subscriber),
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
