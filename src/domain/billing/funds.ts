/**
 * What a call may draw on. Reads inside the caller's transaction: transactions run one at a time, so
 * that concurrent calls see each other's holds and never promise the same cent twice.
 *
 * Holds reserve, settlement decides (decisions.md 12). A hold takes only what no other call holds. A
 * charge takes the plan seconds that are left, held by another call or not, then wallet money that no
 * other call holds; `backHolds` (hold.ts) then gives the other holds money for the seconds they lost.
 *
 * Invariant, as long as the operator takes nothing out by hand: balance ≥ Σ held amounts. So no charge
 * ever leaves the wallet below zero.
 */

import type { Queries } from "../../core/database.ts";
import { type MicroEur, microEur } from "../../core/money.ts";
import type { Plan } from "./ports.ts";
import type { Funds } from "./rating.ts";
import type { BillingStores, Hold, Renewal, Standing } from "./stores.ts";

/** Plan, wallet and the holds of the other calls, as one call sees them. */
export interface Purse {
  readonly month: string;
  /** Of the month's plan seconds, those no charge has used. Holds are not taken off. */
  readonly planSecondsLeft: number;
  readonly balance: MicroEur;
  readonly otherHolds: readonly Hold[];
}

/** `callUuid`: whose own hold does not count as another's; null: every hold does. */
export function purseOf(
  standing: Standing,
  plan: Plan,
  month: string,
  callUuid: string | null,
): Purse {
  const allowance = allowanceOf(plan, standing.planStatuses[month] ?? null);
  return {
    month,
    planSecondsLeft: Math.max(0, allowance - (standing.secondsUsed[month] ?? 0)),
    balance: standing.balance,
    otherHolds: standing.holds.filter((hold) => hold.callUuid !== callUuid),
  };
}

/** What no other call holds: what a hold may take. */
export function freeFunds(purse: Purse): Funds {
  const heldSeconds = heldPlanSeconds(purse);
  return {
    planSeconds: Math.max(0, purse.planSecondsLeft - heldSeconds),
    money: unheldMoney(purse),
  };
}

/** What a charge may take: plan seconds first, whoever holds them. */
export function chargeableFunds(purse: Purse): Funds {
  return { planSeconds: purse.planSecondsLeft, money: unheldMoney(purse) };
}

/** Plan seconds of the purse's month that the other calls hold. */
export function heldPlanSeconds({ month, otherHolds }: Purse): number {
  return otherHolds
    .filter((hold) => hold.month === month)
    .reduce((sum, hold) => sum + hold.planSeconds, 0);
}

function unheldMoney({ balance, otherHolds }: Purse): MicroEur {
  return microEur(Math.max(0, balance - otherHolds.reduce((sum, hold) => sum + hold.amount, 0)));
}

/** The plan's seconds of a month: none while it is unpaid (renewal.ts) or refunded (entitlement.ts). */
export async function allowanceSeconds(
  stores: BillingStores,
  queries: Queries,
  tenantId: number,
  plan: Plan,
  month: string,
): Promise<number> {
  return allowanceOf(plan, await stores.renewals(queries).planStatus(tenantId, month));
}

function allowanceOf(plan: Plan, status: Renewal["status"] | null): number {
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
