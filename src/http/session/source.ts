/**
 * The client's address, and the host name and scheme that it used. Proxy headers (X-Forwarded-For,
 * X-Forwarded-Proto, X-Forwarded-Host) count only from a trusted proxy's address. The client is the last
 * address in the chain that is no trusted proxy.
 */
import { BlockList, isIP } from "node:net";
import { hostname } from "node:os";

export interface Origins {
  /** The requested `scheme://host[:port]`, as a browser writes it in `Origin`. */
  readonly own: string;
  /** True for TLS and loopback: browsers store a Secure cookie for both, except for Safari on loopback. */
  readonly secure: boolean;
  /** False: unknown host name, as in a DNS rebinding attack. */
  readonly hostKnown: boolean;
  readonly ip: string;
}

export interface OriginSettings {
  readonly publicUrl: string | null;
  readonly tls: boolean;
  /** Addresses or networks (CIDR). */
  readonly trustedProxies: readonly string[];
}

export interface OriginReader {
  read(headers: Headers, peer: string): Origins;
  /** Returns only the `ip`. */
  ipOf(headers: Headers, peer: string): string;
}

const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(\d{1,5}))?$/i;

export function createOriginReader(settings: OriginSettings): OriginReader {
  const proxies = blockListOf(settings.trustedProxies);
  const publicOrigin = settings.publicUrl === null ? null : new URL(settings.publicUrl);
  const machine = hostname().toLowerCase();
  const ours = new Set([machine, machine.split(".")[0] ?? machine, `${machine}.local`]);

  function nameIsOurs(name: string): boolean {
    if (name === publicOrigin?.hostname) return true;
    return isAddress(name) || name === "localhost" || name.endsWith(".localhost") || ours.has(name);
  }

  const isProxy = (address: string) =>
    settings.trustedProxies.length > 0 && isListed(proxies, address);

  function ipOf(headers: Headers, peer: string): string {
    const direct = plainAddress(peer);
    return isProxy(direct) ? clientOf(headers.get("x-forwarded-for"), direct, proxies) : direct;
  }

  function read(headers: Headers, peer: string): Origins {
    const proxied = isProxy(plainAddress(peer));
    const forwarded = (name: string) =>
      proxied ? (headers.get(name)?.split(",").at(-1)?.trim() ?? null) : null;
    const hostText = forwarded("x-forwarded-host") ?? headers.get("host") ?? "";
    const host = HOST.exec(hostText)?.[0]?.toLowerCase() ?? "";
    const name = host.replace(/:\d+$/, "");
    const behindTls =
      settings.tls ||
      forwarded("x-forwarded-proto") === "https" ||
      (publicOrigin?.protocol === "https:" && name === publicOrigin.hostname);
    return {
      own: originOf(behindTls, host),
      secure: behindTls || (isLoopbackName(name) && !isSafari(headers)),
      hostKnown: host !== "" && nameIsOurs(name),
      ip: ipOf(headers, peer),
    };
  }

  return { read, ipOf };
}

/** Browsers omit the default port of the scheme. */
function originOf(tls: boolean, host: string): string {
  const scheme = tls ? "https" : "http";
  return `${scheme}://${host.replace(tls ? /:443$/ : /:80$/, "")}`;
}

const isAddress = (name: string) =>
  name.startsWith("[") ? isIP(name.slice(1, -1)) === 6 : isIP(name) === 4;

const isLoopbackName = (name: string) =>
  name === "localhost" || name.endsWith(".localhost") || name === "[::1]" || isLoopback4(name);

const isLoopback4 = (name: string) => isIP(name) === 4 && name.startsWith("127.");

/** Safari stores no Secure cookie over plain HTTP, not even on loopback. Other browsers do. */
const isSafari = (headers: Headers): boolean => {
  const agent = headers.get("user-agent") ?? "";
  return /\bSafari\//.test(agent) && !/\b(?:Chrome|Chromium|HeadlessChrome|Edg)\//.test(agent);
};

/** Converts IPv4-mapped IPv6 addresses (RFC 4291 2.5.5.2) to IPv4. */
const plainAddress = (address: string) => address.replace(/^::ffff:(?=\d+\.)/i, "");

function blockListOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = "", bits] = network.split("/");
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}

const isListed = (list: BlockList, address: string) => {
  const family = isIP(address);
  return family !== 0 && list.check(address, family === 6 ? "ipv6" : "ipv4");
};

function clientOf(chain: string | null, direct: string, proxies: BlockList): string {
  const hops = (chain ?? "").split(",").map((hop) => plainAddress(hop.trim()));
  for (const hop of hops.reverse()) {
    if (isIP(hop) === 0) return direct;
    if (!isListed(proxies, hop)) return hop;
  }
  return direct;
}
