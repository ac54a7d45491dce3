/**
 * The delivery worker: claims due deliveries under a lease, attempts them, and writes the outcomes.
 *
 * Delivery is at least once: an outbox row stays pending until an outcome is written. If the
 * process dies before that, the lease expires, and the event is sent again with the same event id.
 *
 *   pending ──2xx──► delivered
 *      │ └─failure, attempts left──► pending (later)
 *      └─failure, none left, 410, or endpoint switched off──► failed
 */
import { type Clock, sleep, type Timer } from "../../core/clock.ts";
import type { Database } from "../../core/database.ts";
import { describeError } from "../../core/errors.ts";
import { deliveryId, hex } from "../../core/ids.ts";
import type { Log } from "../../core/log.ts";
import type { Random } from "../../core/random.ts";
import type { OutboundHttpClient } from "../../platform/net/outbound-http.ts";
import {
  type SecretVault,
  tenantSecretBinding,
  webhookSecretBinding,
} from "../../platform/secrets/secret-binding.ts";
import { type AttemptResult, attemptDelivery } from "./attempt.ts";
import { DeliveryCapacity } from "./capacity.ts";
import { createOutcomeWriter } from "./outcome-writer.ts";
import type { DueDelivery, WebhookStores } from "./stores.ts";
import type { SwitchedOffListener } from "./switched-off.ts";

export interface DeliveryOptions {
  readonly database: Database;
  readonly stores: WebhookStores;
  readonly vault: SecretVault;
  readonly client: OutboundHttpClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** `[http_client] webhook_timeout_ms`. */
  readonly timeoutMs: number;
  /** Maximum number of concurrent deliveries. */
  readonly concurrencyMax?: number;
  readonly perEndpointMax?: number;
  /**
   * Pause between two claims, and between two writes of outcomes, so that under load one
   * transaction (one sync to disk) serves many. 0: none.
   */
  readonly pauseMs?: number;
  /** Called with endpoints that were disabled after failing for too long or after a 410. */
  readonly switchedOff?: SwitchedOffListener;
  /** Called for every attempt whose outcome is stored. */
  readonly attempted?: (attempt: { readonly delivered: boolean }) => void;
}

export interface DeliveryWorker {
  /** Checks for due deliveries soon. */
  wake(): void;
  start(): void;
  /**
   * Waits up to `graceMs` for running deliveries, then aborts them; they stay pending in the store.
   */
  stop(graceMs?: number): Promise<void>;
}

const LEASE_MARGIN_MS = 30_000;
/** Also finds deliveries whose lease by a dead node has expired. */
const LOOK_EVERY_MS = 30_000;
const STOP_GRACE_MS = 3000;
const PAUSE_MS = 10;
const PAUSE_MAX_MS = 100;

export function createDeliveryWorker(options: DeliveryOptions): DeliveryWorker {
  const { database, stores, clock, random, log, timeoutMs } = options;
  const { pauseMs = PAUSE_MS } = options;
  const owner = hex(random.bytes(8));
  const capacity = new DeliveryCapacity({
    total: options.concurrencyMax ?? 256,
    perEndpoint: options.perEndpointMax ?? 4,
  });
  const outcomes = createOutcomeWriter({
    ...{ database, stores, clock, random, pauseMs },
    switchedOff: options.switchedOff,
  });
  const underWay = new Set<Promise<void>>();
  const abort = new AbortController();
  let phase: "new" | "running" | "stopped" = "new";
  let looking: "idle" | "looking" | "look again" = "idle";
  let timer: Timer | null = null;
  let look: Promise<void> = Promise.resolve();

  function wake(): void {
    if (phase !== "running") return;
    if (looking !== "idle") {
      looking = "look again";
      return;
    }
    looking = "looking";
    look = claimAndDeliver();
  }

  async function claimAndDeliver(): Promise<void> {
    try {
      do {
        looking = "looking";
        const startedAt = clock.monotonic();
        for (const delivery of await claim()) begin(delivery);
        if (pauseMs > 0) await sleep(clock, pauseAfter(clock.monotonic() - startedAt));
      } while (stillWanted());
      if (phase === "running") await sleepUntilDue();
    } catch (error) {
      log.error("webhook.claim_failed", { error: describeError(error) });
      arm(LOOK_EVERY_MS);
    } finally {
      const again = stillWanted();
      looking = "idle";
      if (again) wake();
    }
  }

  /**
   * As long as the claim took, so that claims use at most half of the time and each finds more to
   * do.
   */
  const pauseAfter = (claimMs: number) => Math.min(PAUSE_MAX_MS, Math.max(pauseMs, claimMs));

  const stillWanted = () => looking === "look again" && phase === "running";

  async function claim(): Promise<DueDelivery[]> {
    if (capacity.free === 0 || phase !== "running") return [];
    const claimed: DueDelivery[] = [];
    try {
      await database.tx(async (queries) => {
        const outbox = stores.outbox(queries);
        while (capacity.free > 0) {
          const due = await outbox.due(clock.now(), capacity.busy(), capacity.free);
          const taken = due.filter((delivery) => capacity.acquire(delivery));
          if (taken.length === 0) return;
          claimed.push(...taken);
          const ids = taken.map((delivery) => delivery.outboxId);
          await outbox.lease(ids, owner, clock.now() + timeoutMs + LEASE_MARGIN_MS);
        }
      });
      return claimed;
    } catch (error) {
      for (const delivery of claimed) capacity.release(delivery);
      throw error;
    }
  }

  function begin(delivery: DueDelivery): void {
    const work = deliver(delivery)
      .catch((error) =>
        log.error("webhook.outcome_lost", {
          event_id: delivery.eventId,
          error: describeError(error),
        }),
      )
      .finally(() => {
        underWay.delete(work);
        capacity.release(delivery);
        wake();
      });
    underWay.add(work);
  }

  async function deliver(delivery: DueDelivery): Promise<void> {
    const id = deliveryId(random);
    const startedAt = clock.now();
    const result = await attempt(delivery, id);
    if (result.abandoned) {
      await database.tx((queries) => stores.outbox(queries).release([delivery.outboxId], owner));
      return;
    }
    const off = await outcomes.write({ delivery, id, owner, startedAt, result });
    options.attempted?.({ delivered: result.delivered });
    log.debug("webhook.attempted", {
      event_id: delivery.eventId,
      delivery_id: id,
      delivered: result.delivered,
      http_status: result.httpStatus,
      duration_ms: result.durationMs,
    });
    if (!off) return;
    log.warn("webhook.switched_off", {
      tenant_id: delivery.tenantId,
      webhook_id: off.webhookId,
      cause: off.cause,
    });
    options.switchedOff?.wake();
  }

  async function attempt(delivery: DueDelivery, id: string): Promise<AttemptResult> {
    const target = await targetOf(options, delivery);
    if (!target) return unsendable("the webhook or its secret is gone");
    const { type, body } = delivery;
    return attemptDelivery(
      options.client,
      clock,
      { ...target, deliveryId: id, type, body },
      timeoutMs,
      abort.signal,
    );
  }

  async function sleepUntilDue(): Promise<void> {
    const next = await stores.outbox(database.read).nextDueAfter(clock.now());
    arm(next === null ? LOOK_EVERY_MS : Math.min(next - clock.now(), LOOK_EVERY_MS));
  }

  function arm(delayMs: number): void {
    timer?.cancel();
    timer = phase === "running" ? clock.after(Math.max(1, delayMs), wake) : null;
  }

  return {
    wake,
    start() {
      if (phase !== "new") return;
      phase = "running";
      wake();
    },
    async stop(graceMs = STOP_GRACE_MS) {
      phase = "stopped";
      timer?.cancel();
      const grace = clock.after(graceMs, () => abort.abort());
      await look;
      while (underWay.size > 0) await Promise.all(underWay);
      grace.cancel();
    },
  };
}

const unsendable = (error: string): AttemptResult => ({
  delivered: false,
  httpStatus: null,
  durationMs: 0,
  error,
  retryAfterMs: null,
  gone: false,
  abandoned: false,
});

/** Reads the current address and secret: a rotated secret applies to retries too. */
export async function targetOf(
  options: Pick<DeliveryOptions, "database" | "stores" | "vault">,
  delivery: Pick<DueDelivery, "tenantId" | "webhookId" | "legacyUrl">,
): Promise<{ url: string; secret: string } | null> {
  const { tenantId, webhookId, legacyUrl } = delivery;
  const subscribers = options.stores.subscribers(options.database.read);
  if (webhookId === null) {
    const sealed = await subscribers.tenantSecret(tenantId);
    if (sealed === null || legacyUrl === null) return null;
    return { url: legacyUrl, secret: options.vault.open(sealed, tenantSecretBinding(tenantId)) };
  }
  const target = await subscribers.target(tenantId, webhookId);
  if (!target) return null;
  const secret = options.vault.open(target.secretSealed, webhookSecretBinding(webhookId));
  return { url: target.url, secret };
}
