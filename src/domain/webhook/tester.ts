/** Deliveries on a tenant's request: a test delivery, or a stored event sent again. */
import { AppError, notFound } from "../../core/errors.ts";
import { deliveryId, eventId, uuidV7 } from "../../core/ids.ts";
import { attemptDelivery } from "./attempt.ts";
import { testCallEnded } from "./catalogue.ts";
import { type DeliveryOptions, targetOf } from "./delivery.ts";
import { envelopeBody } from "./envelope.ts";

interface TestResult {
  readonly eventId: string;
  readonly deliveryId: string;
  readonly status: "delivered" | "failed";
  readonly httpStatus: number | null;
  readonly durationMs: number;
  readonly error: string | null;
}

export interface WebhookTester {
  /**
   * Sends one test call.ended now, without customer data, also to a disabled webhook. Throws
   * not_found. A failed delivery is a result, not an error.
   */
  test(tenantId: number, webhookId: number): Promise<TestResult>;
  /**
   * Queues the delivery's event again, with all its attempts. Throws not_found, conflict
   * (disabled).
   */
  resend(tenantId: number, webhookId: number, deliveryId: string): Promise<{ eventId: string }>;
  /** Like `resend`, for every failed event, oldest 1,000 first. Returns how many were queued. */
  resendFailed(tenantId: number, webhookId: number): Promise<number>;
}

const RESEND_MAX = 1000;
const TEST_TYPE = "call.ended";

export class HttpWebhookTester implements WebhookTester {
  constructor(
    private readonly options: Pick<
      DeliveryOptions,
      "database" | "stores" | "vault" | "client" | "clock" | "random" | "timeoutMs"
    > & { readonly wake: () => void },
  ) {}

  async test(tenantId: number, webhookId: number): Promise<TestResult> {
    const target = await targetOf(this.options, { tenantId, webhookId, legacyUrl: null });
    if (!target) throw notFound("webhook");
    const event = eventId(this.options.random);
    const delivery = deliveryId(this.options.random);
    const createdAt = this.options.clock.now();
    const body = envelopeBody(
      event,
      TEST_TYPE,
      createdAt,
      testCallEnded(uuidV7(this.options.clock, this.options.random)),
    );
    const attempt = { ...target, deliveryId: delivery, type: TEST_TYPE, body };
    const never = new AbortController().signal;
    const sent = await attemptDelivery(
      this.options.client,
      this.options.clock,
      attempt,
      this.options.timeoutMs,
      never,
    );
    const result: TestResult = {
      eventId: event,
      deliveryId: delivery,
      status: sent.delivered ? "delivered" : "failed",
      httpStatus: sent.httpStatus,
      durationMs: sent.durationMs,
      error: sent.error,
    };
    await this.options.database.tx(async (queries) => {
      // The webhook was deleted during the test: there is no log to write to.
      if (!(await this.options.stores.subscribers(queries).target(tenantId, webhookId))) return;
      await this.options.stores.deliveries(queries).insert(tenantId, {
        id: delivery,
        outboxId: null,
        webhookId,
        eventId: event,
        type: TEST_TYPE,
        attempt: 1,
        status: result.status,
        httpStatus: result.httpStatus,
        durationMs: result.durationMs,
        error: result.error,
        createdAt,
        nextAttemptAt: null,
      });
    });
    return result;
  }

  async #requeue(
    tenantId: number,
    webhookId: number,
    choose: (
      queries: Parameters<typeof this.options.stores.outbox>[0],
    ) => Promise<readonly string[]>,
  ): Promise<readonly string[]> {
    const queued = await this.options.database.tx(async (queries) => {
      const target = await this.options.stores.subscribers(queries).target(tenantId, webhookId);
      if (!target) throw notFound("webhook");
      if (!target.enabled)
        throw new AppError({
          code: "conflict",
          publicMessage: "This webhook is disabled. Enable it before sending anything again.",
        });
      const events = await choose(queries);
      await this.options.stores
        .outbox(queries)
        .restart(tenantId, webhookId, events, this.options.clock.now());
      return events;
    });
    this.options.wake();
    return queued;
  }

  async resend(tenantId: number, webhookId: number, delivery: string) {
    const [event] = await this.#requeue(tenantId, webhookId, async (queries) => {
      const found = await this.options.stores
        .deliveries(queries)
        .eventOf(tenantId, webhookId, delivery);
      if (found === null) throw notFound("delivery");
      return [found];
    });
    return { eventId: event ?? "" };
  }

  async resendFailed(tenantId: number, webhookId: number) {
    return (
      await this.#requeue(tenantId, webhookId, (queries) =>
        this.options.stores.outbox(queries).failedEvents(tenantId, webhookId, RESEND_MAX),
      )
    ).length;
  }
}
