/** When failed attempts lock, for how long, and when they are forgotten: each rule, to the millisecond. */
import { expect, test } from "bun:test";
import { AppError } from "../../../src/core/errors.ts";
import { LockOut, networkOf, type Subject } from "../../../src/features/identity/lock-out.ts";
import type { Attempts } from "../../../src/features/identity/stores.ts";
import { fakeClock } from "../../support/fake-clock.ts";

function world() {
  const clock = fakeClock();
  const rows = new Map<string, Attempts>();
  const told: unknown[][] = [];
  const counts = new Map<string, number>();
  const attempts = {
    get: async (key: string) => rows.get(key) ?? null,
    put: async (key: string, state: Attempts) => void rows.set(key, state),
    remove: async (key: string) => void rows.delete(key),
    count: async (rule: string) => counts.get(rule) ?? 0,
    removeLeast: async (...what: unknown[]) => void told.push(["removeLeast", ...what]),
    removeBefore: async (beforeMs: number) => void told.push(["removeBefore", beforeMs]),
  };
  const stores = () => ({ attempts });
  const database = { read: {}, tx: (work: (queries: object) => unknown) => work({}) };
  const lockOut = new LockOut({
    clock,
    stores,
    database,
    vault: { deriveKey: () => new Uint8Array(32) },
  } as unknown as ConstructorParameters<typeof LockOut>[0]);
  /** 0: counted; otherwise the stored number of milliseconds until the lock ends. */
  async function attempt(subject: Subject): Promise<number> {
    const lockedForMs = () => Math.max(0, (rows.get(subject.key)?.lockedUntil ?? 0) - clock.now());
    const error = await lockOut.attempt([subject]).then(
      () => null,
      (problem: unknown) => problem,
    );
    if (error instanceof AppError)
      expect(error.retryAfterSeconds).toBe(Math.ceil(lockedForMs() / 1000));
    return lockedForMs();
  }
  return { clock, lockOut, attempt, rows, told, counts };
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const SUBJECTS: Readonly<Record<string, (lockOut: LockOut) => Subject | undefined>> = {
  account: (lockOut) => lockOut.account("a@example.com"),
  source: (lockOut) => lockOut.source("192.0.2.1"),
  network: (lockOut) => lockOut.sources("2001:db8::1")[1],
  code: (lockOut) => lockOut.code(7),
  mail: (lockOut) => lockOut.mailTo("a@example.com"),
  invitations: (lockOut) => lockOut.invitationOf(1, "a@example.com")[0],
  invitation: (lockOut) => lockOut.invitationOf(1, "a@example.com")[1],
};

test.each([
  ["account", 5, 30 * SECOND, 15 * MINUTE, 24 * HOUR],
  ["source", 20, MINUTE, HOUR, 24 * HOUR],
  ["network", 100, MINUTE, 15 * MINUTE, HOUR],
  ["code", 5, MINUTE, HOUR, 24 * HOUR],
  ["mail", 3, 10 * MINUTE, HOUR, HOUR],
  ["invitations", 100, 10 * MINUTE, HOUR, HOUR],
  ["invitation", 5, 10 * MINUTE, HOUR, 24 * HOUR],
])("%s: %d free, then %d ms doubling to %d ms, forgotten after %d ms", async (rule, ...bounds) => {
  const [free, firstMs, mostMs, forgottenAfterMs] = bounds;
  const { clock, lockOut, attempt, rows } = world();
  const subject = SUBJECTS[rule]?.(lockOut);
  if (!subject) throw new Error(`no subject of ${rule}`);
  for (let failure = 1; failure < free; failure++) expect(await attempt(subject)).toBe(0);
  for (let lockMs = firstMs; ; lockMs = Math.min(2 * lockMs, mostMs)) {
    expect(await attempt(subject)).toBe(lockMs);
    await clock.advance(lockMs - 1);
    expect(await attempt(subject)).toBe(1); // not counted
    await clock.advance(1);
    if (lockMs === mostMs) break;
  }
  const failures = () => rows.get(subject.key)?.failures ?? 0;
  const isForgotten = mostMs === forgottenAfterMs;
  expect(await attempt(subject)).toBe(isForgotten ? 0 : mostMs);
  if (isForgotten) return expect(failures()).toBe(1);
  const before = failures();
  await clock.advance(forgottenAfterMs - 1);
  expect(await attempt(subject)).toBe(mostMs);
  expect(failures()).toBe(before + 1);
  await clock.advance(Math.max(mostMs, forgottenAfterMs));
  expect(await attempt(subject)).toBe(0);
  expect(failures()).toBe(1);
});

test("after the clock was set back, no lock lasts longer than its rule", async () => {
  const { clock, lockOut, attempt, rows } = world();
  const subject = lockOut.account("a@example.com");
  for (let failure = 1; failure <= 5; failure++) await attempt(subject);
  clock.stepWallClock(-HOUR);
  expect(await attempt(subject)).toBe(15 * MINUTE);
  expect(rows.get(subject.key)?.lastAt).toBe(clock.now());
});

test("waits up to 90 seconds are shown in seconds, longer ones in minutes", async () => {
  for (const [lockedForMs, told] of [
    [90 * SECOND, "in 90 seconds"],
    [91 * SECOND, "in 2 minutes"],
    [121 * SECOND, "in 3 minutes"],
    [15 * MINUTE, "in 15 minutes"],
  ] as const) {
    const { clock, lockOut, rows } = world();
    const subject = lockOut.account("a@example.com");
    const nowMs = clock.now();
    rows.set(subject.key, { failures: 9, lastAt: nowMs, lockedUntil: nowMs + lockedForMs });
    await expect(lockOut.attempt([subject])).rejects.toThrow(told);
  }
});

test("a successful attempt is subtracted, and removes a lock that it caused alone", async () => {
  const { lockOut, attempt, rows } = world();
  const subject = lockOut.account("a@example.com");
  for (let failure = 1; failure <= 5; failure++) await attempt(subject);
  await lockOut.undoAttempt([subject]);
  expect(rows.get(subject.key)).toMatchObject({ failures: 4, lockedUntil: 0 });
  rows.set(subject.key, { failures: 6, lastAt: 1, lockedUntil: 2 });
  await lockOut.undoAttempt([subject]);
  expect(rows.get(subject.key)).toMatchObject({ failures: 5, lockedUntil: 2 });
  rows.set(subject.key, { failures: 1, lastAt: 1, lockedUntil: 0 });
  await lockOut.undoAttempt([subject, lockOut.code(1)]);
  expect(rows.size).toBe(0);
});

test("a successful sign-in clears the account's failures, and no other account's", async () => {
  const { lockOut, attempt, rows } = world();
  const [own, other] = [lockOut.account("a@example.com"), lockOut.account("b@example.com")];
  for (const subject of [own, other, own]) await attempt(subject);
  await lockOut.clearFailures([own]);
  expect([rows.get(own.key)?.failures, rows.get(other.key)?.failures]).toEqual([undefined, 1]);
});

test("20,000 subjects are counted per rule; the next one replaces the thousand with the fewest failures", async () => {
  const { clock, lockOut, attempt, counts, told } = world();
  const account = lockOut.account("a@example.com");
  counts.set("source", 20_000).set("account", 19_999);
  await attempt(account);
  expect(told).toEqual([]);
  counts.set("account", 20_000);
  await attempt(account);
  expect(told).toEqual([]);
  await attempt(lockOut.account("b@example.com"));
  expect(told).toEqual([["removeLeast", "account", 1_000, clock.now()]]);
});

test("rows older than a day are removed", async () => {
  const { clock, lockOut, told } = world();
  await lockOut.removeOld();
  expect(told).toEqual([["removeBefore", clock.now() - 24 * HOUR]]);
});

test("IPv6 is counted per household and per network, IPv4 per address", () => {
  const { lockOut } = world();
  const keys = (ip: string) => lockOut.sources(ip).map(({ key }) => key);
  expect(keys("192.0.2.1")).toHaveLength(1);
  const [household, network] = keys("2001:db8:1:2:3:4:5:6");
  expect(keys("2001:db8:1:2::9")).toEqual([household ?? "", network ?? ""]);
  const [other, same] = keys("2001:db8:1:3::1");
  expect(other).not.toBe(household);
  expect(same).toBe(network);
  expect(keys("2001:db8:2::1")[1]).not.toBe(network);
  expect(keys("::1")[1]).toBe(keys("0:0:0:1::9")[1]);
});

test.each([
  ["192.0.2.1", "192.0.2.1"],
  ["2001:db8::1", "2001:db8:0:0"],
  ["1::2:3:4:5:6:7", "1:0:2:3"],
  ["1:2::", "1:2:0:0"],
  ["::1", "0:0:0:0"],
  ["1:2:3:4:5:6:7:8", "1:2:3:4"],
])("the network of %s is %s", (ip, network) => {
  expect(networkOf(ip)).toBe(network);
});
