/** Telephone PINs on a real store with a fake clock: three tries in 15 minutes, nine in a day. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
import type { Database } from "../../../src/core/database.ts";
import { contactStore } from "../../../src/features/contact/contact-store.ts";
import { createPinCheck, TRIES_PER_DAY_MAX } from "../../../src/features/contact/pin-check.ts";
import { pinStore } from "../../../src/features/contact/pin-store.ts";
import { auditEntries, contacts, pinAttempts } from "../../../src/store/schema/index.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { insertTenant } from "../../support/store/stored-rows.ts";
import { openTestDatabase } from "../../support/store/test-store.ts";
import { tempDir } from "../../support/temp-dir.ts";

const NUMBER = "+37061000001";
const PIN = "4711";
const LOCKED_MS = 15 * 60_000;
const clock = fakeClock(1_795_000_000_000);
let database: Database;
let tenantId = 0;
let pinHash = "";

beforeAll(async () => {
  database = await openTestDatabase(join(tempDir(), "pins.db"), clock.now());
  tenantId = await insertTenant(database);
  pinHash = await Bun.password.hash(PIN, { algorithm: "argon2id", memoryCost: 8192, timeCost: 1 });
});
afterAll(() => database.close());
beforeEach(async () => {
  await database.tx(async (queries) => {
    await queries.delete(contacts);
    await queries.delete(pinAttempts);
    await queries.delete(auditEntries);
  });
  await addContact(pinHash);
});

const pins = () => createPinCheck({ database, contacts: contactStore, records: pinStore, clock });
const call = () => ({ tenantId, number: NUMBER, callUuid: "019aa3c1-7a10-7abc-8def-0123456789ab" });
const addContact = (hash: string | null) =>
  database.tx((queries) =>
    contactStore(queries).insert(tenantId, {
      numberE164: NUMBER,
      firstName: "Ona",
      lastName: "",
      vocative: null,
      birthday: null,
      language: null,
      notes: "",
      consent: false,
      doNotCall: false,
      pinHash: hash,
      createdAt: 1,
      updatedAt: 1,
    }),
  );
const keyed = async (...digits: string[]) => {
  const verdicts = [];
  for (const pin of digits) verdicts.push(await pins().check(call(), pin));
  return verdicts;
};

test("the third wrong PIN locks the number for 15 minutes, also for the right PIN", async () => {
  expect(await keyed("0000", "1111", "2222", PIN)).toEqual(["wrong", "wrong", "locked", "locked"]);
  clock.stepWallClock(LOCKED_MS - 1);
  expect(await pins().mayTry(call())).toBe(false);
  clock.stepWallClock(1);
  expect(await pins().mayTry(call())).toBe(true);
  expect(await keyed("0000", "1111", PIN)).toEqual(["wrong", "wrong", "right"]);
});

test("after nine wrong PINs within a day there is no tenth try until the first is a day old", async () => {
  const first = clock.now();
  for (let round = 0; round < TRIES_PER_DAY_MAX / 3; round++) {
    expect(await keyed("0000", "1111", "2222")).toEqual(["wrong", "wrong", "locked"]);
    clock.stepWallClock(LOCKED_MS);
  }
  expect(await pins().mayTry(call())).toBe(false);
  expect(await keyed(PIN)).toEqual(["locked"]);
  clock.stepWallClock(first + 86_400_000 - clock.now());
  expect(await pins().mayTry(call())).toBe(false);
  clock.stepWallClock(1);
  expect(await keyed(PIN)).toEqual(["right"]);
});

test("a right PIN resets the three tries", async () => {
  expect(await keyed("0000", "1111", PIN, "0000", "1111", "2222")).toEqual([
    ...["wrong", "wrong", "right", "wrong", "wrong", "locked"],
  ]);
});

test("a right PIN in between does not allow a tenth wrong one that day", async () => {
  for (let round = 0; round < 4; round++) await keyed("0000", "1111", PIN);
  expect(await keyed("0000")).toEqual(["locked"]);
  expect(await pins().mayTry(call())).toBe(false);
});

test("a right PIN forgives the wrong ones before it", async () => {
  expect(await keyed("0000", "1111", PIN, "0000", "1111", PIN)).toEqual([
    ...["wrong", "wrong", "right", "wrong", "wrong", "right"],
  ]);
});

test("concurrent calls share three tries", async () => {
  const all = await Promise.all(
    Array.from({ length: 10 }, (_, n) => pins().check(call(), String(1000 + n))),
  );
  expect(all.filter((verdict) => verdict === "right")).toEqual([]);
  expect(await database.read.select().from(pinAttempts)).toHaveLength(3);
  expect(await pins().mayTry(call())).toBe(false);
});

test("a try needs exactly one contact with a PIN: none set, shared, unknown, withheld, another tenant's", async () => {
  const stranger = await insertTenant(database);
  expect(await pins().mayTry({ ...call(), tenantId: stranger })).toBe(false);
  expect(await pins().mayTry({ ...call(), number: "" })).toBe(false);
  expect(await pins().mayTry({ ...call(), number: "+37061000009" })).toBe(false);
  await addContact(pinHash);
  expect(await pins().mayTry(call())).toBe(false);
  expect(await keyed(PIN)).toEqual(["no_pin"]);
  await database.tx((queries) => queries.delete(contacts));
  await addContact(null);
  expect(await keyed(PIN)).toEqual(["no_pin"]);
});

test("entered digits are stored nowhere; the try itself is", async () => {
  await keyed("98765", "not digits", PIN);
  const rows = [
    ...(await database.read.select().from(pinAttempts)),
    ...(await database.read.select().from(auditEntries)),
  ];
  expect(rows).toHaveLength(6);
  const text = JSON.stringify(rows);
  for (const digits of ["98765", "not digits"]) expect(text).not.toContain(digits);
  const audited = await database.read.select().from(auditEntries);
  expect(audited.map(({ outcome }) => outcome)).toEqual(["refused", "refused", "done"]);
});
