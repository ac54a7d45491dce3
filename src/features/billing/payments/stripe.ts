/**
 * Stripe: Checkout Sessions for every item, and the webhook events that report their results.
 *
 * An event is only a hint. Its signature is checked (300 s tolerance). Then the session, the
 * refunds or the dispute are fetched from the API and booked in their current state. So the order,
 * repetition and delay of events do not matter: the ledger's keys make each booking happen once.
 * The customer's return to our page fulfils nothing.
 */
import type Stripe from "stripe";
import { AppError, conflict, describeError } from "../../../core/errors.ts";
import type { Log } from "../../../core/log.ts";
import { centsToMicro, MICRO_PER_CENT, type MicroEur } from "../../../core/money.ts";
import type { Checkouts } from "../checkout.ts";
import { noteOf } from "../fulfilment.ts";
import type { PaymentProvider } from "../payment-provider.ts";
import { bookDispute, bookRefunds, type RefundContext } from "./stripe-refunds.ts";

export interface StripeSettings {
  readonly secretKey: string;
  readonly webhookSecret: string;
  /** `https://api.stripe.com`, without a path. */
  readonly baseUrl: string;
}

/** Stripe allows 24 hours; one is subtracted for clock differences. */
const VALID_FOR_MS = 23 * 60 * 60 * 1000;
/** Stripe rejects payments below 0.50 EUR. */
const AMOUNT_MIN = centsToMicro(50);
const SIGNATURE_TOLERANCE_SECONDS = 300;
const API_TIMEOUT_MS = 10_000;
const API_RETRIES_MAX = 2;

/** Sends the customer to a Checkout Session. */
export class StripeProvider implements PaymentProvider {
  readonly name = "stripe";
  readonly validForMs = VALID_FOR_MS;
  readonly amountMin = AMOUNT_MIN;

  constructor(
    private readonly options: {
      readonly client: StripeClient;
      /** The appliance's URL, without a trailing slash. */
      readonly publicUrl: () => string;
      readonly log: Log;
    },
  ) {}

  async open(checkout: Parameters<PaymentProvider["open"]>[0]) {
    const { client, publicUrl, log } = this.options;
    const page = `${publicUrl().replace(/\/+$/, "")}/checkout/${checkout.id}`;
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
      log.error("payment.open_failed", {
        provider: this.name,
        checkout: checkout.id,
        error: describeError(error),
      });
      throw new AppError({
        code: "unavailable",
        publicMessage: "The payment provider did not accept the payment. Try again in a minute.",
        internal: describeError(error),
      });
    }
  }
}

/**
 * 200: processed, or not for us. For any other status Stripe delivers the event again, for days.
 */
export type EventStatus = 200 | 400 | 409 | 500;

interface EventDependencies extends RefundContext {
  readonly client: StripeClient;
  readonly webhookSecret: string;
  readonly checkouts: Checkouts;
  readonly log: Log;
}

export class StripeEvents {
  readonly #log: Log;

  constructor(private readonly deps: EventDependencies) {
    this.#log = deps.log.with({ provider: "stripe" });
  }

  /** Never throws. `body` is the unchanged request body: the signature covers its bytes. */
  async receive(body: string, signature: string | null): Promise<EventStatus> {
    const event = await this.#verified(body, signature);
    if (!event) return 400;
    try {
      await this.#carryOut(event);
      return 200;
    } catch (error) {
      const code = error instanceof AppError ? error.code : "engine";
      if (code === "not_found") return 200; // belongs to another system on the same Stripe account
      const fields = { event: event.id, type: event.type, error: describeError(error) };
      this.#log.error("payment.event_failed", fields);
      return code === "conflict" ? 409 : 500;
    }
  }

  async #verified(body: string, signature: string | null): Promise<Stripe.Event | null> {
    const { client, webhookSecret, clock } = this.deps;
    const { webhooks } = await client();
    try {
      return await webhooks.constructEventAsync(
        body,
        signature ?? "",
        webhookSecret,
        SIGNATURE_TOLERANCE_SECONDS,
        undefined,
        clock.now(),
      );
    } catch {
      return null; // a wrong or late signature, or invalid JSON
    }
  }

  async #carryOut(event: Stripe.Event): Promise<void> {
    switch (event.type) {
      case "checkout.session.completed":
      case "checkout.session.async_payment_succeeded":
        await this.#settleSession(event.data.object.id);
        return;
      case "charge.refunded":
      case "refund.created":
      case "refund.updated":
      case "refund.failed":
        await this.#refunded(event.data.object.payment_intent);
        return;
      case "charge.dispute.created":
      case "charge.dispute.updated":
      case "charge.dispute.closed":
      case "charge.dispute.funds_withdrawn":
      case "charge.dispute.funds_reinstated":
        await this.#disputed(event.data.object.id);
        return;
      default:
        return;
    }
  }

  /** Fetches the session; fulfils its checkout if it is settled. Returns the checkout's id. */
  async #settleSession(sessionId: string): Promise<string | null> {
    const stripe = await this.deps.client();
    const session = await stripe.checkout.sessions.retrieve(sessionId);
    const id = session.client_reference_id;
    if (!id?.startsWith("chk_")) return null;
    if (!isSettled(session)) return id;
    if (session.currency !== "eur" || session.amount_total === null)
      throw conflict(`${session.id} is not in EUR.`);
    const amount = centsToMicro(session.amount_total);
    await this.deps.checkouts.fulfil(id, { session: session.id, amount });
    return id;
  }

  async #refunded(payment: Payment): Promise<void> {
    const found = await this.#checkoutOf(payment);
    if (!found) return;
    const stripe = await this.deps.client();
    const refunds: Stripe.Refund[] = [];
    for await (const refund of stripe.refunds.list({ payment_intent: found.paymentIntent }))
      refunds.push(refund);
    await bookRefunds(this.deps, found.checkout, refunds);
  }

  async #disputed(disputeId: string): Promise<void> {
    const stripe = await this.deps.client();
    const dispute = await stripe.disputes.retrieve(disputeId);
    const found = await this.#checkoutOf(dispute.payment_intent);
    if (!found) return;
    this.#log.warn("payment.disputed", { dispute: dispute.id, status: dispute.status });
    await bookDispute(this.deps, found.checkout, dispute);
  }

  /**
   * The checkout that a payment was for. It is fulfilled first: a refund may be reported before it.
   */
  async #checkoutOf(payment: Payment) {
    if (payment === null) return null;
    const paymentIntent = typeof payment === "string" ? payment : payment.id;
    const stripe = await this.deps.client();
    const { data } = await stripe.checkout.sessions.list({
      payment_intent: paymentIntent,
      limit: 1,
    });
    const id = data[0] ? await this.#settleSession(data[0].id) : null;
    return id === null ? null : { paymentIntent, checkout: await this.deps.checkouts.get(id) };
  }
}

/** A session whose total is 0 is over without a payment. */
const isSettled = ({ payment_status: status, amount_total: total }: Stripe.Checkout.Session) =>
  status === "paid" || (status === "no_payment_required" && total === 0);

type Payment = string | { readonly id: string } | null;

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

type StripeClient = () => Promise<Stripe>;

/** Loaded on first use: most appliances take few payments or none. */
export function stripeClient({ secretKey, baseUrl }: StripeSettings): StripeClient {
  let client: Promise<Stripe> | null = null;
  return () => {
    client ??= import("stripe").then(
      ({ default: Client }) =>
        new Client(secretKey, {
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
