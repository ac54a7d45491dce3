/**
 * Limits of an API key: scopes, expiry and networks (decisions 12). A key without limits has all rights, from
 * anywhere, without expiry.
 */
import { BlockList, isIP } from "node:net";
import { AppError, invalidField } from "../../core/errors.ts";

/** `read` reads, `calls` places and ends calls, `manage` changes everything else. */
export const KEY_SCOPES = ["read", "calls", "manage"] as const;
export type KeyScope = (typeof KEY_SCOPES)[number];

export const KEY_NETWORKS_MAX = 20;
const KEY_LIFE_MS_MAX = 10 * 366 * 86_400_000;

export interface KeyLimits {
  /** Null: all. */
  readonly scopes: readonly KeyScope[] | null;
  /** Milliseconds since the epoch; null: never. */
  readonly expiresAt: number | null;
  /** Addresses and networks (CIDR); null: any. */
  readonly networks: readonly string[] | null;
}

export const NO_LIMITS: KeyLimits = { scopes: null, expiresAt: null, networks: null };

/** Accepts `192.0.2.7`, `10.0.0.0/8`, `2001:db8::/32`. */
export function isKeyNetwork(text: string): boolean {
  const [address = "", bits, ...rest] = text.split("/");
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return (
    bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128))
  );
}

/** Throws `valid_scopes_required`, `valid_expires_at_required`, `valid_networks_required`. */
export function requireSaneLimits({ scopes, expiresAt, networks }: KeyLimits, nowMs: number): void {
  if (scopes && (scopes.length === 0 || !scopes.every((scope) => KEY_SCOPES.includes(scope))))
    throw invalidField("scopes", `Use one or more of ${KEY_SCOPES.join(", ")}, or omit it.`);
  if (expiresAt !== null && !(expiresAt > nowMs && expiresAt <= nowMs + KEY_LIFE_MS_MAX))
    throw invalidField("expires_at", "Use a time in the future, at most ten years from now.");
  if (networks && (networks.length === 0 || networks.length > KEY_NETWORKS_MAX))
    throw invalidField("networks", `Use 1 to ${KEY_NETWORKS_MAX} networks, or omit it.`);
  if (networks && !networks.every(isKeyNetwork))
    throw invalidField("networks", "Use addresses or networks such as 192.0.2.7 or 10.0.0.0/8.");
}

/** A key must not create or revoke a key with more rights. Throws insufficient_scope, with the remedy. */
export function requireWithin(made: KeyLimits, maker: KeyLimits): void {
  const own = maker.scopes;
  if (own && !made.scopes?.every((scope) => own.includes(scope)))
    throw exceeds(`\`scopes\` must be set, and only to its own: ${own.join(", ")}`);
  if (maker.expiresAt !== null && (made.expiresAt ?? Number.POSITIVE_INFINITY) > maker.expiresAt)
    throw exceeds(`\`expires_at\` must be no later than its own: ${isoOf(maker.expiresAt)}`);
  const from = maker.networks;
  if (from && !made.networks?.every((network) => from.includes(network)))
    throw exceeds(`\`networks\` must be set, and only to its own: ${from.join(", ")}`);
}

const isoOf = (atMs: number) => new Date(atMs).toISOString();

const exceeds = (what: string) =>
  new AppError({
    code: "insufficient_scope",
    publicMessage: `A key cannot create or revoke a key with more rights than its own: ${what}.`,
  });

/** Throws insufficient_scope if the key lacks the scope. */
export function requireScope({ scopes }: Pick<KeyLimits, "scopes">, needed: KeyScope): void {
  if (scopes === null || scopes.includes(needed)) return;
  throw new AppError({
    code: "insufficient_scope",
    publicMessage: `This API key lacks the scope \`${needed}\`; it has: ${scopes.join(", ")}. Use a key that has it.`,
  });
}

/** Returns a check whether an address is in one of the networks. Create one per key. */
export function networkCheck(networks: readonly string[] | null): (ip: string) => boolean {
  if (networks === null) return () => true;
  const list = new BlockList();
  for (const network of networks) {
    const [address = "", bits] = network.split("/");
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return (ip) => {
    const family = isIP(ip);
    return family !== 0 && list.check(ip, family === 6 ? "ipv6" : "ipv4");
  };
}
