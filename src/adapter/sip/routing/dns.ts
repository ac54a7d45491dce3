/**
 * DNS as SIP needs it (RFC 3263): NAPTR, SRV and addresses. The port, and its implementation on
 * node:dns. A name that does not exist has no records; only a DNS that fails rejects. IP literals
 * never come here. What is cached, and for how long, is locator.ts' business.
 */
import { lookup, Resolver } from "node:dns/promises";

export interface NaptrRecord {
  readonly order: number;
  readonly preference: number;
  readonly flags: string;
  readonly service: string;
  readonly replacement: string;
}

export interface SrvRecord {
  readonly priority: number;
  readonly weight: number;
  readonly port: number;
  readonly name: string;
}

interface AddressRecords {
  /** IPv4 before IPv6. */
  readonly addresses: readonly string[];
  /** The shortest of theirs; null: not known. */
  readonly ttlSeconds: number | null;
}

export interface SipDns {
  naptr(name: string): Promise<readonly NaptrRecord[]>;
  srv(name: string): Promise<readonly SrvRecord[]>;
  addresses(name: string): Promise<AddressRecords>;
}

interface DnsOptions {
  /** `address` or `address:port`; empty: those of the system. */
  readonly servers?: readonly string[];
}

const QUERY_TIMEOUT_MS = 2000;
const QUERY_TRIES = 2;
/** c-ares' words for "there is no such name" and "it has no such record". */
const ABSENT: ReadonlySet<string> = new Set(["ENOTFOUND", "ENODATA"]);

export function createDns({ servers = [] }: DnsOptions = {}): SipDns {
  const resolver = new Resolver({ timeout: QUERY_TIMEOUT_MS, tries: QUERY_TRIES });
  if (servers.length > 0) resolver.setServers([...servers]);

  const addresses = async (name: string): Promise<AddressRecords> => {
    const answers = await Promise.allSettled([
      orNone(resolver.resolve4(name, { ttl: true })),
      orNone(resolver.resolve6(name, { ttl: true })),
    ]);
    // Some resolvers fail on AAAA alone: one family is enough.
    const records = answers.flatMap((each) => (each.status === "fulfilled" ? each.value : []));
    const failed = answers.find((each) => each.status === "rejected");
    if (records.length === 0 && failed) throw failed.reason;
    if (records.length === 0) return { addresses: [], ttlSeconds: null };
    return {
      addresses: records.map(({ address }) => address),
      ttlSeconds: Math.min(...records.map(({ ttl }) => ttl)),
    };
  };

  return {
    naptr: (name) => orNone(resolver.resolveNaptr(name)),
    srv: (name) => orNone(resolver.resolveSrv(name)),
    async addresses(name) {
      if (servers.length > 0) return await addresses(name);
      // Names of /etc/hosts, mDNS and search domains are known to the system only.
      const found = await addresses(name).catch(() => null);
      return found && found.addresses.length > 0 ? found : await systemAddresses(name);
    },
  };
}

async function systemAddresses(name: string): Promise<AddressRecords> {
  const found = await orNone(lookup(name, { all: true }));
  const ordered = found.toSorted((a, b) => a.family - b.family);
  return { addresses: ordered.map(({ address }) => address), ttlSeconds: null };
}

async function orNone<Row>(query: Promise<Row[]>): Promise<Row[]> {
  try {
    return await query;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    if (ABSENT.has(code.replace(/^DNS_/, ""))) return [];
    throw error;
  }
}
