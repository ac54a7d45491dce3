/** Converts rows to the API's format: snake case, ISO times, EUR. */
import { isoUtc } from "../core/clock.ts";
import { type MicroEur, microEur, microToEur } from "../core/money.ts";

export const isoOrNull = (epochMs: number | null): string | null =>
  epochMs === null ? null : isoUtc(epochMs);

export const eur = (amount: number): number => microToEur(microEur(Math.round(amount)));

export const eurOrNull = (amount: MicroEur | null): number | null =>
  amount === null ? null : microToEur(amount);

/** Rounded to a hundredth. */
export const minutesOf = (seconds: number): number => Math.round((seconds / 60) * 100) / 100;
