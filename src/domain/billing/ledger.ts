/**
 * Posting to the double-entry ledger: balanced entries, once a key, wallet row kept as their sum.
 *
 * Where the money goes. A tenant's `wallet` is what we owe it. `payments` and `credits` are where
 * wallet money comes from and therefore run negative; `revenue` is what was earned.
 * Rows are only added (triggers in the schema refuse anything else): a mistake is fixed by another
 * transaction.
 */

import type { Queries } from "../../core/database.ts";
import { type MicroEur, microEur } from "../../core/money.ts";
import type { BillingStores, LedgerEntry, LedgerTransaction } from "./stores.ts";

const sumOf = (entries: readonly LedgerEntry[]): number =>
  entries.reduce((sum, entry) => sum + entry.amount, 0);

/**
 * Posts one transaction inside the caller's. Answers false, and changes nothing, when the key was
 * posted before. Throws on entries that don't sum to zero.
 */
export async function post(
  stores: BillingStores,
  queries: Queries,
  tenantId: number,
  transaction: LedgerTransaction,
  entries: readonly LedgerEntry[],
): Promise<boolean> {
  if (sumOf(entries) !== 0)
    throw new RangeError(`ledger transaction ${transaction.key} does not sum to zero`);
  const ledger = stores.ledger(queries);
  const transactionId = await ledger.insertTransaction(tenantId, transaction);
  if (transactionId === null) return false;
  await ledger.insertEntries(tenantId, transactionId, entries);
  const toWallet = sumOf(entries.filter((entry) => entry.account === "wallet"));
  if (toWallet !== 0) await stores.wallet(queries).add(tenantId, microEur(toWallet));
  return true;
}

/** Two entries that move `amount` into `to`, out of `from`; none when there is nothing to move. */
export function move(
  from: LedgerEntry["account"],
  to: LedgerEntry["account"],
  amount: MicroEur,
): LedgerEntry[] {
  if (amount === 0) return [];
  return [
    { account: to, amount },
    { account: from, amount: microEur(-amount) },
  ];
}

/**
 * Audits every tenant's money: each transaction sums to zero, each wallet is the sum of its entries, so
 * are the hourly sums, each hold belongs to a live call. Answers one sentence a problem; none when all adds up.
 */
export async function verifyLedger(stores: BillingStores, queries: Queries): Promise<string[]> {
  const ledger = stores.ledger(queries);
  const problems: string[] = [];
  for (const found of await ledger.unbalanced())
    problems.push(`Transaction ${found.key} sums to ${found.sum} micro-euro instead of 0.`);
  for (const found of await ledger.driftedWallets())
    problems.push(
      `The wallet of tenant ${found.tenantId} says ${found.balance} micro-euro, its entries sum to ${found.sum}.`,
    );
  for (const found of await ledger.driftedSums())
    problems.push(
      `The hourly sums of tenant ${found.tenantId} differ from its wallet's entries by ${found.drift} micro-euro.`,
    );
  for (const found of await stores.holds(queries).orphans())
    problems.push(
      `Tenant ${found.tenantId} has funds held for ${found.callUuid}, which is no live call.`,
    );
  return problems;
}
