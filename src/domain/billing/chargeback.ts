/**
 * A payment that was taken back: refunded by the operator, or disputed by the payer.
 *
 * The money leaves the wallet as far as it is free. What has been spent, or is held by live calls, is
 * a debt on the account `receivable` instead: a wallet below zero would break the promise made to
 * the live calls. The next top-up pays the debt first.
 */

import type { Queries } from "../../core/database.ts";
import { type MicroEur, microEur } from "../../core/money.ts";
import { freeMoney } from "./funds.ts";
import { move, post } from "./ledger.ts";
import type { BillingStores, Checkout } from "./stores.ts";

export interface Chargeback {
  readonly checkout: Checkout;
  /** Makes it happen once; the undoing has the key `<key>:undone`. */
  readonly key: string;
  readonly amount: MicroEur;
  readonly note: string;
  readonly nowMs: number;
}

/** Books it once. What a plan or an add-on earned is given up; its item is entitlement.ts's. */
export async function bookChargeback(
  stores: BillingStores,
  queries: Queries,
  { checkout, key, amount, note, nowMs }: Chargeback,
): Promise<void> {
  const { tenantId } = checkout;
  const transaction = { key, kind: "refund", note, createdAt: nowMs } as const;
  if (!(await isWalletMoney(stores, queries, checkout))) {
    await post(stores, queries, tenantId, transaction, move("revenue", "payments", amount));
    return;
  }
  const fromWallet = microEur(Math.min(amount, await freeMoney(stores, queries, tenantId)));
  const owed = microEur(amount - fromWallet);
  await post(stores, queries, tenantId, transaction, [
    ...move("wallet", "payments", fromWallet),
    ...move("receivable", "payments", owed),
  ]);
}

/** Undoes `takeBack` of the same key, once; does nothing when it never happened. */
export async function reverseChargeback(
  stores: BillingStores,
  queries: Queries,
  { checkout, key, amount, note, nowMs }: Chargeback,
): Promise<void> {
  const { tenantId } = checkout;
  if (!(await stores.ledger(queries).hasKey(tenantId, key))) return;
  const undoing = `${key}:undone`;
  const transaction = { key: undoing, kind: "refund", note, createdAt: nowMs } as const;
  const toWallet = await isWalletMoney(stores, queries, checkout);
  const entries = move("payments", toWallet ? "wallet" : "revenue", amount);
  if (await post(stores, queries, tenantId, transaction, entries))
    await payDebt(stores, queries, tenantId, undoing, nowMs);
}

/** Out of new wallet money, as far as it reaches. `cause` is the key of what brought the money. */
export async function payDebt(
  stores: BillingStores,
  queries: Queries,
  tenantId: number,
  cause: string,
  nowMs: number,
): Promise<void> {
  const owed = -(await stores.ledger(queries).sumOf(tenantId, "receivable"));
  const amount = microEur(Math.min(owed, await freeMoney(stores, queries, tenantId)));
  if (amount <= 0) return;
  const transaction = {
    key: `debt:${cause}`,
    kind: "refund",
    note: "Owed since a payment was taken back",
    createdAt: nowMs,
  } as const;
  await post(stores, queries, tenantId, transaction, move("wallet", "receivable", amount));
}

/** Whether the payment filled the wallet: a top-up, or what could not be delivered any more. */
export async function isWalletMoney(
  stores: BillingStores,
  queries: Queries,
  checkout: Checkout,
): Promise<boolean> {
  if (checkout.kind === "topup") return true;
  const kind = await stores.ledger(queries).kindOf(checkout.tenantId, `checkout:${checkout.id}`);
  return kind === "topup";
}
