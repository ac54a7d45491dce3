/** Host names to addresses. IP literals never reach DNS. SRV and NAPTR are not asked here. */
import { lookup } from "node:dns/promises";
import { isIP } from "node:net";

/** Addresses of a host in order of preference; rejects when there are none. */
export type Resolve = (host: string) => Promise<readonly string[]>;

export const systemResolve: Resolve = async (host) => {
  const literal = host.replace(/^\[|\]$/g, "");
  if (isIP(literal) !== 0) return [literal];
  const found = await lookup(host, { all: true });
  const ordered = found.toSorted((a, b) => a.family - b.family).map((entry) => entry.address);
  if (ordered.length === 0) throw new Error(`no address for ${host}`);
  return ordered;
};

/** `host`, `host:port`, `[v6]:port`. Undefined when the port is no port. */
export function parseHostPort(
  text: string,
  defaultPort: number,
): { host: string; port: number } | undefined {
  const match = /^(\[[0-9a-f:.]+\]|[^:\s]+)(?::(\d{1,5}))?$/i.exec(text.trim());
  const host = match?.[1];
  const port = match?.[2] === undefined ? defaultPort : Number(match[2]);
  if (host === undefined || port < 1 || port > 65535) return undefined;
  return { host: host.replace(/^\[|\]$/g, ""), port };
}
