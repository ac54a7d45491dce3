/**
 * Stores the result of an attempt in the delivery log, the outbox row and the endpoint's health.
 * One transaction.
 */
import type { Clock } from "../../core/clock.ts";
import type { Queries } from "../../core/database.ts";
import type { Random } from "../../core/random.ts";
import { DISABLE_AFTER_MS, nextDelayMs } from "../../core/retry-schedule.ts";
import type { AttemptResult } from "./attempt.ts";
import type { DueDelivery, WebhookStores } from "./stores.ts";

export interface Attempted {
  readonly delivery: DueDelivery;
  /** `del_…` */
  readonly id: string;
  readonly owner: string;
  readonly startedAt: number;
  readonly result: AttemptResult;
}

/** An endpoint that was disabled by an attempt. */
export interface SwitchedOff {
  readonly webhookId: number | null;
  readonly legacyUrl: string | null;
  readonly cause: "gone" | "failing";
  readonly atMs: number;
}

const REASONS = {
  gone: "The receiver answered 410 Gone.",
  failing: "Every delivery failed for five days.",
} as const;

/** Returns the endpoint that this attempt disabled, or null. */
export async function writeOutcome(
  stores: WebhookStores,
  queries: Queries,
  attempted: Attempted,
  clock: Clock,
  random: Random,
): Promise<SwitchedOff | null> {
  const { delivery, result } = attempted;
  const { tenantId } = delivery;
  const nowMs = clock.now();
  const attempts = delivery.attempts + 1;
  const health = stores.health(queries);
  // Read again: in the meantime other deliveries may have succeeded, or the endpoint may have been
  // disabled.
  const state = await health.of(tenantId, delivery);
  const cause = state?.enabled ? causeToSwitchOff(result, state.failingSince, nowMs) : null;
  const isLast = result.delivered || result.gone || cause !== null || !state?.enabled;
  const delayMs = isLast ? null : nextDelayMs(attempts, result.retryAfterMs, random);
  const nextAttemptAt = delayMs === null ? null : nowMs + delayMs;
  const status = result.delivered ? "delivered" : nextAttemptAt === null ? "failed" : "pending";
  const outcome = { status, attempts, nextAttemptAt } as const;
  const outbox = stores.outbox(queries);
  if (!(await outbox.conclude(delivery.outboxId, attempted.owner, outcome))) return null;
  await stores.deliveries(queries).insert(tenantId, {
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
  if (result.delivered && state?.failingSince !== null) await health.succeeded(tenantId, delivery);
  if (!result.delivered && state?.failingSince === null)
    await health.failed(tenantId, delivery, nowMs);
  if (cause === null) return null;
  await health.disable(tenantId, delivery, REASONS[cause], nowMs);
  await outbox.abandon(tenantId, delivery);
  return { webhookId: delivery.webhookId, legacyUrl: delivery.legacyUrl, cause, atMs: nowMs };
}

function causeToSwitchOff(
  result: AttemptResult,
  failingSince: number | null,
  nowMs: number,
): SwitchedOff["cause"] | null {
  if (result.delivered) return null;
  if (result.gone) return "gone";
  return failingSince !== null && nowMs - failingSince >= DISABLE_AFTER_MS ? "failing" : null;
}
