/**
 * Checkouts: what a tenant can buy, at what price, and its fulfilment once it is paid (decisions 8).
 *
 * A checkout is fulfilled once: the step from open to paid, the ledger transaction (key
 * `checkout:<id>`) and the change it buys commit together. The machine is small enough for a row:
 * open → paid | expired; both ends absorb. Expiry is a matter of time and needs no job.
 */
import type { Clock } from "../core/clock.ts";
import { AppError, invalidField, notFound, unreachable } from "../core/errors.ts";
import { hex } from "../core/ids.ts";
import { type MicroEur, microEur } from "../core/money.ts";
import { type Random, systemRandom } from "../core/random.ts";
import type { Database, Queries } from "../store/database.ts";
import { move, post } from "./ledger.ts";
import type { PaymentProvider } from "./payments/provider.ts";
import type { Plan } from "./ports.ts";
import type { Account, BillingStores, Checkout, LedgerKind } from "./stores.ts";

export const TOPUP_MIN = microEur(10_000_000);
export const TOPUP_MAX = microEur(1_000_000_000);
export const CRM_BRIDGE_PRICE = microEur(79_000_000);
export const RETENTION_BLOCK_PRICE = microEur(5_000_000);
/** 30 days to begin with and five blocks: 6 months in all. */
export const RETENTION_BLOCKS_MAX = 5;
const MICRO_PER_CENT = 10_000;

/** What a tenant wants to pay for. */
export type CheckoutWish =
  | { readonly kind: "topup"; readonly amount: MicroEur }
  | { readonly kind: "plan"; readonly plan: string }
  | { readonly kind: "crm_bridge" }
  | { readonly kind: "retention"; readonly blocks: number };

export interface OpenCheckout {
  /** `chk_…` */
  readonly id: string;
  readonly kind: CheckoutWish["kind"];
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
  open(tenantId: number, wish: CheckoutWish): Promise<OpenCheckout>;
  /** By its unguessable id, for the checkout page. Throws not_found. */
  get(id: string): Promise<Checkout>;
  /** Newest first. */
  list(tenantId: number): Promise<readonly Checkout[]>;
  /**
   * The money has arrived. Fulfils once; confirming a paid one again answers it and changes nothing.
   * Throws not_found, or conflict when it expired or can no longer be fulfilled.
   */
  confirm(id: string): Promise<Checkout>;
}

export interface CheckoutOptions {
  readonly database: Database;
  readonly stores: BillingStores;
  readonly plans: readonly Plan[];
  readonly provider: PaymentProvider;
  readonly clock: Clock;
  readonly random?: Random;
}

type Order = Pick<Checkout, "kind" | "amount" | "item">;

const conflict = (publicMessage: string) => new AppError({ code: "conflict", publicMessage });

export function createCheckouts(options: CheckoutOptions): Checkouts {
  const { database, stores, plans, provider, clock, random = systemRandom } = options;

  async function open(tenantId: number, wish: CheckoutWish): Promise<OpenCheckout> {
    const account = await stores.accounts(database.read).find(tenantId);
    const order = orderFor(wish, account, plans);
    const id = `chk_${hex(random.bytes(16))}`;
    const { checkoutUrl, providerSession } = await provider.open({ id, tenantId, ...order });
    const createdAt = clock.now();
    const checkout: Checkout = {
      id,
      tenantId,
      ...order,
      provider: provider.name,
      providerSession,
      status: "open",
      createdAt,
      expiresAt: createdAt + provider.validForMs,
      paidAt: null,
    };
    await database.tx((queries) => stores.checkouts(queries).insert(checkout));
    const { kind, amount } = order;
    return { id, kind, amount, status: "open", expiresAtMs: checkout.expiresAt, url: checkoutUrl };
  }

  /** The record as it is now: an open one past its time has expired. */
  const asOfNow = (checkout: Checkout): Checkout =>
    checkout.status === "open" && checkout.expiresAt <= clock.now()
      ? { ...checkout, status: "expired" }
      : checkout;

  async function find(queries: Queries, id: string): Promise<Checkout> {
    const found = await stores.checkouts(queries).find(id);
    if (!found) throw notFound("checkout");
    return asOfNow(found);
  }

  async function confirm(queries: Queries, id: string): Promise<Checkout> {
    const checkout = await find(queries, id);
    if (checkout.status === "paid") return checkout;
    if (checkout.status !== "open")
      throw conflict(
        `This checkout is ${checkout.status}. Ask the tenant for a new one, or book the money with a credit.`,
      );
    const paidAt = clock.now();
    if (!(await stores.checkouts(queries).markPaid(id, paidAt))) return find(queries, id);
    await book(queries, checkout, paidAt);
    await deliver(queries, checkout);
    return { ...checkout, status: "paid", paidAt };
  }

  async function book(queries: Queries, checkout: Checkout, paidAt: number): Promise<void> {
    const transaction = {
      key: `checkout:${checkout.id}`,
      kind: ledgerKindOf(checkout.kind),
      note: noteOf(checkout),
      createdAt: paidAt,
    };
    const account = checkout.kind === "topup" ? "wallet" : "revenue";
    const entries = move("payments", account, checkout.amount);
    await post(stores, queries, checkout.tenantId, transaction, entries);
  }

  async function deliver(queries: Queries, checkout: Checkout): Promise<void> {
    const accounts = stores.accounts(queries);
    const account = await accounts.find(checkout.tenantId);
    switch (checkout.kind) {
      case "topup":
        return;
      case "plan":
        return accounts.setPlan(checkout.tenantId, checkout.item ?? account.planSlug);
      case "crm_bridge":
        return accounts.setCrmBridge(checkout.tenantId, true);
      case "retention": {
        const blocks = account.retentionBlocks + Number(checkout.item);
        if (blocks > RETENTION_BLOCKS_MAX)
          throw conflict("The tenant already has the longest retention: 6 months.");
        return accounts.setRetentionBlocks(checkout.tenantId, blocks);
      }
      default:
        return unreachable(checkout.kind);
    }
  }

  return {
    open,
    get: (id) => find(database.read, id),
    list: async (tenantId) =>
      (await stores.checkouts(database.read).list(tenantId)).map((found) => asOfNow(found)),
    confirm: (id) => database.tx((queries) => confirm(queries, id)),
  };
}

function requireTopupAmount(amount: MicroEur): void {
  const inBounds = amount >= TOPUP_MIN && amount <= TOPUP_MAX;
  if (inBounds && amount % MICRO_PER_CENT === 0) return;
  throw invalidField("amount_eur", "amount_eur must be 10 to 1000 EUR, in whole cents.");
}

/** Price and record of a wish, checked against what the tenant has. */
function orderFor(wish: CheckoutWish, account: Account, plans: readonly Plan[]): Order {
  switch (wish.kind) {
    case "topup":
      requireTopupAmount(wish.amount);
      return { kind: "topup", amount: wish.amount, item: null };
    case "plan": {
      const plan = plans.find((found) => found.slug === wish.plan);
      if (!plan)
        throw invalidField(
          "plan",
          `plan must be one of: ${plans.map((found) => found.slug).join(", ")}.`,
        );
      if (plan.slug === account.planSlug) throw conflict("This is the current plan.");
      return { kind: "plan", amount: plan.pricePerMonth, item: plan.slug };
    }
    case "crm_bridge":
      if (account.crmBridge) throw conflict("The CRM bridge is already on.");
      return { kind: "crm_bridge", amount: CRM_BRIDGE_PRICE, item: null };
    case "retention": {
      const left = RETENTION_BLOCKS_MAX - account.retentionBlocks;
      if (!Number.isInteger(wish.blocks) || wish.blocks < 1 || wish.blocks > RETENTION_BLOCKS_MAX)
        throw invalidField("blocks", `blocks must be 1 to ${RETENTION_BLOCKS_MAX}.`);
      if (wish.blocks > left)
        throw invalidField("blocks", `Only ${left} more blocks fit into 6 months in all.`);
      const amount = microEur(RETENTION_BLOCK_PRICE * wish.blocks);
      return { kind: "retention", amount, item: String(wish.blocks) };
    }
    default:
      return unreachable(wish);
  }
}

function ledgerKindOf(kind: Checkout["kind"]): LedgerKind {
  return kind === "crm_bridge" ? "add_on" : kind;
}

function noteOf(checkout: Checkout): string {
  switch (checkout.kind) {
    case "topup":
      return "Top-up";
    case "plan":
      return `Plan ${checkout.item}`;
    case "crm_bridge":
      return "CRM bridge, one month";
    case "retention":
      return `Transcript retention, ${checkout.item} × 30 days`;
    default:
      return unreachable(checkout.kind);
  }
}
