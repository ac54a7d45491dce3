/**
 * Stops a burst of calls to numbers or countries that the tenant never called before: what a stolen API
 * key or a talked-round agent looks like (decisions.md 12). Known destinations go on being dialled.
 *
 * What was dialled is read from the schedules; targets of transfers are kept in memory, for a day. A
 * number or country is new for as long as its first call lies within the window.
 */

import type { Clock } from "../../core/clock.ts";
import type { Queries } from "../../core/database.ts";
import type { E164 } from "../../core/e164.ts";
import { AppError } from "../../core/errors.ts";
import { countryOf } from "../number/national-form.ts";
import type { CallStores } from "./stores.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** More countries than there are. */
const TARGETS_MAX = 1_000;

export interface BurstLimits {
  /** Numbers never called before, within an hour. */
  readonly newNumbersPerHour: number;
  /** Countries never called before, within a day; the caller id's own does not count. */
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
  /** Called with each call that is stopped, inside the caller's transaction: must not await the database. */
  readonly onStop?: (stop: BurstStop) => void;
}

interface Target {
  readonly number: E164;
  readonly country: string | null;
  readonly atMs: number;
}

function stopped(kind: BurstStop["kind"], limit: number): AppError {
  const what =
    kind === "new_numbers"
      ? `${limit} numbers that were never called before were called within an hour`
      : `${limit} countries that were never called before were called within a day`;
  return new AppError({
    code: "plan_limit_reached",
    publicMessage: `Calls to new destinations are stopped: ${what}. Numbers called before can still be called. Try again later, or ask the operator to raise the limit.`,
    field: "to_number",
  });
}

export function createDialingBurst({ stores, clock, limits, onStop }: BurstOptions) {
  const transferred = new Map<number, readonly Target[]>();

  const targetsOf = (tenantId: number, sinceMs: number): readonly Target[] =>
    (transferred.get(tenantId) ?? []).filter(({ atMs }) => atMs >= sinceMs);

  function stop(tenantId: number, kind: BurstStop["kind"], limit: number): never {
    onStop?.({ tenantId, kind, limit });
    throw stopped(kind, limit);
  }

  async function withinCountries(
    queries: Queries,
    tenantId: number,
    country: string,
  ): Promise<void> {
    const since = clock.now() - DAY_MS;
    const dialled = await stores.dialled(queries).countriesAbroad(tenantId);
    if (dialled.some((known) => known.country === country)) return;
    const fresh = new Set(dialled.filter(({ firstAt }) => firstAt >= since).map((c) => c.country));
    for (const target of targetsOf(tenantId, since))
      if (target.country !== null && !dialled.some((known) => known.country === target.country))
        fresh.add(target.country);
    const limit = limits().newCountriesPerDay;
    if (!fresh.has(country) && fresh.size >= limit) stop(tenantId, "new_countries", limit);
  }

  async function withinNumbers(queries: Queries, tenantId: number, number: E164): Promise<void> {
    const since = clock.now() - HOUR_MS;
    const store = stores.dialled(queries);
    if (await store.knewNumber(tenantId, number, since)) return;
    const limit = limits().newNumbersPerHour;
    const fresh = new Set(await store.newNumbers(tenantId, since, limit));
    for (const target of targetsOf(tenantId, since)) fresh.add(target.number);
    if (!fresh.has(number) && fresh.size >= limit) stop(tenantId, "new_numbers", limit);
  }

  return {
    /** Returns the country if it is not the caller id's own. Throws plan_limit_reached. */
    async check(
      queries: Queries,
      tenantId: number,
      number: E164,
      callerId: E164 | null,
    ): Promise<string | null> {
      const country = countryOf(number);
      const isAbroad = country !== null && country !== (callerId && countryOf(callerId));
      if (isAbroad) await withinCountries(queries, tenantId, country);
      await withinNumbers(queries, tenantId, number);
      return isAbroad ? country : null;
    },

    /** A call is about to be transferred there. */
    transferred(tenantId: number, number: E164, country: string | null): void {
      const atMs = clock.now();
      const kept = targetsOf(tenantId, atMs - DAY_MS).filter((target) => target.number !== number);
      transferred.set(tenantId, [...kept.slice(1 - TARGETS_MAX), { number, country, atMs }]);
    },
  };
}
