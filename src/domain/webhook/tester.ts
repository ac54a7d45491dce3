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

export function createWebhookTester(
  options: Pick<
    DeliveryOptions,
    "database" | "stores" | "vault" | "client" | "clock" | "random" | "timeoutMs"
  > & { readonly wake: () => void },
): WebhookTester {
  const { database, stores, client, clock, random, timeoutMs, wake } = options;

  async function test(tenantId: number, webhookId: number): Promise<TestResult> {
    const target = await targetOf(options, { tenantId, webhookId, legacyUrl: null });
    if (!target) throw notFound("webhook");
    const event = eventId(random);
    const delivery = deliveryId(random);
    const createdAt = clock.now();
    const body = envelopeBody(event, TEST_TYPE, createdAt, testCallEnded(uuidV7(clock, random)));
    const attempt = { ...target, deliveryId: delivery, type: TEST_TYPE, body };
    const never = new AbortController().signal;
    const sent = await attemptDelivery(client, clock, attempt, timeoutMs, never);
    const result: TestResult = {
      eventId: event,
      deliveryId: delivery,
      status: sent.delivered ? "delivered" : "failed",
      httpStatus: sent.httpStatus,
      durationMs: sent.durationMs,
      error: sent.error,
    };
    await database.tx(async (queries) => {
      // The webhook was deleted during the test: there is no log to write to.
      if (!(await stores.subscribers(queries).target(tenantId, webhookId))) return;
      await stores.deliveries(queries).insert(tenantId, {
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

  async function requeue(
    tenantId: number,
    webhookId: number,
    choose: (queries: Parameters<typeof stores.outbox>[0]) => Promise<readonly string[]>,
  ): Promise<readonly string[]> {
    const queued = await database.tx(async (queries) => {
      const target = await stores.subscribers(queries).target(tenantId, webhookId);
      if (!target) throw notFound("webhook");
      if (!target.enabled)
        throw new AppError({
          code: "conflict",
          publicMessage: "This webhook is disabled. Enable it before sending anything again.",
        });
      const events = await choose(queries);
      await stores.outbox(queries).restart(tenantId, webhookId, events, clock.now());
      return events;
    });
    wake();
    return queued;
  }

  async function resend(tenantId: number, webhookId: number, delivery: string) {
    const [event] = await requeue(tenantId, webhookId, async (queries) => {
      const found = await stores.deliveries(queries).eventOf(tenantId, webhookId, delivery);
      if (found === null) throw notFound("delivery");
      return [found];
    });
    return { eventId: event ?? "" };
  }

  return {
    test,
    resend,
    resendFailed: async (tenantId, webhookId) =>
      (
        await requeue(tenantId, webhookId, (queries) =>
          stores.outbox(queries).failedEvents(tenantId, webhookId, RESEND_MAX),
        )
      ).length,
  };
}
