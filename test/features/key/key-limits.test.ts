/** Limits of an API key: lifetime, scopes and networks. */
import { expect, test } from "bun:test";
import {
  isKeyNetwork,
  KEY_SCOPES,
  type KeyScope,
  NO_LIMITS,
  networkCheck,
  requireSaneLimits,
  requireScope,
  requireWithin,
} from "../../../src/features/key/key-limits.ts";

const NOW = Date.parse("2026-11-22T12:00:00Z");

test.each([
  ["2026-11-22T12:00:00Z", false],
  ["2026-11-22T12:00:01Z", true],
  ["2036-11-22T12:00:00Z", true],
  ["2037-11-22T12:00:00Z", false],
])("a key until %s, created on 22 November 2026: %p", (time, isTaken) => {
  const make = () => requireSaneLimits({ ...NO_LIMITS, expiresAt: Date.parse(time) }, NOW);
  if (isTaken) expect(make).not.toThrow();
  else expect(make).toThrow("ten years");
});

test("ten years are 3,660 days, to the millisecond", () => {
  const lastMs = NOW + 3_660 * 86_400_000;
  requireSaneLimits({ ...NO_LIMITS, expiresAt: lastMs }, NOW);
  expect(() => requireSaneLimits({ ...NO_LIMITS, expiresAt: lastMs + 1 }, NOW)).toThrow();
});

test("a key has one to twenty networks", () => {
  const networks = (count: number) => Array.from({ length: count }, (_, n) => `192.0.2.${n}`);
  const make = (count: number) => () =>
    requireSaneLimits({ ...NO_LIMITS, networks: networks(count) }, NOW);
  for (const count of [1, 20]) expect(make(count)).not.toThrow();
  for (const count of [0, 21]) expect(make(count)).toThrow("1 to 20 networks");
});

test.each([
  ["192.0.2.7", true],
  ["10.0.0.0/8", true],
  ["10.0.0.0/32", true],
  ["10.0.0.0/33", false],
  ["10.0.0.0/", false],
  ["10.0.0.0/8/8", false],
  ["2001:db8::/128", true],
  ["2001:db8::/129", false],
  ["2001:db8::1", true],
  ["example.com", false],
])("%s is a network: %p", (network, is) => {
  expect(isKeyNetwork(network)).toBe(is);
});

test("an address is compared only with networks of its IP version", () => {
  expect(networkCheck(null)("192.0.2.7")).toBe(true);
  const isIn = networkCheck(["192.0.2.7", "10.0.0.0/8", "2001:db8::/32", "::1"]);
  for (const ip of ["192.0.2.7", "10.1.2.3", "2001:db8:1::1", "::1"]) expect(isIn(ip)).toBe(true);
  for (const ip of ["192.0.2.8", "11.0.0.1", "2001:db9::1", "::2", ""])
    expect(isIn(ip)).toBe(false);
});

test("a key may create a key that expires with it, not later and not never", () => {
  const maker = { ...NO_LIMITS, expiresAt: NOW };
  requireWithin({ ...NO_LIMITS, expiresAt: NOW }, maker);
  for (const expiresAt of [NOW + 1, null])
    expect(() => requireWithin({ ...NO_LIMITS, expiresAt }, maker)).toThrow("no later than");
});

test("a key's scopes are one or more of read, calls and manage", () => {
  const make = (scopes: readonly string[]) => () =>
    requireSaneLimits({ ...NO_LIMITS, scopes: scopes as KeyScope[] }, NOW);
  for (const scopes of [["read"], ["calls"], ["manage"], ["read", "calls", "manage"]])
    expect(make(scopes)).not.toThrow();
  for (const scopes of [[], ["all"], ["read", "all"]]) expect(make(scopes)).toThrow("one or more");
});

test("a key has only its own scopes; one without scopes has all", () => {
  for (const own of KEY_SCOPES)
    for (const needed of KEY_SCOPES) {
      const use = () => requireScope({ scopes: [own] }, needed);
      if (own === needed) expect(use).not.toThrow();
      else expect(use).toThrow(`lacks the scope \`${needed}\``);
      expect(() => requireScope({ scopes: [] }, needed)).toThrow("lacks the scope");
      requireScope(NO_LIMITS, needed);
    }
});

test("an invalid network in a list is refused", () => {
  const make = (networks: readonly string[]) => () =>
    requireSaneLimits({ ...NO_LIMITS, networks }, NOW);
  expect(make(["192.0.2.7", "example.com"])).toThrow("Use addresses or networks");
});

test.each([
  [
    "scopes",
    ["read", "calls"],
    [["read"], ["calls", "read"]],
    [["manage"], ["read", "manage"], null],
  ],
  [
    "networks",
    ["10.0.0.0/8", "192.0.2.7"],
    [["192.0.2.7"], ["10.0.0.0/8", "192.0.2.7"]],
    [["192.0.2.8"], ["10.0.0.0/8", "11.0.0.0/8"], null],
  ],
])("a key with %s creates no key with more rights", (field, own, within, beyond) => {
  const maker = { ...NO_LIMITS, [field]: own };
  for (const made of within) requireWithin({ ...NO_LIMITS, [field]: made }, maker);
  for (const made of beyond)
    expect(() => requireWithin({ ...NO_LIMITS, [field]: made }, maker)).toThrow(
      `\`${field}\` must`,
    );
  for (const made of [...within, ...beyond])
    requireWithin({ ...NO_LIMITS, [field]: made }, NO_LIMITS);
});
