/**
 * Locates SIP servers (RFC 3263 4): NAPTR, then SRV, then addresses, as one list in the order in
 * which they are tried. An explicit port or IP address skips the lookups that it makes unnecessary
 * (4.2). Pure except for the DNS queries; caches nothing.
 */
import { isIP } from "node:net";
import { type Random, randomInt, seededRandom } from "../../core/random.ts";
import type { Address, TransportName } from "../transport/flow.ts";
import type { NaptrRecord, SipDns, SrvRecord } from "./dns.ts";

/** The server to locate. */
export interface Place {
  /** Name or IP address, without brackets. */
  readonly host: string;
  /** Null if not given. */
  readonly port: number | null;
  /** `AUTO`: the remote DNS decides; UDP if it does not. */
  readonly transport: TransportName | "AUTO";
}

export interface Target {
  readonly transport: TransportName;
  readonly remote: Address;
}

export interface Located {
  /** In order of preference, without duplicates; at least one. */
  readonly targets: readonly Target[];
  /** Null if no TTL is known. */
  readonly ttlSeconds: number | null;
}

/** Limits the cost of a malicious DNS zone. */
const TARGETS_MAX = 32;
const SRV_RECORDS_MAX = 16;
const NAPTR_RECORDS_MAX = 8;

const SERVICES: ReadonlyMap<string, TransportName> = new Map([
  ["SIP+D2U", "UDP"],
  ["SIP+D2T", "TCP"],
  ["SIPS+D2T", "TLS"],
]);
const PREFIXES: Readonly<Record<TransportName, string>> = {
  UDP: "_sip._udp.",
  TCP: "_sip._tcp.",
  TLS: "_sips._tcp.",
};

export const usualPort = (transport: TransportName): number => (transport === "TLS" ? 5061 : 5060);

class Unlocated extends Error {
  override readonly name = "Unlocated";
}

/** Rejects with Unlocated if the name has no servers, or with the DNS error if DNS fails. */
export async function locate(place: Place, dns: SipDns, random: Random): Promise<Located> {
  const { host, port } = place;
  const transport = place.transport === "AUTO" ? "UDP" : place.transport;
  if (isIP(host) !== 0) {
    const remote = { host, port: port ?? usualPort(transport) };
    return { targets: [{ transport, remote }], ttlSeconds: null };
  }
  if (port === null) {
    const found = await byService(place, dns, random);
    if (found) return found;
  }
  return await byAddress(host, port ?? usualPort(transport), transport, dns, random);
}

async function byAddress(
  host: string,
  port: number,
  transport: TransportName,
  dns: SipDns,
  random: Random,
): Promise<Located> {
  const { addresses, ttlSeconds } = await dns.addresses(host);
  if (addresses.length === 0) throw new Unlocated(`${host} has no address`);
  const ordered = [
    ...shuffled(ofFamily(addresses, 4), random),
    ...shuffled(ofFamily(addresses, 6), random),
  ];
  const targets = ordered.map((address) => ({ transport, remote: { host: address, port } }));
  return { targets: targets.slice(0, TARGETS_MAX), ttlSeconds };
}

const ofFamily = (addresses: readonly string[], family: 4 | 6): string[] =>
  addresses.filter((address) => isIP(address) === family).sort();

/** Resolvers rotate addresses: random input gives equal distribution. */
function shuffled(addresses: readonly string[], random: Random): string[] {
  const drawn = addresses.map((address) => ({ address, rank: random.float() }));
  return drawn.sort((a, b) => a.rank - b.rank).map(({ address }) => address);
}

/** Via NAPTR and SRV; undefined if the name has neither. */
async function byService(
  { host, transport }: Place,
  dns: SipDns,
  random: Random,
): Promise<Located | undefined> {
  if (transport !== "AUTO")
    return await bySrv(`${PREFIXES[transport]}${host}`, transport, dns, random);
  // Some resolvers drop NAPTR queries: treated as no records.
  const services = usable(await dns.naptr(host).catch(() => []));
  const asked = services.length > 0 ? services : withoutNaptr(host);
  const found: Located[] = [];
  for (const service of asked) {
    const located = await bySrv(service.name, service.transport, dns, random);
    if (located) found.push(located);
  }
  return found.length === 0 ? undefined : withoutDowngrade(merged(found));
}

interface Service {
  readonly name: string;
  readonly transport: TransportName;
}

/** By order, then preference (RFC 3403 4.1, RFC 3263 4.1). */
function usable(records: readonly NaptrRecord[]): Service[] {
  return records
    .toSorted((a, b) => a.order - b.order || a.preference - b.preference)
    .flatMap(({ flags, service, replacement }) => {
      const transport = SERVICES.get(service.toUpperCase());
      return flags.toLowerCase() === "s" && transport ? [{ name: replacement, transport }] : [];
    })
    .slice(0, NAPTR_RECORDS_MAX);
}

const withoutNaptr = (host: string): Service[] =>
  (["UDP", "TCP", "TLS"] as const).map((transport) => ({
    name: `${PREFIXES[transport]}${host}`,
    transport,
  }));

async function bySrv(
  name: string,
  transport: TransportName,
  dns: SipDns,
  random: Random,
): Promise<Located | undefined> {
  const records = (await dns.srv(name)).slice(0, SRV_RECORDS_MAX);
  if (records.length === 0) return undefined;
  const [only] = records;
  if (records.length === 1 && (only?.name === "." || only?.name === ""))
    throw new Unlocated(`the DNS record of ${name} shows that there is no such service`);
  const answers = await Promise.all(
    inOrder(records, random).map(({ name: host, port }) =>
      fromSrv({ host, port, transport }, dns, seededRandom(randomInt(random, 2 ** 31))),
    ),
  );
  const found = answers.filter((answer): answer is Located => answer !== undefined);
  if (found.length === 0) throw new Unlocated(`no server of ${name} has an address`);
  return merged(found);
}

/** A server without an address does not prevent the use of the others. */
const fromSrv = (
  server: { host: string; port: number; transport: TransportName },
  dns: SipDns,
  random: Random,
) => byAddress(server.host, server.port, server.transport, dns, random).catch(() => undefined);

/** Lower priorities first; equal priorities in random order by weight (RFC 2782). */
export function inOrder(records: readonly SrvRecord[], random: Random): SrvRecord[] {
  const ordered: SrvRecord[] = [];
  const priorities = [...new Set(records.map(({ priority }) => priority))].sort((a, b) => a - b);
  for (const priority of priorities) {
    const left = records
      .filter((record) => record.priority === priority)
      .sort((a, b) => a.name.localeCompare(b.name) || a.port - b.port);
    // Weight 0 comes first, so that these are chosen rarely, but can be.
    left.sort((a, b) => Number(a.weight > 0) - Number(b.weight > 0));
    while (left.length > 0) ordered.push(...left.splice(drawn(left, random), 1));
  }
  return ordered;
}

function drawn(records: readonly SrvRecord[], random: Random): number {
  const total = records.reduce((sum, { weight }) => sum + weight, 0);
  const wanted = random.float() * total;
  let sum = 0;
  const index = records.findIndex(({ weight }) => {
    sum += weight;
    return sum >= wanted;
  });
  return Math.max(0, index);
}

function merged(parts: readonly Located[]): Located {
  const byKey = new Map(
    parts.flatMap(({ targets }) => targets.map((target) => [targetKey(target), target] as const)),
  );
  const ttls = parts.map(({ ttlSeconds }) => ttlSeconds).filter((ttlSec) => ttlSec !== null);
  return {
    targets: [...byKey.values()].slice(0, TARGETS_MAX),
    ttlSeconds: ttls.length === 0 ? null : Math.min(...ttls),
  };
}

/** A domain that prefers TLS is never contacted in plaintext. */
function withoutDowngrade(located: Located): Located {
  if (located.targets[0]?.transport !== "TLS") return located;
  return { ...located, targets: located.targets.filter(({ transport }) => transport === "TLS") };
}

export const targetKey = ({ transport, remote }: Target): string =>
  `${transport}|${remote.host}|${remote.port}`;
