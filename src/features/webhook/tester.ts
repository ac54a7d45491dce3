/** Deliveries on a tenant's request: a test delivery, or a stored event sent again. */
import type { Queries } from "../../core/database.ts";
import { AppError, notFound } from "../../core/errors.ts";
import { deliveryId, eventId, uuidV7 } from "../../core/ids.ts";
import { attemptDelivery } from "./attempt.ts";
import { testCallEnded } from "./catalogue.ts";
import type { DeliveryOptions } from "./delivery.ts";
import { envelopeBody } from "./envelope.ts";
import { targetOf } from "./targets.ts";

interface TestResult {
  readonly eventId: string;
  readonly deliveryId: string;
  readonly status: "delivered" | "failed";
  readonly httpStatus: number | null;
  readonly durationMs: number;
  readonly error: string | null;
}

const RESEND_MAX = 1000;
const TEST_TYPE = "call.ended";

export class WebhookTester {
  constructor(
    private readonly options: Pick<
      DeliveryOptions,
      "database" | "stores" | "vault" | "client" | "clock" | "random" | "timeoutMs"
    > & { readonly wake: () => void },
  ) {}

  /**
   * Sends one test call.ended now, without customer data, also to a disabled webhook. Throws
   * not_found. A failed delivery is a result, not an error.
   */
  async test(tenantId: number, webhookId: number): Promise<TestResult> {
    const { client, clock, random, timeoutMs } = this.options;
    const target = await targetOf(this.options, { tenantId, webhookId, legacyUrl: null });
    if (!target) throw notFound("webhook");
    const ids = { eventId: eventId(clock, random), deliveryId: deliveryId(clock, random) };
    const createdAt = clock.now();
    const facts = testCallEnded(uuidV7(clock, random));
    const body = envelopeBody(ids.eventId, TEST_TYPE, createdAt, facts);
    const attempt = { ...target, deliveryId: ids.deliveryId, type: TEST_TYPE, body };
    const never = new AbortController().signal;
    const sent = await attemptDelivery(client, clock, attempt, timeoutMs, never);
    const { httpStatus, durationMs, error } = sent;
    const status = sent.delivered ? "delivered" : "failed";
    const result: TestResult = { ...ids, status, httpStatus, durationMs, error };
    await this.#record(tenantId, webhookId, result, createdAt);
    return result;
  }

  /**
   * Queues the delivery's event again, with all its attempts. Throws not_found, conflict
   * (disabled).
   */
  async resend(
    tenantId: number,
    webhookId: number,
    delivery: string,
  ): Promise<{ readonly eventId: string }> {
    const [event = ""] = await this.#requeue(tenantId, webhookId, async (queries) => {
      const deliveries = this.options.stores.deliveries(queries);
      const found = await deliveries.eventOf(tenantId, webhookId, delivery);
      if (found === null) throw notFound("delivery");
      return [found];
    });
    return { eventId: event };
  }

  /** Like `resend`, for every failed event, oldest 1,000 first. Returns how many were queued. */
  async resendFailed(tenantId: number, webhookId: number): Promise<number> {
    const queued = await this.#requeue(tenantId, webhookId, (queries) =>
      this.options.stores.outbox(queries).failedEvents(tenantId, webhookId, RESEND_MAX),
    );
    return queued.length;
  }

  async #record(
    tenantId: number,
    webhookId: number,
    { deliveryId: id, eventId, status, httpStatus, durationMs, error }: TestResult,
    createdAt: number,
  ): Promise<void> {
    const { database, stores } = this.options;
    await database.tx(async (queries) => {
      // If the webhook was deleted during the test, it has no log any more.
      if (!(await stores.subscribers(queries).target(tenantId, webhookId))) return;
      const attempt = {
        tenantId,
        id,
        outboxId: null,
        webhookId,
        eventId,
        type: TEST_TYPE,
        attempt: 1,
      };
      const outcome = { status, httpStatus, durationMs, error, createdAt, nextAttemptAt: null };
      await stores.deliveries(queries).insertAll([{ ...attempt, ...outcome }]);
    });
  }

  async #requeue(
    tenantId: number,
    webhookId: number,
    choose: (queries: Queries) => Promise<readonly string[]>,
  ): Promise<readonly string[]> {
    const { database, stores, clock, wake } = this.options;
    const queued = await database.tx(async (queries) => {
      const target = await stores.subscribers(queries).target(tenantId, webhookId);
      if (!target) throw notFound("webhook");
      if (!target.enabled)
        throw new AppError({
          code: "conflict",
          reason: "webhook_off",
          publicMessage: "This webhook is disabled. Enable it first, then send again.",
        });
      const events = await choose(queries);
      await stores.outbox(queries).restart(tenantId, webhookId, events, clock.now());
      return events;
    });
    wake();
    return queued;
  }
}
