/**
 * Whose call it is: the called number, read in the country of a trunk, against the numbers of that trunk's
 * own tenant (decisions 12). What a trunk's account is called, and the order in which trunks were saved,
 * decide nothing.
 */

import type { E164 } from "../../../core/e164.ts";
import {
  type Country,
  countryOf,
  e164Candidates,
  networkNumber,
} from "../../number/national-form.ts";
import type { CallClaims, IncomingLeg, TrunkSettings } from "../sip-port.ts";
import type { CallSetupRecords, InboundRoutes, RoutedNumber } from "../stores.ts";

type Called = Pick<IncomingLeg, "calledNumbers" | "isForAccount">;

/**
 * Numbers that may be meant, the likeliest first. Where a PBX names an extension (`100`, `reception`) and no
 * telephone number anywhere, the trunk's own number is meant, as where it names the account.
 */
function meant(
  { calledNumbers, isForAccount }: Called,
  callerId: E164,
  country: Country | null,
  shown: readonly (string | null)[],
): E164[] {
  const written = calledNumbers.flatMap((called) => e164Candidates(called, country));
  const isExtension = !shown.some((text) => text?.startsWith("+"));
  return [...new Set(isForAccount || isExtension ? [...written, callerId] : written)];
}

interface CalledNumber extends Omit<InboundRoutes, "numbers"> {
  readonly number: RoutedNumber | undefined;
  /** What is stored of the number where it is not the tenant's. */
  readonly shown: string;
  /** In which its trunk's calls name numbers. */
  readonly country: Country | null;
}

/** The number of the trunk's tenant that is called. Undefined: the trunk has no tenant. */
export async function calledNumber(
  setup: Pick<CallSetupRecords, "routes">,
  leg: Called,
  trunk: TrunkSettings,
  spentSinceMs: number,
): Promise<CalledNumber | undefined> {
  const country = countryOf(trunk.callerId);
  const written = leg.calledNumbers.map((called) => networkNumber(called, country));
  const candidates = meant(leg, trunk.callerId, country, written);
  const found = await setup.routes(trunk.tenantId, candidates, spentSinceMs);
  if (!found) return undefined;
  const { numbers, ...rest } = found;
  const number = candidates
    .map((candidate) => numbers.find((row) => row.numberE164 === candidate))
    .find((row) => row !== undefined);
  const shown = number?.numberE164 ?? written.find((text) => text !== null) ?? candidates[0] ?? "";
  return { ...rest, number, shown, country };
}

/** Who claims a call that came from an address which several trunks share. */
export const createCallClaims =
  (setupOf: () => Pick<CallSetupRecords, "ownersOf">): CallClaims =>
  async (calledNumbers, trunks) => {
    const setup = setupOf();
    const asked = calledNumbers.map((called) =>
      trunks.map((trunk) => ({
        trunk,
        candidates: e164Candidates(called, countryOf(trunk.settings.callerId)),
      })),
    );
    const own = trunks.map(({ settings }) => settings.callerId);
    const all = asked.flat().flatMap(({ candidates }) => candidates);
    const owners = await setup.ownersOf([...new Set([...all, ...own])]);
    for (const readings of asked) {
      const claiming = readings.filter(({ trunk, candidates }) =>
        candidates.some((number) => owners.get(number) === trunk.settings.tenantId),
      );
      if (claiming.length > 0) return claiming.map(({ trunk }) => trunk.settings.trunkId);
    }
    return trunks
      .filter(({ isForAccount, settings }) => {
        return isForAccount && owners.get(settings.callerId) === settings.tenantId;
      })
      .map(({ settings }) => settings.trunkId);
  };
