import { expect, test } from "bun:test";
import { BanList } from "../../src/sip/transport/ban-list.ts";
import { fakeClock } from "../support/fake-clock.ts";

test("thirty strikes in a minute ban a source for ten minutes, and no other", async () => {
  const clock = fakeClock();
  const bans = new BanList(clock);
  const struck = Array.from({ length: 30 }, () => bans.strike("192.0.2.1"));
  expect(struck.filter(Boolean)).toHaveLength(1);
  expect([bans.isBanned("192.0.2.1"), bans.isBanned("192.0.2.2")]).toEqual([true, false]);
  await clock.advance(599_999);
  expect(bans.isBanned("192.0.2.1")).toBe(true);
  await clock.advance(1);
  expect(bans.isBanned("192.0.2.1")).toBe(false);
  expect(bans.strike("192.0.2.1")).toBe(false);
});

test.each([
  [29, 60_000, false],
  [30, 60_000, true],
  [30, 60_001, false],
])("%d strikes, the last %d ms after the first, ban: %p", async (count, ms, isBanned) => {
  const clock = fakeClock();
  const bans = new BanList(clock);
  for (let strike = 1; strike < count; strike++) bans.strike("192.0.2.1");
  await clock.advance(ms);
  expect([bans.strike("192.0.2.1"), bans.isBanned("192.0.2.1")]).toEqual([isBanned, isBanned]);
});

test("strikes that are far apart ban nobody", async () => {
  const clock = fakeClock();
  const bans = new BanList(clock);
  for (let strike = 0; strike < 100; strike++) {
    bans.strike("192.0.2.1");
    await clock.advance(3000);
  }
  expect(bans.isBanned("192.0.2.1")).toBe(false);
});

test("an IPv6 source is its /64", () => {
  const bans = new BanList(fakeClock());
  for (let strike = 0; strike < 30; strike++) bans.strike(`2001:db8:1:2::${strike.toString(16)}`);
  expect(bans.isBanned("2001:db8:1:2:aaaa:bbbb:cccc:dddd")).toBe(true);
  expect(bans.isBanned("2001:db8:1:3::1")).toBe(false);
  expect(bans.isBanned("::1")).toBe(false);
});

test.each([
  ["2001:db8::1", "2001:db8:0:0:ffff::", "2001:db8:0:1::1"],
  ["2001:db8:0:1:1:2:3:4", "2001:db8:0:1::9", "2001:db8:0:2::9"],
  ["::1", "::2:0:0:1", "0:0:0:1::1"],
])("%s is in the same /64 as %s, and not as %s", (source, same, other) => {
  const bans = new BanList(fakeClock());
  for (let strike = 0; strike < 30; strike++) bans.strike(source);
  expect([same, other].map((host) => bans.isBanned(host))).toEqual([true, false]);
});

test("however many sources there are, memory is limited", () => {
  const bans = new BanList(fakeClock());
  for (let source = 0; source < 20_000; source++)
    bans.strike(`10.${source >> 16}.${(source >> 8) & 255}.${source & 255}`);
  expect(bans.size).toBe(4096);
});
