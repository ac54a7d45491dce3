/**
 * DNS for SIP (RFC 3263): NAPTR, SRV and addresses. Contains the port and its implementation with
 * node:dns. A nonexistent name has no records; only a failure of DNS rejects. Never called with IP
 * literals. locator.ts caches the results.
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
  /** Shortest TTL of the records; null if unknown. */
  readonly ttlSeconds: number | null;
}

export interface SipDns {
  naptr(name: string): Promise<readonly NaptrRecord[]>;
  srv(name: string): Promise<readonly SrvRecord[]>;
  addresses(name: string): Promise<AddressRecords>;
}

interface DnsOptions {
  /** `address` or `address:port`; empty for the system's resolvers. */
  readonly servers?: readonly string[];
}

const QUERY_TIMEOUT_MS = 2000;
const QUERY_TRIES = 2;
/** Error codes of c-ares for "no such name" and "no such record". */
const ABSENT: ReadonlySet<string> = new Set(["ENOTFOUND", "ENODATA"]);

export function createDns({ servers = [] }: DnsOptions = {}): SipDns {
  let resolver = made();

  function made(): Resolver {
    const fresh = new Resolver({ timeout: QUERY_TIMEOUT_MS, tries: QUERY_TRIES });
    if (servers.length > 0) fresh.setServers([...servers]);
    return fresh;
  }

  /**
   * A resolver reads /etc/resolv.conf when it is created. After a failure, the next query creates a
   * new one.
   */
  async function asked<Row>(question: (resolver: Resolver) => Promise<Row[]>): Promise<Row[]> {
    const used = resolver;
    try {
      return await orNone(question(used));
    } catch (error) {
      if (resolver === used) resolver = made();
      throw error;
    }
  }

  const addresses = async (name: string): Promise<AddressRecords> => {
    const answers = await Promise.allSettled([
      asked((resolver) => resolver.resolve4(name, { ttl: true })),
      asked((resolver) => resolver.resolve6(name, { ttl: true })),
    ]);
    // Some resolvers fail only on AAAA: one address family is enough.
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
    naptr: (name) => asked((resolver) => resolver.resolveNaptr(name)),
    srv: (name) => asked((resolver) => resolver.resolveSrv(name)),
    async addresses(name) {
      if (servers.length > 0) return await addresses(name);
      // Names from /etc/hosts, mDNS and search domains are only known to the system resolver.
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
