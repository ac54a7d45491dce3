/** Rows as the API shows them: snake case, ISO times, EUR. */
import { isoUtc } from "../../../core/clock.ts";
import { type MicroEur, microEur, microToEur } from "../../../core/money.ts";

export const isoOrNull = (epochMs: number | null): string | null =>
  epochMs === null ? null : isoUtc(epochMs);

export const eur = (amount: number): number => microToEur(microEur(Math.round(amount)));

export const eurOrNull = (amount: MicroEur | null): number | null =>
  amount === null ? null : microToEur(amount);

/** To a hundredth. */
export const minutesOf = (seconds: number): number => Math.round((seconds / 60) * 100) / 100;

/** Leaves out what was not sent, renaming the rest. */
export function renamed<Target extends object>(
  sent: Readonly<Record<string, unknown>>,
  names: Readonly<Record<string, keyof Target & string>>,
): Partial<Target> {
  const result: Record<string, unknown> = {};
  for (const [from, to] of Object.entries(names))
    if (sent[from] !== undefined) result[to] = sent[from];
  return result as Partial<Target>;
}
