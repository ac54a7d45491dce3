/** Stored lock-outs: bounded, kept over restarts, and tolerant of a wrong clock. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import type { Database } from "../../../src/core/database.ts";
import { AppError } from "../../../src/core/errors.ts";
import { silentLog } from "../../../src/core/log.ts";
import { systemRandom } from "../../../src/core/random.ts";
import { identityStores } from "../../../src/features/identity/identity-stores.ts";
import { LOCK_RULES, LockOut } from "../../../src/features/identity/lock-out.ts";
import { createVault } from "../../../src/platform/secrets/vault.ts";
import { signInAttempts } from "../../../src/store/schema/identity.ts";
import { openDatabase } from "../../../src/store/sqlite/database.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { tempDir } from "../../support/temp-dir.ts";

setDefaultTimeout(60_000);

const HOUR = 3_600_000;

function lockOutOn(database: Database, clock = fakeClock()) {
  const lockOut = new LockOut({
    database,
    stores: identityStores,
    clock,
    random: systemRandom,
    log: silentLog,
    vault: createVault(new Uint8Array(32).fill(7)),
    mails: null,
    publicUrl: () => "",
    createTenant: () => Promise.reject(new Error("not here")),
  });
  return { lockOut, clock };
}

const open = () => openDatabase(join(tempDir(), "linevoice.db"), 0);

const secondsLocked = (work: Promise<void>): Promise<number> =>
  work.then(
    () => 0,
    (error: unknown) => (error instanceof AppError ? (error.retryAfterSeconds ?? -1) : -1),
  );

test("at most 20,000 rows are kept: the longest unused ones are removed", async () => {
  const database = open();
  const { lockOut, clock } = lockOutOn(database);
  const nowMs = clock.now();
  await database.tx(async (queries) => {
    for (let chunk = 0; chunk < 20; chunk++)
      await queries.insert(signInAttempts).values(
        Array.from({ length: 1_000 }, (_, index) => ({
          key: `source:${chunk}.${index}`,
          failures: 1,
          lastAt: nowMs + chunk * 1_000 + index,
          lockedUntil: 0,
        })),
      );
  });
  await lockOut.attempt([lockOut.source("192.0.2.1"), lockOut.account("a@example.com")]);
  const { attempts } = identityStores(database.read);
  expect(await attempts.count()).toBe(19_002);
  expect(await attempts.get("source:0.999")).toBeNull();
  expect(await attempts.get("source:1.0")).not.toBeNull();
  await clock.advance(25 * HOUR);
  await lockOut.removeOld();
  expect(await attempts.count()).toBe(0);
  await database.close();
});

test("a successful attempt leaves no trace; among failed ones only the failures remain", async () => {
  const database = open();
  const { lockOut } = lockOutOn(database);
  const { attempts } = identityStores(database.read);
  const subjects = [lockOut.account("a@example.com"), lockOut.source("192.0.2.1")];
  await lockOut.attempt(subjects);
  await lockOut.undoAttempt(subjects);
  expect(await attempts.count()).toBe(0);
  for (let failure = 0; failure < LOCK_RULES.account.free; failure++)
    await lockOut.attempt(subjects);
  await lockOut.undoAttempt(subjects);
  expect(await secondsLocked(lockOut.attempt(subjects))).toBe(0);
  expect(await secondsLocked(lockOut.attempt(subjects))).toBe(30);
  await database.close();
});

test("while one subject is locked, the attempt does not count against the other", async () => {
  const database = open();
  const { lockOut } = lockOutOn(database);
  const account = lockOut.account("a@example.com");
  for (let failure = 0; failure < LOCK_RULES.account.free; failure++)
    await lockOut.attempt([account]);
  const source = lockOut.source("192.0.2.1");
  for (let round = 0; round < 50; round++)
    expect(await secondsLocked(lockOut.attempt([account, source]))).toBe(30);
  const { attempts } = identityStores(database.read);
  expect(await attempts.get(source.key)).toBeNull();
  await database.close();
});

test("after the clock was set back, a lock lasts no longer than the rule's longest pause", async () => {
  const database = open();
  const { lockOut, clock } = lockOutOn(database);
  const account = [lockOut.account("a@example.com")];
  for (let failure = 0; failure < LOCK_RULES.account.free; failure++)
    await lockOut.attempt(account);
  clock.stepWallClock(-365 * 24 * HOUR);
  const { lockMsMax } = LOCK_RULES.account;
  expect(await secondsLocked(lockOut.attempt(account))).toBe(lockMsMax / 1000);
  await clock.advance(lockMsMax);
  expect(await secondsLocked(lockOut.attempt(account))).toBe(0);
  await database.close();
});

test("an address counts the same in every notation; one IPv6 network counts as one source", () => {
  const database = open();
  const { lockOut } = lockOutOn(database);
  const key = (ip: string) => lockOut.source(ip).key;
  expect(key("2001:db8::1")).toBe(key("2001:db8:0:0:ffff::2"));
  expect(key("2001:db8::1")).not.toBe(key("2001:db8:0:1::1"));
  expect(key("192.0.2.1")).not.toBe(key("192.0.2.2"));
  expect(key("::1")).toBe("source:0:0:0:0");
  void database.close();
});

test("a flood of addresses removes neither locked sources nor accounts", async () => {
  const database = open();
  const { lockOut, clock } = lockOutOn(database);
  const locked = lockOut.source("192.0.2.1");
  const account = lockOut.account("a@example.com");
  for (let failure = 0; failure < LOCK_RULES.source.free; failure++)
    await lockOut.attempt([locked]);
  await lockOut.attempt([account]);
  const nowMs = clock.now();
  await database.tx(async (queries) => {
    for (let chunk = 0; chunk < 20; chunk++)
      await queries.insert(signInAttempts).values(
        Array.from({ length: 1_000 }, (_, index) => ({
          key: `source:2001:db8:${chunk}:${index}`,
          failures: 1,
          lastAt: nowMs + 1_000 + chunk,
          lockedUntil: 0,
        })),
      );
  });
  await lockOut.attempt([lockOut.source("2001:db8:ffff::1")]);
  const { attempts } = identityStores(database.read);
  expect(await attempts.count("source")).toBe(19_002);
  expect(await secondsLocked(lockOut.attempt([locked]))).toBe(60);
  expect(await attempts.get(account.key)).not.toBeNull();
  await database.close();
});

test("attempts from changing networks of one /48 are locked too, and other networks are not", async () => {
  const database = open();
  const { lockOut } = lockOutOn(database);
  const { free, firstLockMs } = LOCK_RULES.network;
  for (let failure = 0; failure < free; failure++)
    await lockOut.attempt(lockOut.sources(`2001:db8:7:${failure.toString(16)}::1`));
  const waits = (ip: string) => secondsLocked(lockOut.attempt(lockOut.sources(ip)));
  expect(await waits("2001:db8:7:ffff::1")).toBe(firstLockMs / 1000);
  expect(await waits("2001:db8:8:ffff::1")).toBe(0);
  expect(await waits("192.0.2.7")).toBe(0);
  await database.close();
});
