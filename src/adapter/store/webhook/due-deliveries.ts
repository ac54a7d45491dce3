/**
 * The query of the delivery claim: what may be sent now, the oldest delivery of each endpoint. It
 * works endpoint by endpoint, so its cost depends on the number of endpoints with pending
 * deliveries, not on their backlog: the backlog of a dead endpoint is never read.
 */
import { and, asc, eq, inArray, isNull, or, sql } from "drizzle-orm";
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
    busy: arg("busyWebhooks"),
  },
  legacy: {
    column: sql.raw("legacy_url"),
    index: sql.raw("outbox_ready_legacy"),
    busy: arg("busyUrls"),
  },
} as const;
type Kind = (typeof KINDS)[keyof typeof KINDS];

/**
 * Every endpoint with a pending delivery, found by skipping through its index (a loose index scan).
 */
const waitingEndpoints = ({ column, index }: Kind) => sql`
  SELECT min(${column}) FROM outbox INDEXED BY ${index}
  WHERE status = 'pending' AND ${column} IS NOT NULL
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

const readyRows = (kind: Kind) => sql`(
  WITH RECURSIVE endpoint(name) AS (${waitingEndpoints(kind)})
  SELECT (
    SELECT ready.id FROM outbox AS ready INDEXED BY ${kind.index}
    WHERE ready.status = 'pending' AND ready.${kind.column} = endpoint.name
      AND ready.next_attempt_at <= ${nowMs} AND coalesce(ready.lease_until, 0) <= ${nowMs}
      AND NOT ${overtakes}
    ORDER BY ready.next_attempt_at, ready.id LIMIT 1) AS id
  FROM endpoint
  WHERE endpoint.name NOT IN (SELECT value FROM json_each(${kind.busy})))`;

/**
 * Takes `nowMs`, `limit`, the busy endpoints as JSON lists, and 1 if all failing endpoints are
 * busy.
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
    .from(outbox)
    .innerJoin(events, eq(events.id, outbox.eventId))
    .leftJoin(webhooks, eq(webhooks.id, outbox.webhookId))
    .leftJoin(
      legacyEndpoints,
      and(eq(legacyEndpoints.tenantId, outbox.tenantId), eq(legacyEndpoints.url, outbox.legacyUrl)),
    )
    .where(
      and(
        inArray(
          outbox.id,
          sql`(SELECT * FROM ${readyRows(KINDS.webhook)}
              UNION ALL SELECT * FROM ${readyRows(KINDS.legacy)})`,
        ),
        or(isNull(outbox.webhookId), eq(webhooks.enabled, true)),
        isNull(legacyEndpoints.disabledReason),
        or(eq(arg("busyFailing"), 0), isNull(failingSince)),
      ),
    )
    .orderBy(asc(outbox.nextAttemptAt), asc(outbox.id))
    .limit(arg("limit"))
    .prepare(),
);
