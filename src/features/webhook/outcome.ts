/**
 * Stores the results of attempts in the delivery log, the outbox rows and the endpoints' health.
 * One transaction.
 */
import type { Clock, ClockTrust } from "../../core/clock.ts";
import type { Queries } from "../../core/database.ts";
import type { Random } from "../../core/random.ts";
import { DISABLE_AFTER_MS, nextDelayMs } from "../../core/retry-schedule.ts";
import type { AttemptResult } from "./attempt.ts";
import type { DeliveryRecord, DueDelivery, WebhookStores } from "./stores.ts";

export interface Attempted {
  readonly delivery: DueDelivery;
  /** `del_…` */
  readonly id: string;
  readonly owner: string;
  readonly startedAt: number;
  readonly result: AttemptResult;
}

/** Endpoint disabled by an attempt. */
export interface SwitchedOff {
  readonly webhookId: number | null;
  readonly legacyUrl: string | null;
  readonly cause: "gone" | "failing";
  readonly atMs: number;
}

const REASONS = {
  gone: "The receiver returned 410 Gone.",
  failing: "Every delivery failed for five days.",
} as const;

/**
 * Returns for each attempt the endpoint that it disabled, or null. Most endpoints are healthy and accepted
 * everything. Their outcomes are written together, which costs half as much.
 */
export async function writeOutcomes(
  stores: WebhookStores,
  queries: Queries,
  group: readonly Attempted[],
  clock: Clock,
  random: Random,
  trust?: Pick<ClockTrust, "mayDelete">,
): Promise<readonly (SwitchedOff | null)[]> {
  const well = group.length > 1 ? await wellEndpoints(stores, queries, group) : new Set<number>();
  const isPlain = ({ delivery }: Attempted) =>
    delivery.webhookId !== null && well.has(delivery.webhookId);
  await writeDelivered(stores, queries, group.filter(isPlain));
  const results: (SwitchedOff | null)[] = [];
  for (const one of group)
    results.push(
      isPlain(one) ? null : await writeOutcome(stores, queries, one, clock, random, trust),
    );
  return results;
}

/** Healthy webhooks that accepted every delivery of the group. */
async function wellEndpoints(
  stores: WebhookStores,
  queries: Queries,
  group: readonly Attempted[],
): Promise<ReadonlySet<number>> {
  const well = new Set<number>();
  for (const { delivery } of group) if (delivery.webhookId !== null) well.add(delivery.webhookId);
  for (const { delivery, result } of group)
    if (delivery.webhookId !== null && !result.delivered) well.delete(delivery.webhookId);
  for (const id of await stores.health(queries).failing([...well])) well.delete(id);
  return well;
}

async function writeDelivered(
  stores: WebhookStores,
  queries: Queries,
  group: readonly Attempted[],
): Promise<void> {
  const owner = group[0]?.owner;
  if (owner === undefined) return;
  const ids = group.map(({ delivery }) => delivery.outboxId);
  const held = new Set(await stores.outbox(queries).concludeDelivered(ids, owner));
  const written = group.filter(({ delivery }) => held.has(delivery.outboxId));
  await stores.deliveries(queries).insertAll(written.map((one) => recordOf(one, null)));
}

/** Returns the endpoint that this attempt disabled, or null. */
async function writeOutcome(
  stores: WebhookStores,
  queries: Queries,
  attempted: Attempted,
  clock: Clock,
  random: Random,
  trust?: Pick<ClockTrust, "mayDelete">,
): Promise<SwitchedOff | null> {
  const { delivery, result } = attempted;
  const { tenantId } = delivery;
  const nowMs = clock.now();
  const attempts = delivery.attempts + 1;
  const health = stores.health(queries);
  // Read again: in the meantime other deliveries may have succeeded, or the endpoint may have been
  // disabled.
  const state = await health.of(tenantId, delivery);
  // If the clock may have jumped, the skipped days had no attempts.
  const failingSince = trust?.mayDelete() === false ? null : (state?.failingSince ?? null);
  const cause = state?.enabled ? causeToSwitchOff(result, failingSince, nowMs) : null;
  const isLast = result.delivered || result.gone || cause !== null || !state?.enabled;
  const delayMs = isLast ? null : nextDelayMs(attempts, result.retryAfterMs, random);
  const nextAttemptAt = delayMs === null ? null : nowMs + delayMs;
  const status = result.delivered ? "delivered" : nextAttemptAt === null ? "failed" : "pending";
  const outcome = { status, attempts, nextAttemptAt } as const;
  const outbox = stores.outbox(queries);
  if (!(await outbox.conclude(delivery.outboxId, attempted.owner, outcome))) return null;
  await stores.deliveries(queries).insertAll([recordOf(attempted, nextAttemptAt)]);
  if (result.delivered && state?.failingSince !== null) await health.succeeded(tenantId, delivery);
  if (!result.delivered && state?.failingSince === null)
    await health.failed(tenantId, delivery, nowMs);
  if (cause === null) return null;
  await health.disable(tenantId, delivery, REASONS[cause], nowMs);
  await outbox.abandon(tenantId, delivery);
  return { webhookId: delivery.webhookId, legacyUrl: delivery.legacyUrl, cause, atMs: nowMs };
}

function recordOf(
  { id, delivery, startedAt, result }: Attempted,
  nextAttemptAt: number | null,
): DeliveryRecord {
  const { tenantId, outboxId, webhookId, eventId, type, attempts } = delivery;
  return {
    tenantId,
    id,
    outboxId,
    webhookId,
    eventId,
    type,
    attempt: attempts + 1,
    status: result.delivered ? "delivered" : "failed",
    httpStatus: result.httpStatus,
    durationMs: result.durationMs,
    error: result.error,
    createdAt: startedAt,
    nextAttemptAt,
  };
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
