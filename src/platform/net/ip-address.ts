/**
 * IP addresses as numbers. Only strict text forms are parsed (RFC 4291 2.2 for v6, four decimal
 * octets for v4). Unusual spellings of v4 (hex, octal, short forms) need no parsing: the URL parser
 * has already normalised them, and a resolver never returns them.
 */
export interface IpAddress {
  readonly version: 4 | 6;
  readonly bits: bigint;
}

export interface Network {
  readonly version: 4 | 6;
  readonly bits: bigint;
  readonly prefixLength: number;
}

const widthOf = (version: 4 | 6): number => (version === 4 ? 32 : 128);

const OCTET = /^(0|[1-9]\d{0,2})$/;

function parseIpv4(text: string): bigint | null {
  const parts = text.split(".");
  if (parts.length !== 4) return null;
  let bits = 0n;
  for (const part of parts) {
    if (!OCTET.test(part) || Number(part) > 255) return null;
    bits = (bits << 8n) | BigInt(part);
  }
  return bits;
}

/** The groups on one side of `::`; an IPv4 tail counts as two. Null when malformed. */
function parseGroups(text: string): bigint[] | null {
  if (text === "") return [];
  const groups: bigint[] = [];
  const parts = text.split(":");
  for (const [index, part] of parts.entries()) {
    if (part.includes(".")) {
      const tail = index === parts.length - 1 ? parseIpv4(part) : null;
      if (tail === null) return null;
      groups.push(tail >> 16n, tail & 0xffffn);
    } else if (/^[0-9a-f]{1,4}$/i.test(part)) groups.push(BigInt(`0x${part}`));
    else return null;
  }
  return groups;
}

function parseIpv6(text: string): bigint | null {
  const sides = text.split("::");
  if (sides.length > 2) return null;
  const head = parseGroups(sides[0] ?? "");
  const tail = sides.length === 2 ? parseGroups(sides[1] ?? "") : [];
  if (!head || !tail) return null;
  const missing = 8 - head.length - tail.length;
  if (sides.length === 2 ? missing < 1 : missing !== 0) return null;
  const groups = [...head, ...Array<bigint>(missing).fill(0n), ...tail];
  return groups.reduce((bits, group) => (bits << 16n) | group, 0n);
}

/** Null for anything that is not a plain address, including one with a zone (`%eth0`). */
export function parseAddress(text: string): IpAddress | null {
  const v4 = parseIpv4(text);
  if (v4 !== null) return { version: 4, bits: v4 };
  if (!text.includes(":")) return null;
  const v6 = parseIpv6(text);
  return v6 === null ? null : { version: 6, bits: v6 };
}

/** `10.0.0.0/8`, `fd00::/8`, or a single address. Throws RangeError. */
export function parseNetwork(text: string): Network {
  const [base = "", length] = text.trim().split("/");
  const address = parseAddress(base);
  if (!address) throw new RangeError(`not a network: ${text}`);
  const width = widthOf(address.version);
  const prefixLength = length === undefined ? width : Number(length);
  const sane = length === undefined || /^\d{1,3}$/.test(length);
  if (!sane || prefixLength > width) throw new RangeError(`not a network: ${text}`);
  return { ...address, prefixLength };
}

/** `::ffff:192.0.2.1` is an IPv4 address on a dual-stack socket. */
export const unmapped = (host: string): string => host.replace(/^::ffff:(?=\d+\.)/i, "");

/**
 * In the system's format: IPv6 shortened (RFC 5952 4), `unmapped`. Text that is not a plain address
 * is returned unchanged.
 */
export function systemText(host: string): string {
  const plain = unmapped(host);
  if (parseAddress(plain)?.version !== 6) return plain;
  return new URL(`http://[${plain}]`).hostname.slice(1, -1);
}

export function contains(network: Network, address: IpAddress): boolean {
  if (network.version !== address.version) return false;
  const hostBits = BigInt(widthOf(network.version) - network.prefixLength);
  return network.bits >> hostBits === address.bits >> hostBits;
}
