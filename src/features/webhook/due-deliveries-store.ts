/**
 * The queries of the delivery claim.
 *
 * A small number of due deliveries is found by time, even if many endpoints wait for a retry. A large number
 * may be the backlog of dead endpoints. Then the oldest deliveries are found endpoint by endpoint, until
 * there are enough, so that no backlog is read.
 */
import { and, count, eq, isNull, or, type SQL, sql } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import { arg, statement } from "../../store/query/prepared.ts";
import { events, legacyEndpoints, outbox, webhooks } from "../../store/schema/outbox.ts";
import type { BacklogCheck, Busy, Claim, Due } from "./stores.ts";

/** More due deliveries count as a large backlog. */
const LITTLE_MAX = 64;

const nowMs = arg("nowMs");
const failingSince = sql<number | null>`coalesce(${webhooks.failingSince},
  ${legacyEndpoints.failingSince})`;
const isDue = sql`ready.status = 'pending' AND ready.next_attempt_at <= ${nowMs}
  AND coalesce(ready.lease_until, 0) <= ${nowMs}`;

/**
 * Without the hint, SQLite's planner reads all pending deliveries: its statistics do not cover a dead
 * endpoint.
 */
const KINDS = {
  webhook: {
    column: sql.raw("webhook_id"),
    index: sql.raw("outbox_ready_webhook"),
    after: arg("afterWebhook"),
    busy: sql`(SELECT value FROM json_each(${arg("busyWebhooks")}))`,
  },
  legacy: {
    column: sql.raw("legacy_url"),
    index: sql.raw("outbox_ready_legacy"),
    after: arg("afterUrl"),
    busy: sql`(SELECT value FROM json_each(${arg("busyUrls")}))`,
  },
} as const;
type Kind = (typeof KINDS)[keyof typeof KINDS];

/**
 * Every endpoint after the given one with a pending delivery, found by skipping through its index (a loose
 * index scan).
 */
const waitingEndpoints = ({ column, index, after }: Kind) => sql`
  SELECT min(${column}) FROM outbox INDEXED BY ${index}
  WHERE status = 'pending' AND ${column} IS NOT NULL AND ${column} > ${after}
  UNION ALL
  SELECT (SELECT min(${column}) FROM outbox INDEXED BY ${index}
    WHERE status = 'pending' AND ${column} IS NOT NULL AND ${column} > endpoint.name)
  FROM endpoint WHERE endpoint.name IS NOT NULL`;

/** True if an earlier event of the same call is being sent to the same endpoint. */
const overtakes = sql`EXISTS (
  SELECT 1 FROM events AS own
  CROSS JOIN events AS other INDEXED BY events_call ON other.call_uuid = own.call_uuid
  CROSS JOIN outbox AS earlier INDEXED BY outbox_event ON earlier.event_id = other.id
  WHERE own.id = ready.event_id AND earlier.id < ready.id AND earlier.status = 'pending'
    AND earlier.lease_until > ${nowMs}
    AND earlier.webhook_id IS ready.webhook_id AND earlier.legacy_url IS ready.legacy_url)`;

const oldestOf = (kind: Kind) => sql`
  SELECT oldest.value AS id, 1 AS isFree FROM (
    WITH RECURSIVE endpoint(name) AS (${waitingEndpoints(kind)}) SELECT name FROM endpoint
  ) AS endpoint CROSS JOIN json_each((
    SELECT json_group_array(id) FROM (
      SELECT ready.id FROM outbox AS ready INDEXED BY ${kind.index}
      WHERE ready.${kind.column} = endpoint.name AND ${isDue} AND NOT ${overtakes}
      ORDER BY ready.next_attempt_at, ready.id LIMIT ${arg("each")}))) AS oldest
  WHERE endpoint.name NOT IN ${kind.busy}`;

/** Due deliveries, oldest first, with whether each may be sent. */
const oldestOfAll = sql`
  SELECT ready.id, NOT ${overtakes} AND CASE WHEN ready.webhook_id IS NULL
    THEN ready.legacy_url NOT IN ${KINDS.legacy.busy}
    ELSE ready.webhook_id NOT IN ${KINDS.webhook.busy} END AS isFree
  FROM outbox AS ready INDEXED BY outbox_due WHERE ${isDue}
  ORDER BY ready.next_attempt_at, ready.id LIMIT ${sql.raw(String(LITTLE_MAX))}`;

const isSendable = sql<number>`(${and(
  or(isNull(outbox.webhookId), eq(webhooks.enabled, true)),
  isNull(legacyEndpoints.disabledReason),
  or(eq(arg("busyFailing"), 0), isNull(failingSince)),
)})`;

const deliveriesOf = (queries: Queries, candidates: SQL) =>
  queries
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
      failingSince,
      isSendable: sql<number>`ready.isFree AND ${isSendable}`.as("isSendable"),
    })
    .from(sql`(${candidates}) AS ready`)
    .crossJoin(outbox)
    .innerJoin(events, eq(events.id, outbox.eventId))
    .leftJoin(webhooks, eq(webhooks.id, outbox.webhookId))
    .leftJoin(
      legacyEndpoints,
      and(eq(legacyEndpoints.tenantId, outbox.tenantId), eq(legacyEndpoints.url, outbox.legacyUrl)),
    );

const IS_READY = sql`${outbox.id} = ready.id`;
const dueByTime = statement((queries) =>
  deliveriesOf(queries, oldestOfAll).where(IS_READY).prepare(),
);
const dueByEndpoint = statement((queries) =>
  deliveriesOf(queries, sql`${oldestOf(KINDS.webhook)} UNION ALL ${oldestOf(KINDS.legacy)}`)
    .where(and(IS_READY, isSendable))
    .limit(arg("limit"))
    .prepare(),
);

/** Number of the oldest due deliveries, and whether one of them may be sent. */
const lookByTime = statement((queries) => {
  const found = deliveriesOf(queries, oldestOfAll).where(IS_READY).as("found");
  const looked = { count: count(), isAny: sql<number | null>`max(${found.isSendable})` };
  return queries.select(looked).from(found).prepare();
});

const excluded = (nowMs: number, busy: Busy) => ({
  nowMs,
  busyFailing: busy.failing ? 1 : 0,
  busyWebhooks: JSON.stringify(busy.webhookIds),
  busyUrls: JSON.stringify(busy.legacyUrls),
});

export async function dueDeliveries(
  queries: Queries,
  nowMs: number,
  { busy, limit, each, after, isCrowd }: Claim,
): Promise<Due> {
  const args = excluded(nowMs, busy);
  const found = isCrowd ? null : await dueByTime(queries).all(args);
  if (found && found.length < LITTLE_MAX) {
    const deliveries = found.filter((delivery) => delivery.isSendable).slice(0, limit);
    return { deliveries, isCrowd: false };
  }
  const deliveries = await dueByEndpoint(queries).all({
    ...args,
    limit,
    each,
    afterWebhook: after ? (after.webhookId ?? Number.MAX_SAFE_INTEGER) : 0,
    afterUrl: after?.legacyUrl ?? "",
  });
  return { deliveries, isCrowd: true };
}

export async function lookForDue(
  queries: Queries,
  nowMs: number,
  busy: Busy,
  isCrowd: boolean,
): Promise<BacklogCheck> {
  const looked = isCrowd ? null : await lookByTime(queries).get(excluded(nowMs, busy));
  if (looked && looked.count < LITTLE_MAX) return { isAny: looked.isAny === 1, isCrowd: false };
  const any = { busy, limit: 1, each: 1, after: null, isCrowd: true };
  const { deliveries } = await dueDeliveries(queries, nowMs, any);
  return { isAny: deliveries.length > 0, isCrowd: true };
}
