/**
 * Checkouts: what a tenant can buy, its price, and its delivery after the payment (decisions 8).
 *
 *   open ──► paid | expired | cancelled ──► paid
 *
 * A checkout is fulfilled once: the step to paid, the ledger transaction (key `checkout:<id>`) and the
 * purchased change commit together. An open checkout past its time counts as expired; this needs no job. A
 * tenant has at most ten open ones; a new one replaces (cancels) the oldest.
 *
 * The row is written before the request to the provider, because the provider may report the payment before its
 * response.
 */
import type { Clock } from "../../core/clock.ts";
import type { Database } from "../../core/database.ts";
import { AppError, invalidField, notFound, unreachable } from "../../core/errors.ts";
import { checkoutId } from "../../core/ids.ts";
import type { MessageReason } from "../../core/message-reasons.ts";
import { MICRO_PER_CENT, type MicroEur, microEur } from "../../core/money.ts";
import { type Random, systemRandom } from "../../core/random.ts";
import {
  asWalletMoney,
  bookPayment,
  deliverItem,
  RETENTION_BLOCKS_MAX,
  retentionOf,
} from "./fulfilment.ts";
import type { PaymentProvider } from "./payment-provider.ts";
import { endOfMonth, planPriceNow } from "./plan-purchase.ts";
import { monthIn } from "./plan-usage.ts";
import type { Plan } from "./ports.ts";
import type { Account, BillingStores, Books, Checkout, CheckoutPage } from "./stores.ts";

const TOPUP_MIN = microEur(10_000_000);
const TOPUP_MAX = microEur(1_000_000_000);
export const CRM_BRIDGE_PRICE = microEur(79_000_000);
const RETENTION_BLOCK_PRICE = microEur(5_000_000);

/** Maximum open checkouts per tenant: a new one replaces the oldest. */
const OPEN_MAX = 10;

/** Item to buy. */
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
  /** Payment page. */
  readonly url: string;
}

/** A payment that the provider reports. */
interface ProviderPayment {
  readonly session: string;
  readonly amount: MicroEur;
}

interface CheckoutOptions {
  readonly database: Database;
  readonly stores: BillingStores;
  readonly plans: readonly Plan[];
  readonly provider: PaymentProvider;
  /** Days that transcripts are kept without paid blocks. Default: 30. */
  readonly transcriptsDays?: number;
  readonly clock: Clock;
  readonly random?: Random;
}

type Order = Pick<Checkout, "kind" | "amount" | "item">;

const conflict = (publicMessage: string, reason?: MessageReason) =>
  new AppError({ code: "conflict", publicMessage, reason });

export class Checkouts {
  constructor(private readonly options: CheckoutOptions) {}

  /**
   * Opens a checkout with the configured provider. Throws valid_amount_eur_required (outside EUR 10–1000, or
   * fractions of a cent), valid_plan_required, valid_blocks_required (over 6 months in total), conflict (the
   * tenant already has the item).
   */
  async open(tenantId: number, input: CheckoutInput): Promise<OpenCheckout> {
    const { database, stores, plans, provider, clock, random = systemRandom } = this.options;
    const books = stores(database.read);
    const account = await books.accounts.find(tenantId);
    const createdAt = clock.now();
    const offer = await this.#planOffer(books, tenantId, account);
    const { blocksLeft } = retentionOf(account.retentionBlocks, this.options.transcriptsDays);
    const order = orderFor(input, account, { plans, offer, blocksLeft });
    const validUntil = createdAt + provider.validForMs;
    // A Stripe session lives at least 30 minutes. A payment after the month's end becomes wallet money.
    const isOfMonth = input.kind === "plan" && provider.name === "manual";
    const monthEnd = endOfMonth(account.timeZone, createdAt);
    const checkout: Checkout = {
      id: checkoutId(random),
      tenantId,
      ...order,
      provider: provider.name,
      providerSession: null,
      status: "open",
      createdAt,
      expiresAt: isOfMonth ? Math.min(validUntil, monthEnd) : validUntil,
      paidAt: null,
    };
    await database.tx(async (queries) => {
      const { checkouts } = stores(queries);
      await checkouts.insert(checkout);
      await checkouts.cancelOlder(tenantId, createdAt, OPEN_MAX);
    });
    const url = await this.#openAtProvider(checkout);
    const { id, kind, amount, expiresAt } = checkout;
    return { id, kind, amount, status: "open", expiresAtMs: expiresAt, url };
  }

  /** Current price of each plan for the tenant, by slug; null if the tenant cannot buy it. */
  async planPrices(tenantId: number): Promise<ReadonlyMap<string, MicroEur | null>> {
    const { database, stores, plans } = this.options;
    const books = stores(database.read);
    const offer = await this.#planOffer(books, tenantId, await books.accounts.find(tenantId));
    return new Map(plans.map((plan) => [plan.slug, offer(plan)]));
  }

  /** Finds a checkout by its unguessable id, for the checkout page. Throws not_found. */
  get(id: string): Promise<Checkout> {
    return this.#find(this.options.stores(this.options.database.read), id);
  }

  /** Newest first. */
  async list(tenantId: number): Promise<readonly Checkout[]> {
    const { database, stores } = this.options;
    const found = await stores(database.read).checkouts.list(tenantId);
    return found.map((checkout) => this.#asOfNow(checkout));
  }

  /** Checkouts of all tenants that wait for the operator's confirmation, newest first. */
  waiting(page: CheckoutPage) {
    const { database, stores, clock } = this.options;
    const asked = { ...page, search: page.search.trim() };
    return stores(database.read).checkouts.waiting("manual", clock.now(), asked);
  }

  /**
   * The operator confirms that a bank transfer has arrived. Fulfils the checkout once; a paid one is
   * returned unchanged. Throws not_found, or conflict if it expired, is paid through another
   * provider, or can no longer be fulfilled.
   */
  confirm(id: string): Promise<Checkout> {
    const { database, stores, clock } = this.options;
    return database.tx(async (queries) => {
      const books = stores(queries);
      const checkout = await this.#find(books, id);
      if (checkout.status === "paid") return checkout;
      requireConfirmable(checkout, clock.now());
      const paidAt = clock.now();
      if (!(await books.checkouts.markPaid(id, paidAt, ["open", "cancelled"])))
        return this.#find(books, id);
      await bookPayment(books, checkout, paidAt);
      if (!(await deliverItem(books, checkout, this.options, paidAt)))
        throw conflict(
          "The item of this checkout is no longer available. Ask the tenant for a new checkout, or add the money as a credit.",
        );
      return { ...checkout, status: "paid", paidAt };
    });
  }

  /**
   * The provider has received the money: fulfils the checkout once, even if it has expired. If the item can no
   * longer be delivered, the money goes to the wallet. Throws not_found, or conflict if session or amount
   * differ from the checkout's.
   */
  fulfil(id: string, { session, amount }: ProviderPayment): Promise<Checkout> {
    const { database, stores, clock } = this.options;
    return database.tx(async (queries) => {
      const books = stores(queries);
      const checkout = await books.checkouts.find(id);
      if (!checkout) throw notFound("checkout");
      if ((checkout.providerSession ?? session) !== session)
        throw conflict(`Payment ${session} does not belong to checkout ${id}.`);
      if (amount !== checkout.amount)
        throw conflict(`The amounts of payment ${session} and checkout ${id} differ.`);
      const paidAt = clock.now();
      if (!(await books.checkouts.markPaid(id, paidAt, ["open", "expired", "cancelled"])))
        return checkout;
      await books.checkouts.setSession(id, session);
      const delivered = await deliverItem(books, checkout, this.options, paidAt);
      await bookPayment(books, delivered ? checkout : asWalletMoney(checkout), paidAt);
      return { ...checkout, status: "paid", paidAt, providerSession: session };
    });
  }

  /** Current price of a plan; null if the tenant has it already and its month is not refunded. */
  async #planOffer(books: Books, tenantId: number, { planSlug, timeZone }: Account) {
    const { provider, clock } = this.options;
    const nowMs = clock.now();
    const month = await books.renewals.planMonth(tenantId, monthIn(timeZone, nowMs));
    return (plan: Plan): MicroEur | null =>
      plan.slug === planSlug && month.status !== "refunded"
        ? null
        : planPriceNow(plan, month, timeZone, provider.amountMin, nowMs);
  }

  /** Returns the payment page. A checkout that the provider rejects is cancelled. */
  async #openAtProvider(checkout: Checkout): Promise<string> {
    const { database, stores, provider } = this.options;
    const { id } = checkout;
    try {
      const { checkoutUrl, providerSession } = await provider.open(checkout);
      if (providerSession !== null)
        await database.tx((queries) => stores(queries).checkouts.setSession(id, providerSession));
      return checkoutUrl;
    } catch (error) {
      await database.tx((queries) => stores(queries).checkouts.cancel(id));
      throw error;
    }
  }

  async #find(books: Books, id: string): Promise<Checkout> {
    const found = await books.checkouts.find(id);
    if (!found) throw notFound("checkout");
    return this.#asOfNow(found);
  }

  /** An open checkout past its time has expired. */
  #asOfNow(checkout: Checkout): Checkout {
    return checkout.status === "open" && checkout.expiresAt <= this.options.clock.now()
      ? { ...checkout, status: "expired" }
      : checkout;
  }
}

/** A transfer may also arrive for a replaced checkout. */
function requireConfirmable({ status, provider, expiresAt }: Checkout, nowMs: number): void {
  const isReplaced = status === "cancelled" && provider === "manual" && expiresAt > nowMs;
  if (status !== "open" && !isReplaced)
    throw conflict(
      `This checkout is ${status}. Ask the tenant for a new one, or add the money as a credit.`,
    );
  if (provider !== "manual")
    throw conflict(`This checkout is paid through ${provider}, which confirms the payment itself.`);
}

function requireTopupAmount(amount: MicroEur): void {
  const inBounds = amount >= TOPUP_MIN && amount <= TOPUP_MAX;
  if (inBounds && amount % MICRO_PER_CENT === 0) return;
  throw invalidField(
    "amount_eur",
    "`amount_eur` must be an amount of EUR from 10 to 1000, in whole cents.",
    { reason: "amount", params: { from: 10, to: 1000 } },
  );
}

/**
 * Price and record of an input, checked against the tenant's items. `offer`: current price of a plan; null if
 * the tenant has it. `blocksLeft`: retention blocks that still fit.
 */
function orderFor(
  input: CheckoutInput,
  account: Account,
  {
    plans,
    offer,
    blocksLeft,
  }: {
    readonly plans: readonly Plan[];
    readonly offer: (plan: Plan) => MicroEur | null;
    readonly blocksLeft: number;
  },
): Order {
  switch (input.kind) {
    case "topup":
      requireTopupAmount(input.amount);
      return { kind: "topup", amount: input.amount, item: null };
    case "plan": {
      const plan = plans.find((found) => found.slug === input.plan);
      const slugs = plans.map(({ slug }) => slug).join(", ");
      if (!plan) throw invalidField("plan", `\`plan\` must be one of: ${slugs}.`);
      const amount = offer(plan);
      if (amount === null) throw conflict("This is the current plan.", "bought");
      return { kind: "plan", amount, item: plan.slug };
    }
    case "crm_bridge":
      if (account.crmBridge) throw conflict("The CRM bridge is already on.", "bought");
      return { kind: "crm_bridge", amount: CRM_BRIDGE_PRICE, item: null };
    case "retention": {
      const { blocks } = input;
      if (!Number.isInteger(blocks) || blocks < 1 || blocks > RETENTION_BLOCKS_MAX)
        throw invalidField("blocks", `blocks must be 1 to ${RETENTION_BLOCKS_MAX}.`);
      if (blocks > blocksLeft)
        throw invalidField(
          "blocks",
          `The maximum is 6 months in all. You can still buy ${blocksLeft} blocks.`,
        );
      const amount = microEur(RETENTION_BLOCK_PRICE * blocks);
      return { kind: "retention", amount, item: String(blocks) };
    }
    default:
      return unreachable(input);
  }
}
