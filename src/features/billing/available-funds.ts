/**
 * Funds that a call may use. Read inside the caller's transaction: transactions run one at a time, so
 * concurrent calls see each other's holds, and no cent is promised twice.
 *
 * Holds reserve, settlement decides (decisions 12). A hold takes only funds without another hold. A charge
 * takes the remaining plan seconds, even if another call holds them, then unheld wallet money. `extendHolds`
 * (hold.ts) then gives the other holds money for the lost seconds.
 *
 * Invariant, unless the operator debits the wallet by hand: balance ≥ Σ held amounts. Therefore no charge makes
 * the wallet negative.
 */

import { type MicroEur, microEur } from "../../core/money.ts";
import type { Plan } from "./ports.ts";
import type { Funds } from "./rating.ts";
import type { AccountStatus, Books, Hold, PlanMonth, Renewal } from "./stores.ts";

/** Plan, wallet and the holds of the other calls, seen by one call. */
export interface AvailableFunds {
  readonly month: string;
  /** Plan seconds of the month that no charge has used; held ones are included. */
  readonly planSecondsLeft: number;
  readonly balance: MicroEur;
  readonly otherHolds: readonly Hold[];
}

/** Excludes the hold of `callUuid`; null excludes none. */
export function availableFundsOf(
  accountStatus: AccountStatus,
  plan: Plan,
  month: string,
  callUuid: string | null,
): AvailableFunds {
  const allowance = allowanceOf(plan, {
    status: accountStatus.planStatuses[month] ?? null,
    secondsIncluded: accountStatus.secondsIncluded[month] ?? null,
  });
  return {
    month,
    planSecondsLeft: Math.max(0, allowance - (accountStatus.secondsUsed[month] ?? 0)),
    balance: accountStatus.balance,
    otherHolds: accountStatus.holds.filter((hold) => hold.callUuid !== callUuid),
  };
}

/** Funds for a hold: everything that no other call holds. */
export function freeFunds(available: AvailableFunds): Funds {
  const heldSeconds = heldPlanSeconds(available);
  return {
    planSeconds: Math.max(0, available.planSecondsLeft - heldSeconds),
    money: availableBalance(available),
  };
}

/** Funds for a charge: all plan seconds, even held ones, and unheld money. */
export function chargeableFunds(available: AvailableFunds): Funds {
  return { planSeconds: available.planSecondsLeft, money: availableBalance(available) };
}

/** Plan seconds of the month that the other calls hold. */
export function heldPlanSeconds({ month, otherHolds }: AvailableFunds): number {
  return otherHolds
    .filter((hold) => hold.month === month)
    .reduce((sum, hold) => sum + hold.planSeconds, 0);
}

function availableBalance({ balance, otherHolds }: AvailableFunds): MicroEur {
  return microEur(Math.max(0, balance - otherHolds.reduce((sum, hold) => sum + hold.amount, 0)));
}

/** The plan's seconds of a month; 0 if it is not paid (renewal.ts) or refunded (entitlement.ts). */
export async function allowanceSeconds(
  books: Books,
  tenantId: number,
  plan: Plan,
  month: string,
): Promise<number> {
  return allowanceOf(plan, await books.renewals.planMonth(tenantId, month));
}

/** Plan seconds of a month, including used ones. */
export function allowanceOf(
  plan: Plan,
  { status, secondsIncluded }: Pick<PlanMonth, "status" | "secondsIncluded">,
): number {
  return hasMinutes(status) ? (secondsIncluded ?? plan.includedMinutes * 60) : 0;
}

/** `status` is null before the start of the month. */
export const hasMinutes = (status: Renewal["status"] | null): boolean =>
  status === null || status === "paid" || status === "lapsed";

/** Wallet money that no live call holds; never below 0. */
export async function freeMoney(books: Books, tenantId: number): Promise<MicroEur> {
  const balance = await books.wallet.balance(tenantId);
  const holds = await books.holds.list(tenantId);
  const held = holds.reduce((sum, hold) => sum + hold.amount, 0);
  return microEur(Math.max(0, balance - held));
}
