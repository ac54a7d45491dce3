/**
 * From talk time to seconds and price (decisions.md 8). Pure and exact: integers only, one rounding
 * a call, half up.
 */
import { type MicroEur, microEur, priceOfSeconds } from "../../core/money.ts";
import type { Charge } from "./ports.ts";

/** A call that was answered is billed at least this long. */
export const MINIMUM_BILLABLE_SECONDS = 15;
/** A live call holds funds this far ahead, */
export const HOLD_BLOCK_SECONDS = 60;
/** and this far where little is left, so that what is left is shared by all calls (decisions.md 12). */
const SHARED_BLOCK_SECONDS = 15;

/** Whole seconds begun since the answer, at least the minimum; 0 when never answered. */
export function billableSeconds(answeredMs: number): number {
  if (answeredMs <= 0) return 0;
  return Math.max(MINIMUM_BILLABLE_SECONDS, Math.ceil(answeredMs / 1000));
}

/**
 * How many whole seconds `amount` pays at a rate a minute: the largest n with
 * `priceOfSeconds(n, rate) <= amount`, at most `secondsMax`.
 *
 * price(n) = ⌊(2·n·r + 60) / 120⌋ ≤ a  ⇔  n·r < 60·a + 30  ⇔  n ≤ ⌊(60·a + 29) / r⌋.
 */
export function affordableSeconds(
  amount: MicroEur,
  ratePerMinute: MicroEur,
  secondsMax: number,
): number {
  if (amount < 0) return 0;
  if (ratePerMinute <= 0) return secondsMax;
  const seconds = (60n * BigInt(amount) + 29n) / BigInt(ratePerMinute);
  return seconds > BigInt(secondsMax) ? secondsMax : Number(seconds);
}

/** What a call may draw on: plan seconds and money that no other live call holds. */
export interface Funds {
  readonly planSeconds: number;
  readonly money: MicroEur;
}

export interface Cover {
  readonly planSeconds: number;
  readonly overageSeconds: number;
  /** Price of the overage seconds. */
  readonly amount: MicroEur;
}

/** As many of the wanted seconds as the funds pay: plan seconds first. */
export function coverSeconds(wanted: number, funds: Funds, ratePerMinute: MicroEur): Cover {
  const planSeconds = Math.min(wanted, funds.planSeconds);
  const overageSeconds = affordableSeconds(funds.money, ratePerMinute, wanted - planSeconds);
  return { planSeconds, overageSeconds, amount: priceOfSeconds(overageSeconds, ratePerMinute) };
}

/** All the seconds of a cover. */
export const coveredBy = ({ planSeconds, overageSeconds }: Cover): number =>
  planSeconds + overageSeconds;

/**
 * How far ahead of `elapsedSeconds` a call should hold: a whole block where the funds would pay one for
 * each of the calls that the plan allows at once, else a shared block. So a call that holds a whole
 * block never keeps another call from its first 15 seconds.
 */
export function holdAheadSeconds(
  elapsedSeconds: number,
  funds: Funds,
  ratePerMinute: MicroEur,
  concurrentCallsMax: number,
): number {
  const forAllSeconds = elapsedSeconds + HOLD_BLOCK_SECONDS * concurrentCallsMax;
  const isLittle = coveredBy(coverSeconds(forAllSeconds, funds, ratePerMinute)) < forAllSeconds;
  return isLittle ? SHARED_BLOCK_SECONDS : HOLD_BLOCK_SECONDS;
}

/**
 * The charge of a finished call. The wallet pays at most the funds at hand.
 *
 * A call is told to end when its covered seconds run out, but the closing phrase and the BYE take a
 * few seconds more. Those are the appliance's own doing, other calls may hold what is left of the
 * wallet, and a debt would hit the next top-up: so they are written off instead of charged. The
 * record still says how long the call was (`overageSeconds`); `cost` is what the wallet paid.
 */
export function rateCall(answeredMs: number, funds: Funds, overagePerMinute: MicroEur): Charge {
  const seconds = billableSeconds(answeredMs);
  const includedSeconds = Math.min(seconds, funds.planSeconds);
  const overageSeconds = seconds - includedSeconds;
  const price = priceOfSeconds(overageSeconds, overagePerMinute);
  return {
    billableSeconds: seconds,
    includedSeconds,
    overageSeconds,
    overagePerMinute,
    cost: microEur(Math.min(price, Math.max(0, funds.money))),
  };
}
