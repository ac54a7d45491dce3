/**
 * Converts talk time to seconds and a price (decisions 8). Exact: integers only, rounded half up once per call.
 */
import { type MicroEur, microEur, priceOfSeconds } from "../../core/money.ts";
import type { Charge } from "./ports.ts";

/** Minimum for an answered call. */
export const MINIMUM_BILLABLE_SECONDS = 15;
/** A live call holds funds this far ahead. */
export const HOLD_BLOCK_SECONDS = 60;
/** Shorter block if little is left, so that all calls share the rest (decisions 12). */
const SHARED_BLOCK_SECONDS = 15;

/** Started seconds since the answer, at least the minimum; 0 if never answered. */
export function billableSeconds(answeredMs: number): number {
  if (answeredMs <= 0) return 0;
  return Math.max(MINIMUM_BILLABLE_SECONDS, Math.ceil(answeredMs / 1000));
}

/**
 * Whole seconds that `amount` pays at a rate per minute: the largest n with `priceOfSeconds(n, rate) <=
 * amount`, at most `secondsMax`.
 *
 * price(n) = ⌊(2·n·r + 60) / 120⌋ ≤ a ⇔ n·r < 60·a + 30 ⇔ n ≤ ⌊(60·a + 29) / r⌋.
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

/** Funds that a call may use: plan seconds and money. */
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

/** The wanted seconds that the funds can pay: plan seconds first. */
export function coverSeconds(wanted: number, funds: Funds, ratePerMinute: MicroEur): Cover {
  const planSeconds = Math.min(wanted, funds.planSeconds);
  const overageSeconds = affordableSeconds(funds.money, ratePerMinute, wanted - planSeconds);
  return { planSeconds, overageSeconds, amount: priceOfSeconds(overageSeconds, ratePerMinute) };
}

export const coveredBy = ({ planSeconds, overageSeconds }: Cover): number =>
  planSeconds + overageSeconds;

/**
 * Seconds that a call should hold ahead of `elapsedSeconds`: a full block if the funds pay one for every
 * concurrent call of the plan, else a shared block. So a full block never takes another call's first
 * 15 seconds.
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
 * The charge of a finished call. The wallet pays at most the available funds.
 *
 * After the covered seconds, the closing phrase and the BYE take a few more. They are written off: the
 * appliance causes them, other calls may hold the rest of the wallet, and a debt would reduce the next top-up.
 * `overageSeconds` includes them; `cost` is the amount that the wallet paid (decisions 8).
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

/** Value of the overage seconds that the wallet could not pay. Nobody owes it. */
export function writtenOff({
  overageSeconds,
  overagePerMinute,
  cost,
}: Pick<Charge, "overageSeconds" | "overagePerMinute" | "cost">): MicroEur {
  return microEur(Math.max(0, priceOfSeconds(overageSeconds, overagePerMinute) - cost));
}
