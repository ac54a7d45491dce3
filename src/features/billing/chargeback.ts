/**
 * Chargebacks: payments that the operator refunded or the payer disputed.
 *
 * Free wallet money pays them. If the money is spent, or held by live calls, the rest becomes a debt on the
 * account `receivable`. (A negative wallet would break the holds of live calls.) The next top-up pays the debt
 * first.
 */

import { type MicroEur, microEur } from "../../core/money.ts";
import { freeMoney } from "./available-funds.ts";
import { move, post } from "./ledger.ts";
import type { Books, Checkout } from "./stores.ts";

export interface Chargeback {
  readonly checkout: Checkout;
  /** Idempotency key. The reversal has the key `<key>:undone`. */
  readonly key: string;
  readonly amount: MicroEur;
  readonly note: string;
  readonly nowMs: number;
}

/**
 * Books a chargeback once. For a plan or an add-on it reduces the revenue; entitlement.ts revokes
 * the item.
 */
export async function bookChargeback(
  books: Books,
  { checkout, key, amount, note, nowMs }: Chargeback,
): Promise<void> {
  const { tenantId } = checkout;
  const transaction = { key, kind: "refund", note, createdAt: nowMs } as const;
  if (!(await isWalletMoney(books, checkout))) {
    await post(books, tenantId, transaction, move("revenue", "payments", amount));
    return;
  }
  const fromWallet = microEur(Math.min(amount, await freeMoney(books, tenantId)));
  const owed = microEur(amount - fromWallet);
  await post(books, tenantId, transaction, [
    ...move("wallet", "payments", fromWallet),
    ...move("receivable", "payments", owed),
  ]);
}

/** Reverses `bookChargeback` of the same key once. Does nothing if that never happened. */
export async function reverseChargeback(
  books: Books,
  { checkout, key, amount, note, nowMs }: Chargeback,
): Promise<void> {
  const { tenantId } = checkout;
  if (!(await books.ledger.hasKey(tenantId, key))) return;
  const undoing = `${key}:undone`;
  const transaction = { key: undoing, kind: "refund", note, createdAt: nowMs } as const;
  const toWallet = await isWalletMoney(books, checkout);
  const entries = move("payments", toWallet ? "wallet" : "revenue", amount);
  if (await post(books, tenantId, transaction, entries))
    await payDebt(books, tenantId, undoing, nowMs);
}

/** Pays the debt from free wallet money. `cause` is the key of the transaction that added money. */
export async function payDebt(
  books: Books,
  tenantId: number,
  cause: string,
  nowMs: number,
): Promise<void> {
  const owed = -(await books.ledger.sumOf(tenantId, "receivable"));
  const amount = microEur(Math.min(owed, await freeMoney(books, tenantId)));
  if (amount <= 0) return;
  const transaction = {
    key: `debt:${cause}`,
    kind: "refund",
    note: "Owed since a payment was taken back",
    createdAt: nowMs,
  } as const;
  await post(books, tenantId, transaction, move("wallet", "receivable", amount));
}

/** True if the payment went to the wallet: a top-up, or an item that could not be delivered. */
export async function isWalletMoney(books: Books, checkout: Checkout): Promise<boolean> {
  if (checkout.kind === "topup") return true;
  const kind = await books.ledger.kindOf(checkout.tenantId, `checkout:${checkout.id}`);
  return kind === "topup";
}
