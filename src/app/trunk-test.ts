/** `trunk test`: what the running trunk finds out, judged by sip/, as the operator is told it. */

import { assessTrunk, type TrunkFacts } from "../adapter/sip/trunk-checks.ts";
import type { SeenAddress, SipStack } from "../domain/call/sip-port.ts";
import type { TrunkSummary, TrunkTest } from "../interface/control/operator-port.ts";

interface SipValues {
  readonly codecs: readonly string[];
  readonly externalIp: string;
}

export function createTrunkProbe(sip: SipStack, { codecs, externalIp }: SipValues) {
  return async (
    trunkId: number,
    options?: { readonly calls: boolean },
  ): Promise<TrunkFacts | null> => {
    const trunk = sip.trunk(trunkId);
    if (!trunk) return null;
    const probe = await trunk.probe(options);
    const { settings, registration } = trunk;
    return { settings, registration, probe, codecs, externalIp };
  };
}

export function trunkTest(trunk: TrunkSummary, facts: TrunkFacts): TrunkTest {
  const { probe } = facts;
  const checks = assessTrunk(facts);
  const worst = (["failed", "warning"] as const).find((result) =>
    checks.some((check) => check.result === result),
  );
  return {
    trunk,
    result: worst ?? "ok",
    checks,
    options_code: probe.sipCode,
    round_trip_ms: probe.roundTripMs === null ? null : Math.round(probe.roundTripMs * 10) / 10,
    local_address: written(probe.local),
    advertised_address: written(probe.advertised),
    seen_as: probe.seenAs && written(probe.seenAs),
    codecs: probe.codecs,
  };
}

const written = ({ host, port }: SeenAddress): string =>
  host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
