/**
 * Stops a burst of calls to numbers or countries that the tenant never called before. A stolen API key or a
 * manipulated agent causes such bursts (decisions 12). Calls to known destinations continue.
 *
 * Dialled numbers are read from the schedules. Transfer targets are kept in memory for a day. A number or
 * country counts as new while its first call lies within the window.
 */

import type { Clock } from "../../core/clock.ts";
import type { Queries } from "../../core/database.ts";
import type { E164 } from "../../core/e164.ts";
import { AppError } from "../../core/errors.ts";
import { countryOf } from "../../features/number/national-form.ts";
import type { CallStores } from "../stores.ts";
import type { DialedField } from "./dialing-rules.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** Higher than the number of countries. */
const TARGETS_MAX = 1_000;

export interface BurstLimits {
  /** Maximum numbers per hour that the tenant never called before. */
  readonly newNumbersPerHour: number;
  /** Maximum countries per day that the tenant never called before. The caller ID's country does not count. */
  readonly newCountriesPerDay: number;
}

export interface BurstStop {
  readonly tenantId: number;
  readonly kind: "new_numbers" | "new_countries";
  readonly limit: number;
}

export interface BurstOptions {
  readonly stores: Pick<CallStores, "dialled">;
  readonly clock: Clock;
  readonly limits: () => BurstLimits;
  /** Called for each stopped call, inside the caller's transaction. It must not await the database. */
  readonly onStop?: (stop: BurstStop) => void;
}

type Countries = Awaited<ReturnType<ReturnType<CallStores["dialled"]>["countriesAbroad"]>>;

interface Target {
  readonly number: E164;
  readonly country: string | null;
  readonly atMs: number;
}

function stopped({ kind, limit }: BurstStop, field: DialedField): AppError {
  const what =
    kind === "new_numbers"
      ? `${limit} new numbers were called within an hour`
      : `${limit} new countries were called within a day`;
  return new AppError({
    code: "plan_limit_reached",
    publicMessage: `Calls to new destinations are blocked: ${what}. Numbers called before can still be called. Try again later, or ask the operator to raise the limit.`,
    field,
  });
}

interface Dialling {
  readonly tenantId: number;
  readonly number: E164;
  readonly country: string | null;
  readonly hourAgo: number;
  readonly limit: number;
}

const dialledBefore = (
  dialled: ReturnType<CallStores["dialled"]>,
  { tenantId, number, country, hourAgo, limit }: Dialling,
) =>
  Promise.all([
    country === null ? [] : dialled.countriesAbroad(tenantId),
    dialled.knewNumber(tenantId, number, hourAgo),
    dialled.newNumbers(tenantId, hourAgo, limit),
  ]);

function keepTransfers(clock: Clock) {
  const transferred = new Map<number, readonly Target[]>();
  const targetsOf = (tenantId: number, sinceMs: number): readonly Target[] =>
    (transferred.get(tenantId) ?? []).filter(({ atMs }) => atMs >= sinceMs);
  return {
    targetsOf,

    /** Records a transfer target before the transfer starts. */
    transferred(tenantId: number, number: E164, country: string | null): void {
      const atMs = clock.now();
      const kept = targetsOf(tenantId, atMs - DAY_MS).filter((target) => target.number !== number);
      transferred.set(tenantId, [...kept.slice(1 - TARGETS_MAX), { number, country, atMs }]);
    },
  };
}

/** Returns the country if it differs from the caller ID's country; else null. Throws plan_limit_reached. */
export type BurstCheck = (callerId: E164 | null) => string | null;

export function createDialingBurst({ stores, clock, limits, onStop }: BurstOptions) {
  const { targetsOf, transferred } = keepTransfers(clock);

  function withinCountries(tenantId: number, country: string, since: number, dialled: Countries) {
    if (dialled.some((known) => known.country === country)) return true;
    const fresh = new Set(dialled.filter(({ firstAt }) => firstAt >= since).map((c) => c.country));
    for (const target of targetsOf(tenantId, since))
      if (target.country !== null && !dialled.some((known) => known.country === target.country))
        fresh.add(target.country);
    return fresh.has(country) || fresh.size < limits().newCountriesPerDay;
  }

  function withinNumbers(tenantId: number, number: E164, since: number, seen: readonly string[]) {
    const fresh = new Set(seen);
    for (const target of targetsOf(tenantId, since)) fresh.add(target.number);
    return fresh.has(number) || fresh.size < limits().newNumbersPerHour;
  }

  /** Reads the dialled numbers. Returns a check that needs the caller ID, which may be known later. */
  async function ask(
    queries: Queries,
    tenantId: number,
    number: E164,
    field: DialedField = "to_number",
  ): Promise<BurstCheck> {
    const stop = (kind: BurstStop["kind"], limit: number) => {
      onStop?.({ tenantId, kind, limit });
      return stopped({ tenantId, kind, limit }, field);
    };
    const country = countryOf(number);
    const [dayAgo, hourAgo] = [clock.now() - DAY_MS, clock.now() - HOUR_MS];
    const limit = limits().newNumbersPerHour;
    const [countries, isKnown, newNumbers] = await dialledBefore(stores.dialled(queries), {
      tenantId,
      number,
      country,
      hourAgo,
      limit,
    });
    return (callerId) => {
      const isAbroad = country !== null && country !== (callerId && countryOf(callerId));
      if (isAbroad && !withinCountries(tenantId, country, dayAgo, countries))
        throw stop("new_countries", limits().newCountriesPerDay);
      if (!isKnown && !withinNumbers(tenantId, number, hourAgo, newNumbers))
        throw stop("new_numbers", limits().newNumbersPerHour);
      return isAbroad ? country : null;
    };
  }

  return { ask, transferred };
}
