/**
 * Finds the tenant of a call. The called number is read in the trunk's country and compared with the numbers of
 * that trunk's tenant (decisions 12).
 *
 * If several trunks share an address, a confirmed number takes precedence over a claim (decisions 5). The
 * account name and the order in which trunks were saved have no effect.
 */

import type { E164 } from "../../core/e164.ts";
import {
  type Country,
  countryOf,
  e164Candidates,
  networkNumber,
} from "../../features/number/national-form.ts";
import type { CallClaims, IncomingLeg, TrunkSettings } from "../sip-port.ts";
import type { CallSetupRecords, ClaimedNumber, InboundRoutes, RoutedNumber } from "../stores.ts";

type Called = Pick<IncomingLeg, "calledNumbers" | "isForAccount">;

/**
 * Candidate numbers, most likely first.
 * If a PBX sends only an extension (`100`, `reception`), the trunk's caller ID is a candidate too. The same
 * applies if it sends the account name.
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
  /** The number to store if it is not one of the tenant's. */
  readonly shown: string;
  /** Country whose national format the trunk uses for numbers. */
  readonly country: Country | null;
  /** True if the number is only claimed, and the delivery of this call confirms it. */
  readonly confirms: boolean;
}

/** Finds the called number of the trunk's tenant. Undefined if the trunk has no tenant. */
export async function calledNumber(
  setup: Pick<CallSetupRecords, "routes">,
  leg: Called & Pick<IncomingLeg, "provenNumbers">,
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
  // The trunk's caller ID is free text. A call without an explicit number therefore proves nothing.
  const confirms =
    number?.confirmedAt === null &&
    leg.provenNumbers.some((text) =>
      e164Candidates(text, country).some((each) => each === number.numberE164),
    );
  return { ...rest, number, shown, country, confirms };
}

/** 2: the tenant's confirmed number. 1: claimed by the tenant and confirmed by nobody. 0: neither. */
function rankOf(claims: readonly ClaimedNumber[], tenantId: number, numberE164: string): number {
  const all = claims.filter((claim) => claim.numberE164 === numberE164);
  const confirmed = all.find(({ confirmedAt }) => confirmedAt !== null);
  if (confirmed) return confirmed.tenantId === tenantId ? 2 : 0;
  return all.some((claim) => claim.tenantId === tenantId) ? 1 : 0;
}

/** Decides whose call it is if several trunks share the source address. */
export const createCallClaims =
  (setupOf: () => Pick<CallSetupRecords, "claimsTo">): CallClaims =>
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
    const claims = await setup.claimsTo([...new Set([...all, ...own])]);
    const forAccount = trunks
      .filter(({ isForAccount }) => isForAccount)
      .map((trunk) => ({ trunk, candidates: [trunk.settings.callerId] }));
    for (const readings of [...asked, forAccount]) {
      const ranked = readings.map(({ trunk: { settings }, candidates }) => ({
        trunkId: settings.trunkId,
        rank: Math.max(0, ...candidates.map((each) => rankOf(claims, settings.tenantId, each))),
      }));
      const highest = Math.max(0, ...ranked.map(({ rank }) => rank));
      if (highest > 0)
        return ranked.filter(({ rank }) => rank === highest).map(({ trunkId }) => trunkId);
    }
    return [];
  };
