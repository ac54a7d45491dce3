/**
 * Posts to the double-entry ledger: balanced entries, once per key. The wallet row is the sum of its entries.
 *
 * A tenant's `wallet` is the money that we owe it. Wallet money comes from `payments` and `credits`, which are
 * therefore negative; `revenue` is earned money. Rows are only added, never changed (triggers enforce it). A
 * new transaction corrects a mistake.
 */

import { type MicroEur, microEur } from "../../core/money.ts";
import type { Books, LedgerEntry, LedgerTransaction, Settlement } from "./stores.ts";

const sumOf = (entries: readonly LedgerEntry[]): number =>
  entries.reduce((sum, entry) => sum + entry.amount, 0);

/**
 * Returns false and changes nothing if the key was posted before. Throws if the entries do not sum
 * to zero.
 */
export async function post(
  books: Books,
  tenantId: number,
  transaction: LedgerTransaction,
  entries: readonly LedgerEntry[],
): Promise<boolean> {
  requireBalance(transaction, entries);
  const ledger = books.ledger;
  const transactionId = await ledger.insertTransaction(tenantId, transaction);
  if (transactionId === null) return false;
  await ledger.insertEntries(tenantId, transactionId, entries);
  const toWallet = sumOf(entries.filter((entry) => entry.account === "wallet"));
  if (toWallet !== 0) await books.wallet.add(tenantId, microEur(toWallet));
  return true;
}

/**
 * Settles a call's money: releases its hold, posts its charge, and counts its plan seconds. Throws if the key
 * was posted before; the caller's transaction has checked that it is new.
 */
export async function postSettlement(
  books: Books,
  tenantId: number,
  settlement: Settlement,
): Promise<void> {
  const { callUuid, month, includedSeconds, entries, ...charge } = settlement;
  await books.holds.release(tenantId, callUuid);
  if (!(await post(books, tenantId, { ...charge, kind: "charge" }, entries)))
    throw new Error(`ledger transaction ${charge.key} was posted before`);
  if (includedSeconds > 0) await books.usage.add(tenantId, month, includedSeconds);
}

function requireBalance(
  { key }: Pick<LedgerTransaction, "key">,
  entries: readonly LedgerEntry[],
): void {
  if (sumOf(entries) !== 0) throw new RangeError(`ledger transaction ${key} does not sum to zero`);
}

/** Two entries that move `amount`; none if it is 0. */
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
 * Audits every tenant's money: each transaction sums to zero, wallets and hourly sums match their entries, and
 * each hold belongs to a live call. Returns one sentence per problem.
 */
export async function verifyLedger(books: Books): Promise<string[]> {
  const ledger = books.ledger;
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
  for (const found of await books.holds.orphans())
    problems.push(
      `Tenant ${found.tenantId} has funds held for ${found.callUuid}, which is not a live call.`,
    );
  return problems;
}
