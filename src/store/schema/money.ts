/** Double-entry ledger (append-only, enforced by triggers in the migration), holds and checkouts. */
import { sql } from "drizzle-orm";
import {
  index,
  integer,
  primaryKey,
  real,
  sqliteTable,
  text,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";
import { microEur } from "../../core/money.ts";
import { LEDGER_ACCOUNTS, LEDGER_KINDS } from "../../features/billing/stores.ts";
import { id, money, time } from "./columns.ts";
import { tenantId, tenants } from "./tenants.ts";

export const ledgerTransactions = sqliteTable(
  "ledger_transactions",
  {
    id: id(),
    tenantId: tenantId(),
    /** Idempotency key: `call:<uuid>`, `checkout:<id>`, `credit:<uuid>`. */
    key: text("key").notNull(),
    kind: text("kind", { enum: LEDGER_KINDS }).notNull(),
    note: text("note").notNull(),
    createdAt: time("created_at").notNull(),
  },
  (t) => [
    uniqueIndex("ledger_transactions_key").on(t.key),
    index("ledger_transactions_tenant").on(t.tenantId, t.createdAt),
    // Transactions that a statement lists individually: few compared to call charges.
    index("ledger_transactions_listed").on(t.tenantId, t.createdAt).where(sql`kind <> 'charge'`),
  ],
);

/** The entries of a transaction sum to zero; a positive amount increases the account. */
export const ledgerEntries = sqliteTable(
  "ledger_entries",
  {
    id: id(),
    transactionId: integer("transaction_id")
      .notNull()
      .references(() => ledgerTransactions.id),
    tenantId: integer("tenant_id").notNull(),
    account: text("account", { enum: LEDGER_ACCOUNTS }).notNull(),
    amount: money("amount").notNull(),
  },
  (t) => [
    index("ledger_entries_account").on(t.tenantId, t.account),
    index("ledger_entries_transaction").on(t.transactionId),
  ],
);

/** The sum of a tenant's wallet entries, maintained in the same transaction. */
export const wallets = sqliteTable("wallets", {
  tenantId: integer("tenant_id")
    .primaryKey()
    .references(() => tenants.id),
  balance: money("balance").notNull(),
  /**
   * Lowest threshold above the balance at the last check; the largest safe integer if none is above. Default
   * 0: all thresholds count as notified, so that a first payment causes no notice.
   */
  toldBelow: money("told_below").notNull().default(microEur(0)),
});

/**
 * Wallet payments of a tenant per calendar month of its zone: one row per month and item. `lapsed`: not
 * charged, because it was paid otherwise. `unpaid`: the month has ended unpaid. `refunded`: ended, because
 * its payment was reversed.
 */
export const renewals = sqliteTable(
  "renewals",
  {
    tenantId: tenantId(),
    /** `2026-11` */
    month: text("month").notNull(),
    item: text("item", { enum: ["plan", "crm_bridge"] }).notNull(),
    /** Slug of the plan when the row was created. */
    plan: text("plan"),
    amount: money("amount").notNull(),
    status: text("status", { enum: ["due", "paid", "lapsed", "unpaid", "refunded"] }).notNull(),
    createdAt: time("created_at").notNull(),
    settledAt: time("settled_at"),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.month, t.item] }),
    index("renewals_due").on(t.status, t.month),
  ],
);

/**
 * Plan seconds of a calendar month of the tenant's zone, such as `2026-11`.
 */
export const planUsage = sqliteTable(
  "plan_usage",
  {
    id: id(),
    tenantId: tenantId(),
    month: text("month").notNull(),
    secondsUsed: integer("seconds_used").notNull(),
    /** Plan seconds of a month with a bought plan; null: all seconds of the current plan. */
    secondsIncluded: integer("seconds_included"),
  },
  (t) => [uniqueIndex("plan_usage_month").on(t.tenantId, t.month)],
);

/** Engine usage of trials (chats, web calls, rehearsals) per day of the tenant's zone. */
export const trialDays = sqliteTable(
  "trial_days",
  {
    tenantId: tenantId(),
    /** `2026-11-21` */
    day: text("day").notNull(),
    seconds: integer("seconds").notNull(),
    /** Seconds beyond the free ones, paid by the wallet. */
    boughtSeconds: integer("bought_seconds").notNull(),
    charged: money("charged").notNull(),
    llmInputTokens: integer("llm_input_tokens").notNull(),
    llmOutputTokens: integer("llm_output_tokens").notNull(),
    embeddingTokens: integer("embedding_tokens").notNull(),
    ttsCharacters: integer("tts_characters").notNull(),
    sttSeconds: real("stt_seconds").notNull(),
    costOfGoods: money("cost_of_goods").notNull(),
  },
  (t) => [primaryKey({ columns: [t.tenantId, t.day] })],
);

/** Funds held by a live call: its next 60 s, first from plan seconds, then from the wallet. */
export const holds = sqliteTable(
  "holds",
  {
    callUuid: text("call_uuid").primaryKey(),
    tenantId: tenantId(),
    month: text("month").notNull(),
    planSeconds: integer("plan_seconds").notNull(),
    amount: money("amount").notNull(),
    createdAt: time("created_at").notNull(),
  },
  (t) => [index("holds_tenant").on(t.tenantId)],
);

export const checkouts = sqliteTable(
  "checkouts",
  {
    /** `chk_` and 32 hex characters. */
    id: text("id").primaryKey(),
    tenantId: tenantId(),
    kind: text("kind", { enum: ["topup", "plan", "crm_bridge", "retention"] }).notNull(),
    amount: money("amount").notNull(),
    /** The plan's slug, or the number of blocks. */
    item: text("item"),
    provider: text("provider", { enum: ["manual", "stripe"] }).notNull(),
    providerSession: text("provider_session"),
    status: text("status", { enum: ["open", "paid", "expired", "cancelled"] }).notNull(),
    createdAt: time("created_at").notNull(),
    expiresAt: time("expires_at").notNull(),
    paidAt: time("paid_at"),
  },
  (t) => [
    index("checkouts_tenant").on(t.tenantId),
    uniqueIndex("checkouts_session").on(t.providerSession),
  ],
);
