/**
 * Checkouts: what a tenant can buy, at what price, and its fulfilment once it is paid (decisions 8).
 *
 * A checkout is fulfilled once: the step from open to paid, the ledger transaction (key
 * `checkout:<id>`) and the change it buys commit together. The machine is small enough for a row:
 * open → paid | expired | cancelled; all ends absorb. Expiry is a matter of time and needs no job.
 *
 * The row is written before the provider is asked: a payment can be reported before the answer to
 * the request that opened it, and must find its checkout.
 */
import type { Clock } from "../../core/clock.ts";
import type { Database, Queries } from "../../core/database.ts";
import { AppError, invalidField, notFound, unreachable } from "../../core/errors.ts";
import { hex } from "../../core/ids.ts";
import { MICRO_PER_CENT, type MicroEur, microEur } from "../../core/money.ts";
import { type Random, systemRandom } from "../../core/random.ts";
import { asWalletMoney, bookPayment, deliverItem, RETENTION_BLOCKS_MAX } from "./fulfilment.ts";
import type { PaymentProvider } from "./payment-provider.ts";
import { monthIn } from "./plan-usage.ts";
import type { Plan } from "./ports.ts";
import type { Account, BillingStores, Checkout } from "./stores.ts";

const TOPUP_MIN = microEur(10_000_000);
const TOPUP_MAX = microEur(1_000_000_000);
export const CRM_BRIDGE_PRICE = microEur(79_000_000);
const RETENTION_BLOCK_PRICE = microEur(5_000_000);

const WAITING_MAX = 1000;

/** What a tenant wants to pay for. */
export type CheckoutInput =
  | { readonly kind: "topup"; readonly amount: MicroEur }
  | { readonly kind: "plan"; readonly plan: string }
  | { readonly kind: "crm_bridge" }
  | { readonly kind: "retention"; readonly blocks: number };

export interface OpenCheckout {
  /** `chk_…` */
  readonly id: string;
  readonly kind: CheckoutInput["kind"];
  readonly amount: MicroEur;
  readonly status: "open";
  readonly expiresAtMs: number;
  /** Where to pay. */
  readonly url: string;
}

export interface Checkouts {
  /**
   * Opens a checkout with the configured provider. Throws valid_amount_eur_required (outside EUR
   * 10–1000, or fractions of a cent), valid_plan_required, valid_blocks_required (over 6 months in
   * all), conflict (the tenant has it already).
   */
  open(tenantId: number, input: CheckoutInput): Promise<OpenCheckout>;
  /** By its unguessable id, for the checkout page. Throws not_found. */
  get(id: string): Promise<Checkout>;
  /** Newest first. */
  list(tenantId: number): Promise<readonly Checkout[]>;
  /** Over all tenants: what waits for the operator's confirmation, newest first, at most 1000. */
  waiting(): Promise<readonly Checkout[]>;
  /**
   * The operator says that the money of a bank transfer has arrived. Fulfils once; confirming a paid
   * one again answers it and changes nothing. Throws not_found, or conflict when it expired, is paid
   * through a provider of its own, or can no longer be fulfilled.
   */
  confirm(id: string): Promise<Checkout>;
  /**
   * The provider has the money: fulfils once, also when the checkout has expired meanwhile. What can
   * no longer be delivered is put on the wallet instead. Throws not_found, or conflict when the
   * session or the amount is not the checkout's.
   */
  fulfil(id: string, payment: ProviderPayment): Promise<Checkout>;
}

/** What a provider says that it has received. */
interface ProviderPayment {
  readonly session: string;
  readonly amount: MicroEur;
}

interface CheckoutOptions {
  readonly database: Database;
  readonly stores: BillingStores;
  readonly plans: readonly Plan[];
  readonly provider: PaymentProvider;
  readonly clock: Clock;
  readonly random?: Random;
}

type Order = Pick<Checkout, "kind" | "amount" | "item">;

const conflict = (publicMessage: string) => new AppError({ code: "conflict", publicMessage });

export class PaymentCheckouts implements Checkouts {
  readonly #random: Random;

  constructor(private readonly options: CheckoutOptions) {
    this.#random = this.options.random ?? systemRandom;
  }

  async open(tenantId: number, input: CheckoutInput): Promise<OpenCheckout> {
    const account = await this.options.stores.accounts(this.options.database.read).find(tenantId);
    const month = monthIn(account.timeZone, this.options.clock.now());
    const planStatus = await this.options.stores
      .renewals(this.options.database.read)
      .planStatus(tenantId, month);
    const order = orderFor(input, account, this.options.plans, planStatus === "refunded");
    const id = `chk_${hex(this.#random.bytes(16))}`;
    const createdAt = this.options.clock.now();
    const checkout: Checkout = {
      id,
      tenantId,
      ...order,
      provider: this.options.provider.name,
      providerSession: null,
      status: "open",
      createdAt,
      expiresAt: createdAt + this.options.provider.validForMs,
      paidAt: null,
    };
    await this.options.database.tx((queries) =>
      this.options.stores.checkouts(queries).insert(checkout),
    );
    const url = await this.#openAtProvider(checkout);
    const { kind, amount } = order;
    return { id, kind, amount, status: "open", expiresAtMs: checkout.expiresAt, url };
  }

  /** Answers where to pay. A checkout that the provider refused is cancelled. */
  async #openAtProvider(checkout: Checkout): Promise<string> {
    const { id } = checkout;
    try {
      const { checkoutUrl, providerSession } = await this.options.provider.open(checkout);
      if (providerSession !== null)
        await this.options.database.tx((queries) =>
          this.options.stores.checkouts(queries).setSession(id, providerSession),
        );
      return checkoutUrl;
    } catch (error) {
      await this.options.database.tx((queries) =>
        this.options.stores.checkouts(queries).cancel(id),
      );
      throw error;
    }
  }

  /** The record as it is now: an open one past its time has expired. */
  #asOfNow(checkout: Checkout): Checkout {
    return checkout.status === "open" && checkout.expiresAt <= this.options.clock.now()
      ? { ...checkout, status: "expired" }
      : checkout;
  }

  async #find(queries: Queries, id: string): Promise<Checkout> {
    const found = await this.options.stores.checkouts(queries).find(id);
    if (!found) throw notFound("checkout");
    return this.#asOfNow(found);
  }

  async #confirm(queries: Queries, id: string): Promise<Checkout> {
    const checkout = await this.#find(queries, id);
    if (checkout.status === "paid") return checkout;
    if (checkout.status !== "open")
      throw conflict(
        `This checkout is ${checkout.status}. Ask the tenant for a new one, or book the money with a credit.`,
      );
    if (checkout.provider !== "manual")
      throw conflict(`This checkout is paid through ${checkout.provider}, which confirms it.`);
    const paidAt = this.options.clock.now();
    if (!(await this.options.stores.checkouts(queries).markPaid(id, paidAt, ["open"])))
      return this.#find(queries, id);
    await bookPayment(this.options.stores, queries, checkout, paidAt);
    if (!(await deliverItem(this.options.stores, queries, checkout, this.options.plans, paidAt)))
      throw conflict("What this checkout buys can no longer be delivered.");
    return { ...checkout, status: "paid", paidAt };
  }

  async #fulfil(queries: Queries, id: string, payment: ProviderPayment): Promise<Checkout> {
    const records = this.options.stores.checkouts(queries);
    const checkout = await records.find(id);
    if (!checkout) throw notFound("checkout");
    if ((checkout.providerSession ?? payment.session) !== payment.session)
      throw conflict(`Payment ${payment.session} is not that of checkout ${id}.`);
    if (payment.amount !== checkout.amount)
      throw conflict(`Payment ${payment.session} has another amount than checkout ${id}.`);
    const paidAt = this.options.clock.now();
    if (!(await records.markPaid(id, paidAt, ["open", "expired", "cancelled"]))) return checkout;
    await records.setSession(id, payment.session);
    const delivered = await deliverItem(
      this.options.stores,
      queries,
      checkout,
      this.options.plans,
      paidAt,
    );
    await bookPayment(
      this.options.stores,
      queries,
      delivered ? checkout : asWalletMoney(checkout),
      paidAt,
    );
    return { ...checkout, status: "paid", paidAt, providerSession: payment.session };
  }

  get(id: string) {
    return this.#find(this.options.database.read, id);
  }

  async list(tenantId: number) {
    return (await this.options.stores.checkouts(this.options.database.read).list(tenantId)).map(
      (found) => this.#asOfNow(found),
    );
  }

  async waiting() {
    const nowMs = this.options.clock.now();
    return this.options.stores
      .checkouts(this.options.database.read)
      .listOpen("manual", nowMs, WAITING_MAX);
  }

  confirm(id: string) {
    return this.options.database.tx((queries) => this.#confirm(queries, id));
  }

  fulfil(id: string, payment: ProviderPayment) {
    return this.options.database.tx((queries) => this.#fulfil(queries, id, payment));
  }
}

function requireTopupAmount(amount: MicroEur): void {
  const inBounds = amount >= TOPUP_MIN && amount <= TOPUP_MAX;
  if (inBounds && amount % MICRO_PER_CENT === 0) return;
  throw invalidField("amount_eur", "amount_eur must be 10 to 1000 EUR, in whole cents.");
}

/**
 * Price and record of an input, checked against what the tenant has. `planEnded`: the plan's month was
 * refunded, so that the same plan may be bought again.
 */
function orderFor(
  input: CheckoutInput,
  account: Account,
  plans: readonly Plan[],
  planEnded: boolean,
): Order {
  switch (input.kind) {
    case "topup":
      requireTopupAmount(input.amount);
      return { kind: "topup", amount: input.amount, item: null };
    case "plan": {
      const plan = plans.find((found) => found.slug === input.plan);
      if (!plan)
        throw invalidField(
          "plan",
          `plan must be one of: ${plans.map((found) => found.slug).join(", ")}.`,
        );
      if (plan.slug === account.planSlug && !planEnded) throw conflict("This is the current plan.");
      return { kind: "plan", amount: plan.pricePerMonth, item: plan.slug };
    }
    case "crm_bridge":
      if (account.crmBridge) throw conflict("The CRM bridge is already on.");
      return { kind: "crm_bridge", amount: CRM_BRIDGE_PRICE, item: null };
    case "retention": {
      const left = RETENTION_BLOCKS_MAX - account.retentionBlocks;
      if (
        !Number.isInteger(input.blocks) ||
        input.blocks < 1 ||
        input.blocks > RETENTION_BLOCKS_MAX
      )
        throw invalidField("blocks", `blocks must be 1 to ${RETENTION_BLOCKS_MAX}.`);
      if (input.blocks > left)
        throw invalidField("blocks", `Only ${left} more blocks fit into 6 months in all.`);
      const amount = microEur(RETENTION_BLOCK_PRICE * input.blocks);
      return { kind: "retention", amount, item: String(input.blocks) };
    }
    default:
      return unreachable(input);
  }
}
