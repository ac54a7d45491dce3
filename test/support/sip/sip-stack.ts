/** The SIP stack for tests: G.711, loopback, a trunk at a provider of `provider.test`. */

import type {
  CallClaims,
  LegEnd,
  LegEvents,
  SipStack,
  Trunk,
  TrunkSettings,
} from "../../../src/call/sip-port.ts";
import { systemClock } from "../../../src/core/clock.ts";
import { e164 } from "../../../src/core/e164.ts";
import { type Log, Pii, silentLog } from "../../../src/core/log.ts";
import { systemRandom } from "../../../src/core/random.ts";
import { createSipStack, type SipDeps, type SipSettings } from "../../../src/sip/stack.ts";

export function startStack(
  host: string,
  log: Log = silentLog,
  more: Partial<SipSettings> = {},
  deps: Partial<SipDeps> = {},
): Promise<SipStack> {
  return createSipStack(
    {
      bind: { host, port: 0 },
      externalIp: "auto",
      allowNetworks: ["127.0.0.0/8", "::1"],
      userAgent: "Linevoice-Test",
      registerExpiresSeconds: 300,
      codecs: ["PCMA", "PCMU"],
      trace: log !== silentLog,
      ...more,
    },
    { clock: systemClock, random: systemRandom, log, claims: byCallerId, ...deps },
  );
}

/** Assigns calls to tenants whose only number is their trunk's caller ID. */
const byCallerId: CallClaims = async (called, trunks) =>
  trunks
    .filter(({ settings, isForAccount }) => isForAccount || called.includes(settings.callerId))
    .map(({ settings }) => settings.trunkId);

export function trunkSettings(overrides: Partial<TrunkSettings>): TrunkSettings {
  return {
    trunkId: 1,
    tenantId: 1,
    server: "provider.test",
    port: 5060,
    transport: "udp",
    username: "1001",
    password: "pw1001",
    realm: null,
    outboundProxy: null,
    callerId: e164("+37061001001"),
    register: true,
    ...overrides,
  };
}

/** A log that stores the output of `trace`: `in` or `out`, and the message. */
export function traceLog(): { readonly log: Log; readonly messages: string[] } {
  const messages: string[] = [];
  const log: Log = {
    ...silentLog,
    debug: (event, fields) => {
      const message = fields?.message;
      if (event !== "sip.trace" || !(message instanceof Pii)) return;
      messages.push(`${fields?.direction} ${message.value}`);
    },
    with: () => log,
  };
  return { log, messages };
}

/** Resolves at the first status other than `registering`. */
export function settled(trunk: Trunk): Promise<Trunk["registration"]> {
  return new Promise((resolve) => {
    const check = () => {
      if (trunk.registration.name === "registering") return;
      unsubscribe();
      resolve(trunk.registration);
    };
    const unsubscribe = trunk.onRegistration(check);
    check();
  });
}

interface Listenable {
  on<Name extends keyof LegEvents>(name: Name, take: (event: LegEvents[Name]) => void): unknown;
}

/** The next event of that name; rejects if the leg ends first. */
export function next<Name extends keyof LegEvents>(
  leg: Listenable,
  name: Name,
): Promise<LegEvents[Name]> {
  return new Promise((resolve, reject) => {
    leg.on(name, resolve);
    leg.on("ended", (end: LegEnd) =>
      reject(new Error(`ended before ${name}: ${end.kind} ${end.sipCode} ${end.explanation}`)),
    );
  });
}

export const endOf = (leg: Listenable): Promise<LegEnd> =>
  new Promise((resolve) => {
    leg.on("ended", resolve);
  });
