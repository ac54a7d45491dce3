/**
 * What a call may draw on. Reads inside the caller's transaction: transactions run one at a time, so
 * that concurrent calls see each other's holds and never promise the same cent twice.
 *
 * Invariant, as long as the operator takes nothing out by hand: balance ≥ Σ held amounts. A hold
 * only takes what is free, a charge only its own hold and what is free; so no charge ever leaves the
 * wallet below zero.
 */
import { type MicroEur, microEur } from "../core/money.ts";
import type { Queries } from "../store/database.ts";
import type { Plan } from "./ports.ts";
import type { Funds } from "./rating.ts";
import type { BillingStores } from "./stores.ts";

/** Funds not held by calls other than `callUuid` (null: by any call). */
export async function fundsFor(
  stores: BillingStores,
  queries: Queries,
  tenantId: number,
  plan: Plan,
  month: string,
  callUuid: string | null,
): Promise<Funds> {
  const allowance = await allowanceSeconds(stores, queries, tenantId, plan, month);
  const used = await stores.planUsage(queries).secondsUsed(tenantId, month);
  const balance = await stores.wallet(queries).balance(tenantId);
  let heldSeconds = 0;
  let heldMoney = 0;
  for (const hold of await stores.holds(queries).list(tenantId)) {
    if (hold.callUuid === callUuid) continue;
    if (hold.month === month) heldSeconds += hold.planSeconds;
    heldMoney += hold.amount;
  }
  return {
    planSeconds: Math.max(0, allowance - used - heldSeconds),
    money: microEur(Math.max(0, balance - heldMoney)),
  };
}

/** The plan's seconds of a month: none while it is unpaid (renewal.ts) or refunded (withdraw.ts). */
export async function allowanceSeconds(
  stores: BillingStores,
  queries: Queries,
  tenantId: number,
  plan: Plan,
  month: string,
): Promise<number> {
  const status = await stores.renewals(queries).planStatus(tenantId, month);
  return status === "due" || status === "refunded" ? 0 : plan.includedMinutes * 60;
}

/** Wallet money that no live call holds; never below 0. */
export async function freeMoney(
  stores: BillingStores,
  queries: Queries,
  tenantId: number,
): Promise<MicroEur> {
  const balance = await stores.wallet(queries).balance(tenantId);
  const holds = await stores.holds(queries).list(tenantId);
  const held = holds.reduce((sum, hold) => sum + hold.amount, 0);
  return microEur(Math.max(0, balance - held));
}
