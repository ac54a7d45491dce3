/**
 * Addresses that tenants' URLs may reach (decisions 10): public unicast only, unless the operator
 * lists the network in `[http_client] allow_networks`. Follows the IANA special-purpose registries
 * (RFC 6890 and its updates). IPv6 is closed by default: only 2000::/3 is open, except for the
 * networks listed here.
 */
import {
  contains,
  type IpAddress,
  type Network,
  parseAddress,
  parseNetwork,
} from "./ip-address.ts";

const BLOCKED_V4: readonly (readonly [string, string])[] = [
  ["0.0.0.0/8", "this network"],
  ["10.0.0.0/8", "private"],
  ["100.64.0.0/10", "carrier-grade NAT"],
  ["127.0.0.0/8", "loopback"],
  ["168.63.129.16/32", "cloud metadata"], // Azure's metadata address lies in public address space
  ["169.254.0.0/16", "link-local and cloud metadata"],
  ["172.16.0.0/12", "private"],
  ["192.0.0.0/24", "IETF protocol assignments"],
  ["192.0.2.0/24", "documentation"],
  ["192.31.196.0/24", "AS112"],
  ["192.52.193.0/24", "AMT"],
  ["192.88.99.0/24", "6to4 relay"],
  ["192.168.0.0/16", "private"],
  ["192.175.48.0/24", "AS112"],
  ["198.18.0.0/15", "benchmarking"],
  ["198.51.100.0/24", "documentation"],
  ["203.0.113.0/24", "documentation"],
  ["224.0.0.0/4", "multicast"],
  ["240.0.0.0/4", "reserved and broadcast"],
];

const BLOCKED_V6: readonly (readonly [string, string])[] = [
  ["2001::/23", "IETF protocol assignments and Teredo"],
  ["2001:db8::/32", "documentation"],
  ["2002::/16", "6to4"],
  ["2620:4f:8000::/48", "AS112"],
  ["3fff::/20", "documentation"],
];

const GLOBAL_UNICAST = parseNetwork("2000::/3");
/** The last 32 bits of these are the IPv4 address that packets are sent to. */
const V4_IN_V6 = [parseNetwork("::ffff:0:0/96"), parseNetwork("64:ff9b::/96")];
const V4_MASK = 0xffff_ffffn;

const rules = (list: readonly (readonly [string, string])[]) =>
  list.map(([network, why]) => ({ network: parseNetwork(network), why }));
const blockedV4 = rules(BLOCKED_V4);
const blockedV6 = rules(BLOCKED_V6);

export type AddressCheckResult =
  /** `listed`: allowed by the operator, not because the address is public. */
  | { readonly allowed: true; readonly listed: boolean }
  | { readonly allowed: false; readonly why: string };

/** The IPv4 address inside a mapped or NAT64 address. */
function embeddedV4(address: IpAddress): IpAddress | null {
  if (!V4_IN_V6.some((network) => contains(network, address))) return null;
  return { version: 4, bits: address.bits & V4_MASK };
}

export class AddressRules {
  readonly #allowed: readonly Network[];

  /** CIDRs of `[http_client] allow_networks`. Throws RangeError for an invalid one. */
  constructor(allowNetworks: readonly string[]) {
    this.#allowed = allowNetworks.map(parseNetwork);
  }

  /** `text`: an address from a resolver or a socket, without brackets. */
  check(text: string): AddressCheckResult {
    const address = parseAddress(text);
    if (!address) return { allowed: false, why: "not an address" };
    const embedded = embeddedV4(address);
    const faces = embedded ? [address, embedded] : [address];
    if (faces.some((face) => this.#allowed.some((network) => contains(network, face))))
      return { allowed: true, listed: true };
    return publicUnicast(embedded ?? address);
  }
}

function publicUnicast(address: IpAddress): AddressCheckResult {
  const list = address.version === 4 ? blockedV4 : blockedV6;
  const hit = list.find(({ network }) => contains(network, address));
  if (hit) return { allowed: false, why: hit.why };
  if (address.version === 6 && !contains(GLOBAL_UNICAST, address))
    return { allowed: false, why: "not global unicast" };
  return { allowed: true, listed: false };
}
