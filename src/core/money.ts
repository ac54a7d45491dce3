/**
 * Money is an integer of micro-euro internally and a JSON number of EUR in the API (decisions 1
 * and 8).
 */
declare const micro: unique symbol;
export type MicroEur = number & { readonly [micro]: true };

const MICRO_PER_EUR = 1_000_000;

export function microEur(value: number): MicroEur {
  if (!Number.isSafeInteger(value)) throw new RangeError(`not an integer of micro-euro: ${value}`);
  return value as MicroEur;
}

/** Rounds half up to one micro-euro. */
export const eurToMicro = (eur: number): MicroEur =>
  microEur(Math.floor(eur * MICRO_PER_EUR + 0.5));
export const MICRO_PER_CENT = 10_000;
export const centsToMicro = (cents: number): MicroEur => microEur(cents * MICRO_PER_CENT);
export const microToEur = (amount: MicroEur): number => amount / MICRO_PER_EUR;

/** `part` of `whole` equal shares, rounded half up once. Exact; for integers from 0 on. */
export function shareOf(total: number, part: number, whole: number): number {
  const product = BigInt(total) * BigInt(part);
  return Number((2n * product + BigInt(whole)) / (2n * BigInt(whole)));
}

/**
 * Price of `seconds` at a rate per minute, rounded half up to one micro-euro, once (decisions
 * 8). Exact: the product stays an integer until the single division.
 */
export function priceOfSeconds(seconds: number, ratePerMinute: MicroEur): MicroEur {
  return microEur(shareOf(ratePerMinute, seconds, 60));
}
