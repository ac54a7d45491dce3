/**
 * Holds: funds reserved for a live call, from its first second until 60 s ahead (15 s if little is left). Each
 * call has one row. It is updated during the call and released by the settlement.
 */

import { AppError } from "../../core/errors.ts";
import { type MicroEur, microEur, priceOfSeconds } from "../../core/money.ts";
import { type AvailableFunds, heldPlanSeconds } from "./available-funds.ts";
import { affordableSeconds, type Cover } from "./rating.ts";
import type { Hold, HoldStore } from "./stores.ts";

/** Longer than any call; the result for a rate of 0. */
const FOR_EVER_SECONDS = 1_000_000_000;

export const insufficientBalance = (): AppError =>
  new AppError({
    code: "insufficient_balance",
    publicMessage:
      "The plan's minutes are used up and the wallet cannot pay the 15-second minimum. Top up the wallet or choose a larger plan.",
  });

/** Replaces the call's hold and returns it. */
export async function writeHold(
  books: { readonly holds: Pick<HoldStore, "put"> },
  tenantId: number,
  { callUuid, month }: { readonly callUuid: string; readonly month: string },
  { planSeconds, amount }: Cover,
  nowMs: number,
): Promise<Hold> {
  const hold: Hold = { callUuid, month, planSeconds, amount };
  await books.holds.put(tenantId, hold, nowMs);
  return hold;
}

/** Whole seconds that a hold's money can pay. */
export function paidSeconds(amount: MicroEur, ratePerMinute: MicroEur): number {
  return affordableSeconds(amount, ratePerMinute, FOR_EVER_SECONDS);
}

/**
 * Backs other holds after a charge took their plan seconds: gives them unheld wallet money instead.
 * The ended call's hold has usually freed enough. It has not if the call talked past its hold, or if its rate
 * is lower. Then the other holds end earlier, and their calls get this with the next heartbeat.
 * `available`: the state before the charge.
 */
export async function extendHolds(
  books: { readonly holds: Pick<HoldStore, "put"> },
  tenantId: number,
  available: AvailableFunds,
  charge: { readonly includedSeconds: number; readonly cost: MicroEur },
  rateOf: (callUuid: string) => Promise<MicroEur>,
  nowMs: number,
): Promise<void> {
  let lostSeconds =
    heldPlanSeconds(available) - (available.planSecondsLeft - charge.includedSeconds);
  if (lostSeconds <= 0) return;
  const heldMoney = available.otherHolds.reduce((sum, hold) => sum + hold.amount, 0);
  let free = Math.max(0, available.balance - charge.cost - heldMoney);
  const holders = available.otherHolds
    .filter((hold) => hold.month === available.month)
    .sort((a, b) => b.planSeconds - a.planSeconds);
  for (const hold of holders) {
    const seconds = Math.min(hold.planSeconds, lostSeconds);
    if (seconds <= 0) return;
    lostSeconds -= seconds;
    const rate = await rateOf(hold.callUuid);
    const wantedSeconds = paidSeconds(hold.amount, rate) + seconds;
    const overageSeconds = affordableSeconds(microEur(hold.amount + free), rate, wantedSeconds);
    const amount = priceOfSeconds(overageSeconds, rate);
    free -= amount - hold.amount;
    const cover = { planSeconds: hold.planSeconds - seconds, overageSeconds, amount };
    await writeHold(books, tenantId, hold, cover, nowMs);
  }
}
