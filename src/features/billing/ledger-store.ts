/**
 * Ledger transactions, their entries, and the wallet rows, which must equal the sums of their
 * entries.
 */
import { and, asc, eq, gte, inArray, sql } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import { type MicroEur, microEur } from "../../core/money.ts";
import { arg, rowStatement, statement } from "../../store/query/prepared.ts";
import { readerLocale } from "../../store/query/reader-locale.ts";
import { ledgerRollups } from "../../store/schema/ledger-rollups.ts";
import { ledgerEntries, ledgerTransactions, wallets } from "../../store/schema/money.ts";
import { tenants } from "../../store/schema/tenants.ts";
import type { LedgerStore, WalletStore } from "./stores.ts";

/** Wallets per round. */
const LEVELS_MAX = 1000;

const findKey = statement((queries) =>
  queries
    .select({ id: ledgerTransactions.id })
    .from(ledgerTransactions)
    .where(
      and(eq(ledgerTransactions.tenantId, arg("tenantId")), eq(ledgerTransactions.key, arg("key"))),
    )
    .limit(1)
    .prepare(),
);

const walletBalance = statement((queries) =>
  queries
    .select({ balance: wallets.balance })
    .from(wallets)
    .where(eq(wallets.tenantId, arg("tenantId")))
    .prepare(),
);

const insertTransaction = rowStatement(
  (queries, row: Omit<typeof ledgerTransactions.$inferInsert, "id">) =>
    queries
      .insert(ledgerTransactions)
      .values(row)
      .onConflictDoNothing({ target: ledgerTransactions.key })
      .returning({ id: ledgerTransactions.id })
      .prepare(),
);

const insertEntry = rowStatement((queries, row: Omit<typeof ledgerEntries.$inferInsert, "id">) =>
  queries.insert(ledgerEntries).values(row).prepare(),
);

const addToWallet = statement((queries) =>
  queries
    .insert(wallets)
    .values({ tenantId: arg("tenantId"), balance: arg("amount") })
    .onConflictDoUpdate({
      target: wallets.tenantId,
      set: { balance: sql`${wallets.balance} + excluded.balance` },
    })
    .prepare(),
);

export function ledgerStore(queries: Queries): LedgerStore {
  return {
    ...ledgerChecks(queries),

    async insertTransaction(tenantId, transaction) {
      const { key, kind, note, createdAt } = transaction;
      const row = { tenantId, key, kind, note, createdAt };
      const inserted = await insertTransaction(queries, row).all(row);
      return inserted[0]?.id ?? null;
    },

    async insertEntries(tenantId, transactionId, entries) {
      if (entries.length === 0) return;
      for (const { account, amount } of entries) {
        const row = { tenantId, transactionId, account, amount };
        await insertEntry(queries, row).run(row);
      }
    },

    async hasKey(tenantId, key) {
      return (await findKey(queries).get({ tenantId, key })) !== undefined;
    },

    async planKeysSince(tenantId, sinceMs) {
      const found = await queries
        .select({ key: ledgerTransactions.key })
        .from(ledgerTransactions)
        .where(
          and(
            eq(ledgerTransactions.tenantId, tenantId),
            gte(ledgerTransactions.createdAt, sinceMs),
            // The index of listed transactions contains no charges of calls.
            sql`kind <> 'charge'`,
            inArray(ledgerTransactions.kind, ["plan", "refund"]),
          ),
        )
        .orderBy(asc(ledgerTransactions.id));
      return found.map(({ key }) => key);
    },

    async kindOf(tenantId, key) {
      const found = await queries
        .select({ kind: ledgerTransactions.kind })
        .from(ledgerTransactions)
        .where(and(eq(ledgerTransactions.tenantId, tenantId), eq(ledgerTransactions.key, key)));
      return found[0]?.kind ?? null;
    },

    async sumOf(tenantId, account) {
      const found = await queries
        .select({ sum: sql<number>`coalesce(sum(${ledgerEntries.amount}), 0)` })
        .from(ledgerEntries)
        .where(and(eq(ledgerEntries.tenantId, tenantId), eq(ledgerEntries.account, account)));
      return found[0]?.sum ?? 0;
    },
  };
}

/** Consistency checks over all entries. */
function ledgerChecks(
  queries: Queries,
): Pick<LedgerStore, "unbalanced" | "driftedSums" | "driftedWallets"> {
  return {
    async unbalanced() {
      const sum = sql<number>`sum(${ledgerEntries.amount})`;
      return queries
        .select({ transactionId: ledgerTransactions.id, key: ledgerTransactions.key, sum })
        .from(ledgerEntries)
        .innerJoin(ledgerTransactions, eq(ledgerTransactions.id, ledgerEntries.transactionId))
        .groupBy(ledgerTransactions.id)
        .having(sql`${sum} <> 0`);
    },

    async driftedSums() {
      const drift = sql<number>`coalesce(sum(${ledgerRollups.wallet}), 0) - coalesce((
        SELECT sum(amount) FROM ledger_entries
        WHERE tenant_id = ledger_rollups.tenant_id AND account = 'wallet'), 0)`;
      return queries
        .select({ tenantId: ledgerRollups.tenantId, drift })
        .from(ledgerRollups)
        .groupBy(ledgerRollups.tenantId)
        .having(sql`${drift} <> 0`);
    },

    async driftedWallets() {
      const total = await queries
        .select({ tenantId: wallets.tenantId, balance: wallets.balance })
        .from(wallets);
      const sums = await queries
        .select({
          tenantId: ledgerEntries.tenantId,
          sum: sql<number>`sum(${ledgerEntries.amount})`,
        })
        .from(ledgerEntries)
        .where(eq(ledgerEntries.account, "wallet"))
        .groupBy(ledgerEntries.tenantId);
      const balances = new Map<number, number>(total.map((row) => [row.tenantId, row.balance]));
      const expected = new Map(sums.map((row) => [row.tenantId, row.sum]));
      return [...new Set([...balances.keys(), ...expected.keys()])]
        .map((tenantId) => ({
          tenantId,
          balance: balances.get(tenantId) ?? 0,
          sum: expected.get(tenantId) ?? 0,
        }))
        .filter((row) => row.balance !== row.sum);
    },
  };
}

export function walletStore(queries: Queries): WalletStore {
  return {
    async balance(tenantId) {
      const found = await walletBalance(queries).get({ tenantId });
      return found?.balance ?? microEur(0);
    },

    async add(tenantId, amount) {
      await addToWallet(queries).run({ tenantId, amount });
    },

    async changedLevels(thresholds, tenantId) {
      const level = levelOf(thresholds);
      return queries
        .select({
          tenantId: wallets.tenantId,
          name: tenants.name,
          email: tenants.email,
          timeZone: tenants.timeZone,
          locale: readerLocale,
          balance: wallets.balance,
          level,
          toldBelow: wallets.toldBelow,
        })
        .from(wallets)
        .innerJoin(tenants, eq(tenants.id, wallets.tenantId))
        .where(
          and(
            sql`${level} <> ${wallets.toldBelow}`,
            tenantId === undefined ? undefined : eq(wallets.tenantId, tenantId),
          ),
        )
        .limit(LEVELS_MAX);
    },

    async setToldBelow(tenantId, level) {
      await queries.update(wallets).set({ toldBelow: level }).where(eq(wallets.tenantId, tenantId));
    },
  };
}

/**
 * The lowest threshold above the balance; if the balance is above all, the largest safe integer.
 */
function levelOf(thresholds: readonly MicroEur[]) {
  const ascending = [...thresholds].sort((a, b) => a - b);
  const cases = ascending.map(
    (threshold) => sql`WHEN ${wallets.balance} < ${threshold} THEN ${threshold}`,
  );
  return sql<MicroEur>`CASE ${sql.join(cases, sql` `)} ELSE ${Number.MAX_SAFE_INTEGER} END`;
}
