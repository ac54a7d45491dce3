/**
 * Stripe: Checkout Sessions for every item, and the webhook events that report their results.
 *
 * An event is only a hint: its signature is checked (300 s tolerance), then the session, the
 * refunds or the dispute are fetched from the API and booked in their current state. So the order,
 * repetition and delay of events do not matter: the ledger's keys make each booking happen once.
 * The customer's return to our page fulfils nothing.
 */
import type Stripe from "stripe";
import type { Clock } from "../../core/clock.ts";
import type { Database } from "../../core/database.ts";
import { AppError, describeError } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import { centsToMicro, MICRO_PER_CENT, type MicroEur } from "../../core/money.ts";
import type { Checkouts } from "../../domain/billing/checkout.ts";
import { noteOf } from "../../domain/billing/fulfilment.ts";
import type { PaymentProvider } from "../../domain/billing/payment-provider.ts";
import type { BillingStores } from "../../domain/billing/stores.ts";
import { bookDispute, bookRefunds } from "./stripe-refunds.ts";

export interface StripeSettings {
  readonly secretKey: string;
  readonly webhookSecret: string;
  /** `https://api.stripe.com`, without a path. */
  readonly baseUrl: string;
}

interface StripeDependencies {
  readonly database: Database;
  readonly stores: BillingStores;
  readonly clock: Clock;
  readonly log: Log;
  /** The appliance's URL, without a trailing slash. */
  readonly publicUrl: () => string;
}

/**
 * 200: processed, or not for us. For any other status Stripe delivers the event again, for days.
 */
export type EventStatus = 200 | 400 | 409 | 500;

interface StripePayments {
  readonly provider: PaymentProvider;
  /** Never throws. `body` is the unchanged request body: the signature covers its bytes. */
  receive(checkouts: Checkouts, body: string, signature: string | null): Promise<EventStatus>;
}

/** Stripe allows 24 hours; one is subtracted for clock differences. */
const VALID_FOR_MS = 23 * 60 * 60 * 1000;
const SIGNATURE_TOLERANCE_SECONDS = 300;
const API_TIMEOUT_MS = 10_000;
const API_RETRIES_MAX = 2;

export function createStripe(settings: StripeSettings, deps: StripeDependencies): StripePayments {
  const client = clientOf(settings);
  const log = deps.log.with({ provider: "stripe" });

  /** Fetches the session; fulfils its checkout if it is paid. Returns the checkout's id. */
  async function settleSession(checkouts: Checkouts, sessionId: string): Promise<string | null> {
    const stripe = await client();
    const session = await stripe.checkout.sessions.retrieve(sessionId);
    const id = session.client_reference_id;
    if (!id?.startsWith("chk_")) return null;
    if (session.payment_status !== "paid") return id;
    if (session.currency !== "eur" || session.amount_total === null)
      throw new AppError({ code: "conflict", publicMessage: `${session.id} is not in EUR.` });
    await checkouts.fulfil(id, {
      session: session.id,
      amount: centsToMicro(session.amount_total),
    });
    return id;
  }

  /**
   * The checkout that a payment was for. It is fulfilled first: a refund may be reported before it.
   */
  async function checkoutOf(checkouts: Checkouts, payment: string | { id: string } | null) {
    if (payment === null) return null;
    const paymentIntent = typeof payment === "string" ? payment : payment.id;
    const stripe = await client();
    const { data } = await stripe.checkout.sessions.list({
      payment_intent: paymentIntent,
      limit: 1,
    });
    const id = data[0] ? await settleSession(checkouts, data[0].id) : null;
    return id === null ? null : { paymentIntent, checkout: await checkouts.get(id) };
  }

  async function carryOut(checkouts: Checkouts, event: Stripe.Event): Promise<void> {
    switch (event.type) {
      case "checkout.session.completed":
      case "checkout.session.async_payment_succeeded":
        await settleSession(checkouts, event.data.object.id);
        return;
      case "charge.refunded":
      case "refund.created":
      case "refund.updated":
      case "refund.failed": {
        const found = await checkoutOf(checkouts, event.data.object.payment_intent);
        if (!found) return;
        const stripe = await client();
        const refunds: Stripe.Refund[] = [];
        for await (const refund of stripe.refunds.list({ payment_intent: found.paymentIntent }))
          refunds.push(refund);
        await bookRefunds(deps, found.checkout, refunds);
        return;
      }
      case "charge.dispute.created":
      case "charge.dispute.updated":
      case "charge.dispute.closed":
      case "charge.dispute.funds_withdrawn":
      case "charge.dispute.funds_reinstated": {
        const stripe = await client();
        const dispute = await stripe.disputes.retrieve(event.data.object.id);
        const found = await checkoutOf(checkouts, dispute.payment_intent);
        if (!found) return;
        log.warn("payment.disputed", { dispute: dispute.id, status: dispute.status });
        await bookDispute(deps, found.checkout, dispute);
        return;
      }
      default:
        return;
    }
  }

  async function verified(body: string, signature: string | null): Promise<Stripe.Event | null> {
    const stripe = await client();
    try {
      return await stripe.webhooks.constructEventAsync(
        body,
        signature ?? "",
        settings.webhookSecret,
        SIGNATURE_TOLERANCE_SECONDS,
        undefined,
        deps.clock.now(),
      );
    } catch {
      return null; // a wrong or late signature, or invalid JSON
    }
  }

  async function receive(
    checkouts: Checkouts,
    body: string,
    signature: string | null,
  ): Promise<EventStatus> {
    const event = await verified(body, signature);
    if (!event) return 400;
    try {
      await carryOut(checkouts, event);
      return 200;
    } catch (error) {
      const code = error instanceof AppError ? error.code : "engine";
      if (code === "not_found") return 200; // belongs to another system on the same Stripe account
      const fields = { event: event.id, type: event.type, error: describeError(error) };
      log.error("payment.event_failed", fields);
      return code === "conflict" ? 409 : 500;
    }
  }

  return {
    provider: {
      name: "stripe",
      validForMs: VALID_FOR_MS,
      async open(checkout) {
        const page = `${deps.publicUrl().replace(/\/+$/, "")}/checkout/${checkout.id}`;
        try {
          const stripe = await client();
          const session = await stripe.checkout.sessions.create(
            {
              mode: "payment",
              client_reference_id: checkout.id,
              line_items: [lineItem(noteOf(checkout), checkout.amount)],
              payment_intent_data: { metadata: { checkout_id: checkout.id } },
              metadata: { checkout_id: checkout.id },
              expires_at: Math.floor(checkout.expiresAt / 1000),
              success_url: page,
              cancel_url: page,
            },
            { idempotencyKey: `checkout:${checkout.id}` },
          );
          if (!session.url) throw new Error(`session ${session.id} has no address`);
          return { checkoutUrl: session.url, providerSession: session.id };
        } catch (error) {
          log.error("payment.open_failed", { checkout: checkout.id, error: describeError(error) });
          throw new AppError({
            code: "unavailable",
            publicMessage: "The payment provider did not take the payment. Try again in a minute.",
            internal: describeError(error),
          });
        }
      },
    },
    receive,
  };
}

/** The API's host, protocol and port in the form that the client needs. */
export function serverOf(baseUrl: string) {
  const { protocol, hostname, port } = new URL(baseUrl);
  const isTls = protocol === "https:";
  return {
    protocol: isTls ? ("https" as const) : ("http" as const),
    host: hostname,
    port: port === "" ? (isTls ? 443 : 80) : Number(port),
  };
}

/** Loaded on first use: most appliances take few payments or none. */
function clientOf({ secretKey, baseUrl }: StripeSettings): () => Promise<Stripe> {
  let client: Promise<Stripe> | null = null;
  return () => {
    client ??= import("stripe").then(
      ({ default: StripeClient }) =>
        new StripeClient(secretKey, {
          ...serverOf(baseUrl),
          timeout: API_TIMEOUT_MS,
          maxNetworkRetries: API_RETRIES_MAX,
          telemetry: false,
          appInfo: { name: "linevoice" },
        }),
    );
    return client;
  };
}

const lineItem = (name: string, amount: MicroEur) => ({
  quantity: 1,
  price_data: {
    currency: "eur",
    unit_amount: amount / MICRO_PER_CENT,
    product_data: { name },
  },
});
