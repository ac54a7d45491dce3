/** What an attempt changes: the log, the outbox row, the webhook's health. One transaction. */
import type { Clock } from "../core/clock.ts";
import type { Random } from "../core/random.ts";
import type { Queries } from "../store/database.ts";
import type { AttemptResult } from "./attempt.ts";
import { DISABLE_AFTER_MS, nextDelayMs } from "./retry-schedule.ts";
import type { DueDelivery, WebhookStores } from "./stores.ts";

export interface Attempted {
  readonly delivery: DueDelivery;
  /** `del_…` */
  readonly id: string;
  readonly owner: string;
  readonly startedAt: number;
  readonly result: AttemptResult;
}

/** Answers why the webhook was disabled by this attempt, or null. */
export async function writeOutcome(
  stores: WebhookStores,
  queries: Queries,
  attempted: Attempted,
  clock: Clock,
  random: Random,
): Promise<string | null> {
  const { delivery, result } = attempted;
  const nowMs = clock.now();
  const attempts = delivery.attempts + 1;
  const disabled = result.delivered
    ? null
    : await reasonToDisable(stores, queries, attempted, nowMs);
  const delayMs =
    result.delivered || result.gone || disabled !== null
      ? null
      : nextDelayMs(attempts, result.retryAfterMs, random);
  const nextAttemptAt = delayMs === null ? null : nowMs + delayMs;
  const status = result.delivered ? "delivered" : nextAttemptAt === null ? "failed" : "pending";
  const outcome = { status, attempts, nextAttemptAt } as const;
  const outbox = stores.outbox(queries);
  if (!(await outbox.conclude(delivery.outboxId, attempted.owner, outcome))) return null;
  await stores.deliveries(queries).insert(delivery.tenantId, {
    id: attempted.id,
    outboxId: delivery.outboxId,
    webhookId: delivery.webhookId,
    eventId: delivery.eventId,
    type: delivery.type,
    attempt: attempts,
    status: result.delivered ? "delivered" : "failed",
    httpStatus: result.httpStatus,
    durationMs: result.durationMs,
    error: result.error,
    createdAt: attempted.startedAt,
    nextAttemptAt,
  });
  if (delivery.webhookId === null) return null;
  const health = stores.health(queries);
  if (result.delivered) await health.succeeded(delivery.tenantId, delivery.webhookId);
  else await health.failed(delivery.tenantId, delivery.webhookId, nowMs);
  if (disabled === null) return null;
  await health.disable(delivery.tenantId, delivery.webhookId, disabled);
  await outbox.abandon(delivery.tenantId, delivery.webhookId);
  return disabled;
}

/** Health is read afresh: other deliveries to this webhook may have gone through meanwhile. */
async function reasonToDisable(
  stores: WebhookStores,
  queries: Queries,
  { delivery, result }: Attempted,
  nowMs: number,
): Promise<string | null> {
  if (delivery.webhookId === null) return null;
  if (result.gone) return "The receiver answered 410 Gone.";
  const target = await stores.subscribers(queries).target(delivery.tenantId, delivery.webhookId);
  const since = target?.failingSince ?? null;
  if (since === null || nowMs - since < DISABLE_AFTER_MS) return null;
  return "Every delivery failed for five days.";
}
