/**
 * Books what Stripe took back, in its current state: refunds (key `refund:<id>`) and disputes (key
 * `dispute:<id>`). Reverses the booking when a refund fails or a dispute is won.
 */
import type Stripe from "stripe";
import type { Clock } from "../../../core/clock.ts";
import type { Database } from "../../../core/database.ts";
import { centsToMicro } from "../../../core/money.ts";
import { bookChargeback, isWalletMoney, reverseChargeback } from "../chargeback.ts";
import { type ChargebackStatus, syncEntitlement } from "../entitlement.ts";
import type { BillingStores, Checkout } from "../stores.ts";

export interface RefundContext {
  readonly database: Database;
  readonly stores: BillingStores;
  readonly clock: Clock;
}

export async function bookRefunds(
  { database, stores, clock }: RefundContext,
  checkout: Checkout,
  refunds: readonly Stripe.Refund[],
): Promise<void> {
  await database.tx(async (queries) => {
    const books = stores(queries);
    for (const refund of refunds) {
      const step = { checkout, amount: centsToMicro(refund.amount), nowMs: clock.now() };
      const key = `refund:${refund.id}`;
      if (refund.status === "failed" || refund.status === "canceled")
        await reverseChargeback(books, {
          ...step,
          key,
          note: `Refund ${refund.id} failed`,
        });
      else await bookChargeback(books, { ...step, key, note: `Refund ${refund.id}` });
    }
    if (await isWalletMoney(books, checkout)) return;
    await syncEntitlement(books, checkout, chargebackStatusOf(checkout, refunds), clock.now());
  });
}

function chargebackStatusOf(
  checkout: Checkout,
  refunds: readonly Stripe.Refund[],
): ChargebackStatus {
  const valid = refunds.filter(({ status }) => status !== "failed" && status !== "canceled");
  const cents = (list: readonly Stripe.Refund[]) =>
    list.reduce((sum, { amount }) => sum + amount, 0);
  const done = valid.filter(({ status }) => status === "succeeded");
  return {
    cause: "refunds",
    isWhole: centsToMicro(cents(valid)) >= checkout.amount,
    isFinal: centsToMicro(cents(done)) >= checkout.amount,
  };
}

/** Inquiries move no money: only amounts that Stripe took from the balance and put back count. */
export async function bookDispute(
  { database, stores, clock }: RefundContext,
  checkout: Checkout,
  dispute: Stripe.Dispute,
): Promise<void> {
  const moves = dispute.balance_transactions;
  const isCharged = moves.some((move) => move.amount < 0);
  const isReinstated = moves.some((move) => move.amount > 0);
  if (!isCharged) return;
  const step = { checkout, amount: centsToMicro(dispute.amount), nowMs: clock.now() };
  const key = `dispute:${dispute.id}`;
  await database.tx(async (queries) => {
    const books = stores(queries);
    await bookChargeback(books, { ...step, key, note: `Dispute ${dispute.id}` });
    if (isReinstated)
      await reverseChargeback(books, { ...step, key, note: `Dispute ${dispute.id} won` });
    if (await isWalletMoney(books, checkout)) return;
    const standing = {
      cause: dispute.id,
      isWhole: !isReinstated && step.amount >= checkout.amount,
      isFinal: dispute.status === "lost",
    };
    await syncEntitlement(books, checkout, standing, clock.now());
  });
}
