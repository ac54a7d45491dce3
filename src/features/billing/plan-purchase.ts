/**
 * Purchase of a plan in the middle of a month. Price and minutes count the remaining days, including today.
 *
 * - The tenant's payment for the same days of its old plan is deducted. The price is never negative, and is
 *   rounded half up to a cent once. A price below the provider's `amountMin` is not charged.
 * - The minutes are the old plan's for past days plus the new plan's for the remaining days. Used minutes stay
 *   used; otherwise each change would refill them.
 * - The price is set when the checkout is opened, and is valid within its month. Another payment for a plan
 *   invalidates it, because it uses the deduction.
 */

import { daysInMonth, startOfDay, wallClock } from "../../core/calendar.ts";
import { MICRO_PER_CENT, type MicroEur, microEur, shareOf } from "../../core/money.ts";
import { allowanceOf, hasMinutes } from "./available-funds.ts";
import { monthIn } from "./plan-usage.ts";
import type { Plan } from "./ports.ts";
import type { Books, Checkout, PlanMonth } from "./stores.ts";

/** Remaining days of the month in a zone, including today. */
function daysLeft(timeZone: string, nowMs: number) {
  const { year, month, day } = wallClock(timeZone, nowMs);
  const all = daysInMonth(year, month);
  return { left: all - day + 1, all };
}

/** Start of the next month in a zone. */
export function endOfMonth(timeZone: string, nowMs: number): number {
  const { year, month } = wallClock(timeZone, nowMs);
  return startOfDay(timeZone, { year, month: month + 1, day: 1 });
}

/** Price of a plan for the remaining days of the tenant's month. */
export function planPriceNow(
  plan: Plan,
  { status, monthPrice }: PlanMonth,
  timeZone: string,
  amountMin: MicroEur,
  nowMs: number,
): MicroEur {
  const { left, all } = daysLeft(timeZone, nowMs);
  const paid = hasMinutes(status) ? monthPrice : 0;
  const cents = shareOf(Math.max(0, plan.pricePerMonth - paid), left, all * MICRO_PER_CENT);
  const price = microEur(cents * MICRO_PER_CENT);
  return price < amountMin ? microEur(0) : price;
}

/** Returns false and changes nothing if the price of the checkout is no longer valid. */
export async function deliverPlan(
  { accounts, renewals, usage }: Books,
  { tenantId, item, amount, createdAt }: Checkout,
  { plans, amountMin }: { readonly plans: readonly Plan[]; readonly amountMin: MicroEur },
  nowMs: number,
): Promise<boolean> {
  const { planSlug, timeZone } = await accounts.find(tenantId);
  const month = monthIn(timeZone, nowMs);
  const bought = plans.find(({ slug }) => slug === item);
  if (!bought || monthIn(timeZone, createdAt) !== month) return false;
  const now = await renewals.planMonth(tenantId, month);
  const isPaid = hasMinutes(now.status);
  if (isPaid && bought.slug === planSlug) return false;
  if (planPriceNow(bought, now, timeZone, amountMin, createdAt) !== amount) return false;
  const { left, all } = daysLeft(timeZone, createdAt);
  const share = (plan: Plan) => shareOf(plan.includedMinutes * 60, left, all);
  const old = plans.find(({ slug }) => slug === planSlug) ?? bought;
  const kept = isPaid ? Math.max(0, allowanceOf(old, now) - share(old)) : now.secondsUsed;
  await usage.setIncluded(tenantId, month, kept + share(bought));
  await accounts.setPlan(tenantId, bought.slug);
  await renewals.setPlanMonth(tenantId, month, {
    plan: bought.slug,
    monthPrice: bought.pricePerMonth,
    nowMs,
  });
  return true;
}
