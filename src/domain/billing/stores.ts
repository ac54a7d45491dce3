/** The ports for billing's rows. */

import type { Queries } from "../../core/database.ts";
import type { MicroEur } from "../../core/money.ts";
import type { Reader } from "../mail/reader.ts";
import type { Charge } from "./ports.ts";

export const LEDGER_ACCOUNTS = [
  /** What we owe the tenant: its prepaid balance. */
  "wallet",
  /** What came in from payment providers and the operator. */
  "payments",
  /** Earned by overage, subscriptions, retention, add-ons. */
  "revenue",
  /** Given away by the operator. */
  "credits",
  /** The tenant's debt after a chargeback of money that it had spent; negative. */
  "receivable",
] as const;
type LedgerAccount = (typeof LEDGER_ACCOUNTS)[number];

export const LEDGER_KINDS = [
  "charge",
  "topup",
  "credit",
  "plan",
  "retention",
  "add_on",
  "refund",
  "trial",
] as const;
export type LedgerKind = (typeof LEDGER_KINDS)[number];

export interface LedgerEntry {
  readonly account: LedgerAccount;
  /** Positive raises the account. The entries of one transaction sum to zero. */
  readonly amount: MicroEur;
}

export interface LedgerTransaction {
  /** Makes it happen once on the whole appliance. */
  readonly key: string;
  readonly kind: LedgerKind;
  readonly note: string;
  readonly createdAt: number;
}

/** The end of a call's money: its hold is released, and its charge is posted and counted. */
export interface Settlement extends Omit<LedgerTransaction, "kind"> {
  readonly callUuid: string;
  /** Whose plan seconds were taken. */
  readonly month: string;
  readonly includedSeconds: number;
  readonly entries: readonly LedgerEntry[];
}

export interface LedgerStore {
  /** The new row's id, or null when the key was posted before. */
  insertTransaction(tenantId: number, transaction: LedgerTransaction): Promise<number | null>;
  insertEntries(
    tenantId: number,
    transactionId: number,
    entries: readonly LedgerEntry[],
  ): Promise<void>;
  hasKey(tenantId: number, key: string): Promise<boolean>;
  /** null: no transaction of the tenant has this key. */
  kindOf(tenantId: number, key: string): Promise<LedgerKind | null>;
  /** Of one account of the tenant; 0 without entries. */
  sumOf(tenantId: number, account: LedgerAccount): Promise<number>;
  /** Over all tenants, for the audit: transactions whose entries don't sum to zero. */
  unbalanced(): Promise<readonly { transactionId: number; key: string; sum: number }[]>;
  /** Over all tenants: hourly sums (schema/ledger-rollups.ts) that differ from the entries. */
  driftedSums(): Promise<readonly { tenantId: number; drift: number }[]>;
  /** Over all tenants: wallets that differ from the sum of their entries. */
  driftedWallets(): Promise<readonly { tenantId: number; balance: number; sum: number }[]>;
}

export interface WalletStore {
  /** 0 for a tenant that never had an entry. */
  balance(tenantId: number): Promise<MicroEur>;
  add(tenantId: number, amount: MicroEur): Promise<void>;
  /**
   * Wallets of all tenants, or of one, whose level differs from the last notice. The level is the
   * lowest threshold above the balance; the largest safe integer if there is none.
   */
  changedLevels(
    thresholds: readonly MicroEur[],
    tenantId?: number,
  ): Promise<readonly WalletLevel[]>;
  setToldBelow(tenantId: number, level: MicroEur): Promise<void>;
}

interface WalletLevel extends Reader {
  readonly tenantId: number;
  readonly name: string;
  readonly email: string;
  readonly balance: MicroEur;
  readonly level: MicroEur;
  readonly toldBelow: MicroEur;
}

/** One item of one month (billing/renewal.ts). A month with a bought plan is `lapsed`. */
export interface Renewal {
  readonly month: string;
  readonly item: "plan" | "crm_bridge";
  /** Slug of the plan, for the note. */
  readonly plan: string | null;
  readonly amount: MicroEur;
  readonly status: "due" | "paid" | "lapsed" | "unpaid" | "refunded";
  readonly createdAt: number;
  readonly settledAt: number | null;
}

/** A plan's month of a tenant. */
export interface PlanMonth {
  /** null before the first round of the month. */
  readonly status: Renewal["status"] | null;
  /** Price of the plan for the whole month; 0 for a free month and before its first round. */
  readonly monthPrice: MicroEur;
  readonly secondsUsed: number;
  /** null: all seconds of the current plan. */
  readonly secondsIncluded: number | null;
}

export interface RenewingTenant extends Reader {
  readonly id: number;
  readonly name: string;
  readonly email: string;
  readonly planSlug: string;
  readonly crmBridge: boolean;
  readonly suspended: boolean;
  readonly createdAt: number;
}

export interface RenewalStore {
  /** The zones of all tenants. */
  timeZones(): Promise<readonly string[]>;
  /** Tenants of a zone, not suspended, whose month has not begun; at most 1000. */
  withoutMonth(timeZone: string, month: string): Promise<readonly RenewingTenant[]>;
  /** Over all tenants, oldest month first, a tenant's plan before its bridge. */
  due(): Promise<readonly { readonly tenant: RenewingTenant; readonly renewal: Renewal }[]>;
  /** False when the month has this item already. */
  insert(tenantId: number, renewal: Renewal): Promise<boolean>;
  /** True only for the caller that settled it. */
  settle(
    tenantId: number,
    month: string,
    item: Renewal["item"],
    status: "paid" | "unpaid",
    nowMs: number,
  ): Promise<boolean>;
  /** Ends every month of an item that is due or refunded. */
  lapse(tenantId: number, item: Renewal["item"], nowMs: number): Promise<void>;
  planMonth(tenantId: number, month: string): Promise<PlanMonth>;
  /** Changes the stored month to a bought plan and its full price; nothing stays due. */
  setPlanMonth(
    tenantId: number,
    month: string,
    bought: {
      readonly plan: string;
      readonly monthPrice: MicroEur;
      readonly nowMs: number;
    },
  ): Promise<void>;
  /** Sets a month to `refunded`. */
  endPlanMonth(tenantId: number, month: string, plan: string | null, nowMs: number): Promise<void>;
  /** Restores a month that `endPlanMonth` ended; others are left alone. */
  restorePlanMonth(tenantId: number, month: string, nowMs: number): Promise<void>;
  /** Whether the wallet has paid for an item in a month after this one. */
  isPaidAfter(tenantId: number, item: Renewal["item"], month: string): Promise<boolean>;
}

export interface Hold {
  readonly callUuid: string;
  /** The month whose plan seconds it holds: the month the call began in, in the tenant's zone. */
  readonly month: string;
  readonly planSeconds: number;
  readonly amount: MicroEur;
}

/** Plan seconds by month. */
export interface UsageStore {
  add(tenantId: number, month: string, seconds: number): Promise<void>;
  /** Plan seconds of a month in which a plan was bought, the used ones included. */
  setIncluded(tenantId: number, month: string, seconds: number): Promise<void>;
}

export interface HoldStore {
  list(tenantId: number): Promise<readonly Hold[]>;
  put(tenantId: number, hold: Hold, nowMs: number): Promise<void>;
  release(tenantId: number, callUuid: string): Promise<void>;
  /** Over all tenants, for the audit: holds whose call has ended or does not exist. */
  orphans(): Promise<readonly { tenantId: number; callUuid: string }[]>;
}

/** What billing reads and changes of the tenant. */
export interface AccountStore {
  /** Throws not_found. */
  find(tenantId: number): Promise<Account>;
  /** As one call sees it; null: no call asks. Throws not_found. */
  standing(
    tenantId: number,
    call: { readonly uuid: string; readonly chargeKey: string } | null,
  ): Promise<Standing>;
  setPlan(tenantId: number, slug: string): Promise<void>;
  setCrmBridge(tenantId: number, on: boolean): Promise<void>;
  setRetentionBlocks(tenantId: number, blocks: number): Promise<void>;
}

export interface Account {
  readonly planSlug: string;
  readonly timeZone: string;
  readonly crmBridge: boolean;
  readonly retentionBlocks: number;
}

/** All that decides on a call's money, read at once. */
export interface Standing {
  readonly planSlug: string;
  readonly timeZone: string;
  readonly balance: MicroEur;
  /** By month: how the plan's renewal stands, and the plan seconds that were used. */
  readonly planStatuses: Readonly<Record<string, Renewal["status"]>>;
  readonly secondsUsed: Readonly<Record<string, number>>;
  /** By month; null or missing: all seconds of the current plan. */
  readonly secondsIncluded: Readonly<Record<string, number | null>>;
  readonly holds: readonly Hold[];
  /** Overage rate a minute as it was when the asking call began; null: no such call. */
  readonly rate: MicroEur | null;
  /** The ledger has the asking call's charge. */
  readonly isCharged: boolean;
}

/** What billing reads of a call. */
export interface CallRateStore {
  /** Overage rate a minute as it was when the call began; null: no such call. */
  rateOf(tenantId: number, callUuid: string): Promise<MicroEur | null>;
  /** What the call's row says it was charged; null: no such call. */
  chargeOf(tenantId: number, callUuid: string): Promise<Charge | null>;
}

export type CheckoutKind = "topup" | "plan" | "crm_bridge" | "retention";
export type CheckoutStatus = "open" | "paid" | "expired" | "cancelled";

export interface Checkout {
  /** `chk_` and 32 hex characters. Whoever knows it may see its page. */
  readonly id: string;
  readonly tenantId: number;
  readonly kind: CheckoutKind;
  readonly amount: MicroEur;
  /** The plan's slug, or the number of retention blocks. */
  readonly item: string | null;
  readonly provider: "manual" | "stripe";
  readonly providerSession: string | null;
  readonly status: CheckoutStatus;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly paidAt: number | null;
}

export interface CheckoutPage {
  /**
   * Part of the reference, company name or e-mail address. A search finds replaced checkouts, too: their
   * transfer may still arrive. Empty: all open ones.
   */
  readonly search: string;
  readonly limit: number;
  readonly offset: number;
}

export interface CheckoutStore {
  insert(checkout: Checkout): Promise<void>;
  find(id: string): Promise<Checkout | null>;
  list(tenantId: number): Promise<readonly Checkout[]>;
  /** Those of a provider that can still be paid, over all tenants, newest first. */
  waiting(
    provider: Checkout["provider"],
    nowMs: number,
    page: CheckoutPage,
  ): Promise<{ readonly checkouts: readonly Checkout[]; readonly total: number }>;
  /** Cancels the tenant's open ones but the newest `kept`. */
  cancelOlder(tenantId: number, nowMs: number, kept: number): Promise<void>;
  /** True only for the caller that changed it from one of these states to paid. */
  markPaid(id: string, nowMs: number, from: readonly CheckoutStatus[]): Promise<boolean>;
  setSession(id: string, providerSession: string): Promise<void>;
  /** When the latest one that delivered this kind was paid, not one that became wallet money; null: never. */
  lastPaidAt(tenantId: number, kind: CheckoutKind): Promise<number | null>;
  /** Only an open one. */
  cancel(id: string): Promise<void>;
}

/** Billing's rows over one `Queries`: everything that a charge touches commits together. */
export interface Books {
  readonly ledger: LedgerStore;
  readonly wallet: WalletStore;
  readonly holds: HoldStore;
  readonly usage: UsageStore;
  readonly accounts: AccountStore;
  readonly callRates: CallRateStore;
  readonly checkouts: CheckoutStore;
  readonly renewals: RenewalStore;
}

/** Implemented by store/billing/billing-stores.ts. */
export type BillingStores = (queries: Queries) => Books;
