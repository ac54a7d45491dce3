/** Ports for billing's rows. */

import type { Queries } from "../../core/database.ts";
import type { MicroEur } from "../../core/money.ts";
import type { Reader } from "../mail/reader.ts";
import type { Charge } from "./ports.ts";

export const LEDGER_ACCOUNTS = [
  /** What we owe the tenant: its prepaid balance. */
  "wallet",
  /** Money from payment providers and the operator. */
  "payments",
  /** Revenue from overage, subscriptions, retention and add-ons. */
  "revenue",
  /** Credits from the operator. */
  "credits",
  /** The tenant's debt after a chargeback of spent money; negative. */
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
  /** Idempotency key, unique on the whole appliance. */
  readonly key: string;
  readonly kind: LedgerKind;
  readonly note: string;
  readonly createdAt: number;
}

/** End of a call's money: releases the hold, posts and counts the charge. */
export interface Settlement extends Omit<LedgerTransaction, "kind"> {
  readonly callUuid: string;
  /** Month of the used plan seconds. */
  readonly month: string;
  readonly includedSeconds: number;
  readonly entries: readonly LedgerEntry[];
}

export interface LedgerStore {
  /** Returns the new row's id; null if the key was posted before. */
  insertTransaction(tenantId: number, transaction: LedgerTransaction): Promise<number | null>;
  insertEntries(
    tenantId: number,
    transactionId: number,
    entries: readonly LedgerEntry[],
  ): Promise<void>;
  hasKey(tenantId: number, key: string): Promise<boolean>;
  /** Keys of plan purchases, refunds and what refunds revoked, since a time, in the order of booking. */
  planKeysSince(tenantId: number, sinceMs: number): Promise<readonly string[]>;
  /** Null if the tenant has no transaction with this key. */
  kindOf(tenantId: number, key: string): Promise<LedgerKind | null>;
  /** Sum of one account of the tenant; 0 without entries. */
  sumOf(tenantId: number, account: LedgerAccount): Promise<number>;
  /** Over all tenants, for the audit: transactions whose entries don't sum to zero. */
  unbalanced(): Promise<readonly { transactionId: number; key: string; sum: number }[]>;
  /** Over all tenants: hourly sums (schema/ledger-rollups.ts) that differ from the entries. */
  driftedSums(): Promise<readonly { tenantId: number; drift: number }[]>;
  /** Over all tenants: wallets that differ from the sum of their entries. */
  driftedWallets(): Promise<readonly { tenantId: number; balance: number; sum: number }[]>;
}

export interface WalletStore {
  /** 0 for a tenant without entries. */
  balance(tenantId: number): Promise<MicroEur>;
  add(tenantId: number, amount: MicroEur): Promise<void>;
  /**
   * Wallets of all tenants, or of one, whose level differs from the last notice. The level is the lowest
   * threshold above the balance; the largest safe integer if none is above.
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
  /** Null before the first round of the month. */
  readonly status: Renewal["status"] | null;
  /** Price of the plan for the whole month; 0 for a free month and before its first round. */
  readonly monthPrice: MicroEur;
  readonly secondsUsed: number;
  /** Null: all seconds of the current plan. */
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
  /** Tenants of a zone, not suspended, without a row for this month; at most 1000. */
  withoutMonth(timeZone: string, month: string): Promise<readonly RenewingTenant[]>;
  /** Over all tenants, oldest month first, a tenant's plan before its bridge. */
  due(): Promise<readonly { readonly tenant: RenewingTenant; readonly renewal: Renewal }[]>;
  /** Returns false if the month already has this item. */
  insert(tenantId: number, renewal: Renewal): Promise<boolean>;
  /** Returns true only to the caller that settled it. */
  settle(
    tenantId: number,
    month: string,
    item: Renewal["item"],
    status: "paid" | "unpaid",
    nowMs: number,
  ): Promise<boolean>;
  /** Ends every due or refunded month of an item. */
  lapse(tenantId: number, item: Renewal["item"], nowMs: number): Promise<void>;
  planMonth(tenantId: number, month: string): Promise<PlanMonth>;
  /** Changes the stored month to a bought plan and its full price; nothing is due any more. */
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
  /** Restores a month that `endPlanMonth` ended; other months stay unchanged. */
  restorePlanMonth(tenantId: number, month: string, nowMs: number): Promise<void>;
  /** Whether the wallet has paid for an item in a month after this one. */
  isPaidAfter(tenantId: number, item: Renewal["item"], month: string): Promise<boolean>;
}

export interface Hold {
  readonly callUuid: string;
  /** Month of the held plan seconds: the month in which the call began, in the tenant's zone. */
  readonly month: string;
  readonly planSeconds: number;
  readonly amount: MicroEur;
}

/** Plan seconds by month. */
export interface UsageStore {
  add(tenantId: number, month: string, seconds: number): Promise<void>;
  /** Sets the plan seconds of a month with a bought plan, including the used ones. */
  setIncluded(tenantId: number, month: string, seconds: number): Promise<void>;
}

export interface HoldStore {
  list(tenantId: number): Promise<readonly Hold[]>;
  put(tenantId: number, hold: Hold, nowMs: number): Promise<void>;
  release(tenantId: number, callUuid: string): Promise<void>;
  /** Over all tenants, for the audit: holds whose call has ended or does not exist. */
  orphans(): Promise<readonly { tenantId: number; callUuid: string }[]>;
}

/** Tenant fields that billing reads and changes. */
export interface AccountStore {
  /** Throws not_found. */
  find(tenantId: number): Promise<Account>;
  /** The account, with rate and charge of one call; `call` null: without a call. Throws not_found. */
  accountStatus(
    tenantId: number,
    call: { readonly uuid: string; readonly chargeKey: string } | null,
  ): Promise<AccountStatus>;
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

/** All data that decides about a call's money, in one read. */
export interface AccountStatus {
  readonly planSlug: string;
  readonly timeZone: string;
  readonly balance: MicroEur;
  /** Status of the plan's renewal by month. `secondsUsed`: used plan seconds by month. */
  readonly planStatuses: Readonly<Record<string, Renewal["status"]>>;
  readonly secondsUsed: Readonly<Record<string, number>>;
  /** By month; null or missing: all seconds of the current plan. */
  readonly secondsIncluded: Readonly<Record<string, number | null>>;
  readonly holds: readonly Hold[];
  /** Overage rate per minute when the requesting call began; null if the call does not exist. */
  readonly rate: MicroEur | null;
  /** True if the ledger has the requesting call's charge. */
  readonly isCharged: boolean;
}

/** Call fields that billing reads. */
export interface CallRateStore {
  /** Overage rate per minute when the call began; null if the call does not exist. */
  rateOf(tenantId: number, callUuid: string): Promise<MicroEur | null>;
  /** The charge stored in the call's row; null if the call does not exist. */
  chargeOf(tenantId: number, callUuid: string): Promise<Charge | null>;
}

type CheckoutKind = "topup" | "plan" | "crm_bridge" | "retention";
type CheckoutStatus = "open" | "paid" | "expired" | "cancelled";

export interface Checkout {
  /** `chk_` and 32 hex characters. Anyone who knows it can see its page. */
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
   * Part of the reference, company name or e-mail address. A search also finds replaced checkouts, whose
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
  /** Checkouts of a provider that can still be paid, of all tenants, newest first. */
  waiting(
    provider: Checkout["provider"],
    nowMs: number,
    page: CheckoutPage,
  ): Promise<{ readonly checkouts: readonly Checkout[]; readonly total: number }>;
  /** Cancels the tenant's open ones except the newest `kept`. */
  cancelOlder(tenantId: number, nowMs: number, kept: number): Promise<void>;
  /** Changes it from one of these states to paid. Returns true only to the caller that changed it. */
  markPaid(id: string, nowMs: number, from: readonly CheckoutStatus[]): Promise<boolean>;
  setSession(id: string, providerSession: string): Promise<void>;
  /**
   * Payment time of the latest delivered checkout of this kind, without those that became wallet money; null:
   * never.
   */
  lastPaidAt(tenantId: number, kind: CheckoutKind): Promise<number | null>;
  /** Cancels it if it is open. */
  cancel(id: string): Promise<void>;
}

/** Billing's rows over one `Queries`, so that all changes of a charge commit together. */
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
