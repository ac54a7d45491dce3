/**
 * The query of the delivery claim: what may be sent now, the oldest deliveries of each endpoint. It
 * goes from endpoint to endpoint and ends when it has found enough, so its cost depends on what it
 * finds and not on the backlog: the backlog of a dead endpoint is never read.
 */
import { and, eq, isNull, or, sql } from "drizzle-orm";
import { arg, statement } from "../query/prepared.ts";
import { events, legacyEndpoints, outbox, webhooks } from "../schema/outbox.ts";

const nowMs = arg("nowMs");
const failingSince = sql<number | null>`coalesce(${webhooks.failingSince},
  ${legacyEndpoints.failingSince})`;

/**
 * Without the hint, SQLite's planner reads everything pending: its statistics do not cover a dead
 * endpoint.
 */
const KINDS = {
  webhook: {
    column: sql.raw("webhook_id"),
    index: sql.raw("outbox_ready_webhook"),
    after: arg("afterWebhook"),
    busy: arg("busyWebhooks"),
  },
  legacy: {
    column: sql.raw("legacy_url"),
    index: sql.raw("outbox_ready_legacy"),
    after: arg("afterUrl"),
    busy: arg("busyUrls"),
  },
} as const;
type Kind = (typeof KINDS)[keyof typeof KINDS];

/**
 * Every endpoint behind the given one with a pending delivery, found by skipping through its index
 * (a loose index scan).
 */
const waitingEndpoints = ({ column, index, after }: Kind) => sql`
  SELECT min(${column}) FROM outbox INDEXED BY ${index}
  WHERE status = 'pending' AND ${column} IS NOT NULL AND ${column} > ${after}
  UNION ALL
  SELECT (SELECT min(${column}) FROM outbox INDEXED BY ${index}
    WHERE status = 'pending' AND ${column} IS NOT NULL AND ${column} > endpoint.name)
  FROM endpoint WHERE endpoint.name IS NOT NULL`;

/** An earlier event of the same call is being sent to the same endpoint. */
const overtakes = sql`EXISTS (
  SELECT 1 FROM events AS own
  CROSS JOIN events AS other INDEXED BY events_call ON other.call_uuid = own.call_uuid
  CROSS JOIN outbox AS earlier INDEXED BY outbox_event ON earlier.event_id = other.id
  WHERE own.id = ready.event_id AND earlier.id < ready.id AND earlier.status = 'pending'
    AND earlier.lease_until > ${nowMs}
    AND earlier.webhook_id IS ready.webhook_id AND earlier.legacy_url IS ready.legacy_url)`;

const readyRows = (kind: Kind) => sql`
  SELECT oldest.value AS id FROM (
    WITH RECURSIVE endpoint(name) AS (${waitingEndpoints(kind)}) SELECT name FROM endpoint
  ) AS endpoint CROSS JOIN json_each((
    SELECT json_group_array(id) FROM (
      SELECT ready.id FROM outbox AS ready INDEXED BY ${kind.index}
      WHERE ready.status = 'pending' AND ready.${kind.column} = endpoint.name
        AND ready.next_attempt_at <= ${nowMs} AND coalesce(ready.lease_until, 0) <= ${nowMs}
        AND NOT ${overtakes}
      ORDER BY ready.next_attempt_at, ready.id LIMIT ${arg("each")}))) AS oldest
  WHERE endpoint.name NOT IN (SELECT value FROM json_each(${kind.busy}))`;

/**
 * Takes `nowMs`, `limit` and how many of `each` endpoint, behind which endpoints, the busy ones as JSON
 * lists, and 1 if all failing endpoints are busy. Endpoint by endpoint, the oldest of each first.
 */
export const dueStatement = statement((queries) =>
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
    })
    .from(sql`(${readyRows(KINDS.webhook)} UNION ALL ${readyRows(KINDS.legacy)}) AS ready`)
    .crossJoin(outbox)
    .innerJoin(events, eq(events.id, outbox.eventId))
    .leftJoin(webhooks, eq(webhooks.id, outbox.webhookId))
    .leftJoin(
      legacyEndpoints,
      and(eq(legacyEndpoints.tenantId, outbox.tenantId), eq(legacyEndpoints.url, outbox.legacyUrl)),
    )
    .where(
      and(
        sql`${outbox.id} = ready.id`,
        or(isNull(outbox.webhookId), eq(webhooks.enabled, true)),
        isNull(legacyEndpoints.disabledReason),
        or(eq(arg("busyFailing"), 0), isNull(failingSince)),
      ),
    )
    .limit(arg("limit"))
    .prepare(),
);
