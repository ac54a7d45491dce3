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
import { type Clock, type ClockTrust, sleep } from "../../core/clock.ts";
import type { Database } from "../../core/database.ts";
import { describeError } from "../../core/errors.ts";
import { deliveryId, leaseOwner } from "../../core/ids.ts";
import type { Log } from "../../core/log.ts";
import type { Random } from "../../core/random.ts";
import { WorkLoop } from "../../core/work-loop.ts";
import type { OutboundHttpClient } from "../../platform/net/outbound-http.ts";
import type { SecretVault } from "../../platform/secrets/secret-binding.ts";
import { type AttemptResult, attemptDelivery } from "./attempt.ts";
import { DeliveryLimiter } from "./delivery-limiter.ts";
import { createOutcomeWriter, type OutcomeWriter } from "./outcome-writer.ts";
import type { DueDelivery, Subscriber, WebhookStores } from "./stores.ts";
import type { SwitchedOffListener } from "./switched-off.ts";
import { openedOnce, targetsOf } from "./targets.ts";

export interface DeliveryOptions {
  readonly database: Database;
  readonly stores: WebhookStores;
  readonly vault: SecretVault;
  readonly client: OutboundHttpClient;
  readonly clock: Clock;
  /** While `mayDelete` returns false, no endpoint is disabled for failing too long. Default: always true. */
  readonly trust?: Pick<ClockTrust, "mayDelete">;
  readonly random: Random;
  readonly log: Log;
  /** `[http_client] webhook_timeout_ms`. */
  readonly timeoutMs: number;
  /**
   * Pause between two claims, and between two writes of outcomes. Under load, one transaction (one sync to
   * disk) then serves many. 0: no pause.
   */
  readonly pauseMs?: number;
  /** Called with endpoints disabled after failing for too long or after a 410. */
  readonly switchedOff?: SwitchedOffListener;
  /** Called for every attempt whose outcome is stored. */
  readonly attempted?: (attempt: { readonly delivered: boolean }) => void;
}

const LEASE_MARGIN_MS = 30_000;
/** Also finds deliveries whose lease by a dead node has expired. */
const LOOK_EVERY_MS = 30_000;
const STOP_GRACE_MS = 3000;
/** Maximum deliveries in flight, and also maximum outcomes waiting to be stored. */
const CONCURRENCY_MAX = 256;
/** Minimum number of free slots for another claim when all were busy. */
const CLAIM_MIN = 32;
const PER_ENDPOINT_MAX = 4;
/** How long a large backlog is assumed to last. */
const CROWD_MS = 1000;
const PAUSE_MS = 10;
const PAUSE_MAX_MS = 100;

type Targets = ReturnType<typeof targetsOf>;

export class DeliveryWorker {
  readonly #pauseMs: number;
  readonly #owner: string;
  readonly #capacity: DeliveryLimiter;
  readonly #outcomes: OutcomeWriter;
  readonly #vault: SecretVault;
  readonly #underWay = new Set<Promise<void>>();
  readonly #abort = new AbortController();
  readonly #loop: WorkLoop;
  #foundLast = false;
  /** The next claim starts after this endpoint, so that all are served. Null: starts at the first. */
  #after: Subscriber | null = null;
  /** True if the last claim may have left deliveries because no slots were free. */
  #leftSome = false;
  /** Until this time a large backlog is assumed, perhaps for endpoints that are busy for long. */
  #crowdUntil = 0;

  constructor(private readonly options: DeliveryOptions) {
    const { database, stores, clock, trust, random, log, switchedOff } = options;
    this.#pauseMs = options.pauseMs ?? PAUSE_MS;
    this.#owner = leaseOwner(random);
    this.#vault = openedOnce(options.vault);
    this.#capacity = new DeliveryLimiter({
      total: CONCURRENCY_MAX,
      unstored: CONCURRENCY_MAX,
      perEndpoint: PER_ENDPOINT_MAX,
    });
    this.#outcomes = createOutcomeWriter({
      database,
      stores,
      clock,
      trust,
      random,
      pauseMs: this.#pauseMs,
      switchedOff,
    });
    this.#loop = new WorkLoop({
      clock,
      log,
      failure: "webhook.claim_failed",
      everyMs: LOOK_EVERY_MS,
      round: () => this.#claimAndDeliver(),
      nextDueAt: () => stores.outbox(database.read).nextDueAfter(clock.now()),
    });
  }

  /** Checks for due deliveries soon. */
  wake(): void {
    this.#loop.wake();
  }

  start(): void {
    this.#loop.start();
  }

  /**
   * Waits up to `graceMs` for running deliveries, then aborts them; they stay pending in the store.
   */
  async stop(graceMs = STOP_GRACE_MS): Promise<void> {
    const grace = this.options.clock.after(graceMs, () => this.#abort.abort());
    await this.#loop.stop();
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
    grace.cancel();
  }

  async #claimAndDeliver(): Promise<void> {
    const { clock } = this.options;
    const startedAt = clock.monotonic();
    const claimed = await this.#claim();
    if (claimed.length > 0) {
      const targets = targetsOf({ ...this.options, vault: this.#vault }, claimed);
      for (const delivery of claimed) this.#begin(delivery, targets);
    }
    if (this.#pauseMs === 0) return;
    // Pause as long as the claim took. So claims use at most half of the time, and each finds more.
    const claimMs = clock.monotonic() - startedAt;
    await sleep(clock, Math.min(PAUSE_MAX_MS, Math.max(this.#pauseMs, claimMs)));
  }

  async #claim(): Promise<DueDelivery[]> {
    if (this.#capacity.free === 0 || !(await this.#hasDue())) return [];
    const { database, stores, clock, timeoutMs } = this.options;
    const claimed: DueDelivery[] = [];
    try {
      await database.tx(async (queries) => {
        const outbox = stores.outbox(queries);
        while (this.#capacity.free > 0) {
          const limit = this.#capacity.free;
          const after = this.#after;
          const look = {
            busy: this.#capacity.busy(),
            limit,
            each: PER_ENDPOINT_MAX,
            after,
            isCrowd: this.#isCrowd,
          };
          const { deliveries: due, isCrowd } = await outbox.due(clock.now(), look);
          this.#noteCrowd(isCrowd);
          this.#after = due.length < limit ? null : (due.at(-1) ?? null);
          const taken = due.filter((delivery) => this.#capacity.acquire(delivery));
          claimed.push(...taken);
          const ids = taken.map((delivery) => delivery.outboxId);
          if (taken.length > 0)
            await outbox.lease(ids, this.#owner, clock.now() + timeoutMs + LEASE_MARGIN_MS);
          // A refused delivery's endpoint is busy now, so the next claim skips it.
          const sawAll = this.#after === null && taken.length === due.length;
          if (after === null && (sawAll || taken.length === 0)) return;
        }
      });
      this.#foundLast = claimed.length > 0;
      this.#leftSome = this.#capacity.free === 0;
      return claimed;
    } catch (error) {
      for (const delivery of claimed) this.#capacity.returnUnsent(delivery);
      throw error;
    }
  }

  /** A check that finds nothing does not need the writer. After a find, the writer checks. */
  async #hasDue(): Promise<boolean> {
    if (this.#foundLast) return true;
    const { database, stores, clock } = this.options;
    const outbox = stores.outbox(database.read);
    const busy = this.#capacity.busy();
    const { isAny, isCrowd } = await outbox.look(clock.now(), busy, this.#isCrowd);
    this.#noteCrowd(isCrowd);
    return isAny;
  }

  get #isCrowd(): boolean {
    return this.#leftSome || this.options.clock.monotonic() < this.#crowdUntil;
  }

  #noteCrowd(isCrowd: boolean): void {
    const isNew = isCrowd && !this.#isCrowd;
    if (isNew) this.#crowdUntil = this.options.clock.monotonic() + CROWD_MS;
  }

  #begin(delivery: DueDelivery, targets: Targets): void {
    const work = this.#deliver(delivery, targets)
      .catch((error) =>
        this.options.log.error("webhook.outcome_lost", {
          event_id: delivery.eventId,
          error: describeError(error),
        }),
      )
      .finally(() => {
        this.#underWay.delete(work);
        this.#capacity.release(delivery);
        this.wake();
      });
    this.#underWay.add(work);
  }

  async #deliver(delivery: DueDelivery, targets: Targets): Promise<void> {
    const { database, stores, clock, random, log } = this.options;
    const owner = this.#owner;
    const id = deliveryId(clock, random);
    const startedAt = clock.now();
    const result = await this.#attempt(delivery, targets, id).finally(() => this.#answered());
    this.#capacity.learn(delivery, result.delivered);
    if (result.abandoned)
      return database.tx((queries) => stores.outbox(queries).release([delivery.outboxId], owner));
    const off = await this.#outcomes.write({ delivery, id, owner, startedAt, result });
    this.options.attempted?.({ delivered: result.delivered });
    log.debug("webhook.attempted", {
      event_id: delivery.eventId,
      delivery_id: id,
      delivered: result.delivered,
      http_status: result.httpStatus,
      duration_ms: result.durationMs,
    });
    if (!off) return;
    log.warn("webhook.disabled", {
      tenant_id: delivery.tenantId,
      webhook_id: off.webhookId,
      cause: off.cause,
    });
    this.options.switchedOff?.wake();
  }

  /** Sends others while the outcome is being stored. */
  #answered(): void {
    this.#capacity.answered();
    if (this.#leftSome && this.#capacity.free >= CLAIM_MIN) this.wake();
  }

  async #attempt(delivery: DueDelivery, targets: Targets, id: string): Promise<AttemptResult> {
    const { client, clock, timeoutMs } = this.options;
    const target = await (await targets)(delivery);
    if (!target) return unsendable("the webhook or its secret was deleted");
    const { type, body } = delivery;
    const attempt = { ...target, deliveryId: id, type, body };
    return attemptDelivery(client, clock, attempt, timeoutMs, this.#abort.signal);
  }
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
