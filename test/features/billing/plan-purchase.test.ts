/** Plans bought in the middle of a month, on a real file: price, minutes, and the renewal after. */
import { afterAll, afterEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { AppError } from "../../../src/core/errors.ts";
import { silentLog as log } from "../../../src/core/log.ts";
import { type MicroEur, microEur } from "../../../src/core/money.ts";
import { Billing } from "../../../src/features/billing/billing.ts";
import { billingStores as stores } from "../../../src/features/billing/billing-stores.ts";
import { Checkouts } from "../../../src/features/billing/checkout.ts";
import { syncEntitlement } from "../../../src/features/billing/entitlement.ts";
import { verifyLedger } from "../../../src/features/billing/ledger.ts";
import { manualPayments } from "../../../src/features/billing/payments/manual.ts";
import { renewMonths } from "../../../src/features/billing/renewal.ts";
import type { Checkout } from "../../../src/features/billing/stores.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { prepaidPlan, startPlan } from "../../support/plans.ts";
import { insertCall, insertTenant } from "../../support/store/stored-rows.ts";
import { openTestDatabase } from "../../support/store/test-store.ts";
import { tempDir } from "../../support/temp-dir.ts";

const EUR = 1_000_000;
const start = { ...startPlan, includedMinutes: 100, pricePerMonth: microEur(29 * EUR) };
const business = {
  ...start,
  slug: "business",
  includedMinutes: 600,
  pricePerMonth: microEur(149 * EUR),
};
const plans = [start, business, prepaidPlan];

const clock = fakeClock(Date.parse("2026-11-21T04:05:06Z"));
const turnTo = (text: string) => clock.stepWallClock(Date.parse(text) - clock.now());
const database = await openTestDatabase(join(tempDir(), "main.db"), clock.now());
afterAll(() => database.close());
afterEach(async () => {
  expect(await verifyLedger(stores(database.read))).toEqual([]);
});

const manual = manualPayments(() => "https://voice.example.com");
const checkoutsOf = (provider = manual as ConstructorParameters<typeof Checkouts>[0]["provider"]) =>
  new Checkouts({ database, stores, plans, provider, clock });
const checkouts = checkoutsOf();
const billing = new Billing({ database, stores, plans, clock });
const mails = { enqueue: async () => undefined, wake: () => undefined };
const round = () => renewMonths({ database, stores, plans, mails, clock, log });
const credit = (tenantId: number, eur: number) =>
  billing.credit(tenantId, microEur(eur * EUR), "test");
const eurOf = async (tenantId: number) => (await billing.balance(tenantId)).balance / EUR;
const secondsLeft = async (tenantId: number) =>
  (await billing.balance(tenantId)).includedSecondsLeft;
const planOf = async (tenantId: number) => (await billing.balance(tenantId)).plan.slug;
const pricesOf = async (tenantId: number) =>
  Object.fromEntries(
    [...(await checkouts.planPrices(tenantId))].map(([slug, price]) => [
      slug,
      price === null ? null : price / EUR,
    ]),
  );
const openPlan = (tenantId: number, plan: string) =>
  checkouts.open(tenantId, { kind: "plan", plan });

/** Returns the price in EUR. */
async function buy(tenantId: number, plan: string): Promise<number> {
  return (await pay(tenantId, plan)).amount / EUR;
}

async function pay(tenantId: number, plan: string): Promise<Checkout> {
  const { id } = await openPlan(tenantId, plan);
  return await checkouts.confirm(id);
}

/** Reports the whole payment as refunded, or the refund as failed. */
const refund = (checkout: Checkout, isWhole = true, cause = "refunds") =>
  database.tx((queries) =>
    syncEntitlement(stores(queries), checkout, { cause, isWhole, isFinal: true }, clock.now()),
  );

async function call(tenantId: number, seconds: number) {
  const uuid = crypto.randomUUID();
  await insertCall(database, tenantId, uuid);
  await database.tx((queries) =>
    billing.settle(queries, tenantId, uuid, seconds * 1000, start.overagePerMinute),
  );
}

async function errorOf(promise: Promise<unknown>) {
  try {
    await promise;
    return null;
  } catch (error) {
    return error instanceof AppError ? error.code : error;
  }
}

/** A tenant in Vilnius created in October, so that November is paid. */
async function payingTenant(plan: string, balance = 1_000) {
  const createdAt = Date.parse("2026-10-05T10:00:00Z");
  turnTo("2026-11-01T10:00:00Z");
  const tenantId = await insertTenant(database, { plan, createdAt });
  await credit(tenantId, balance);
  await round();
  return tenantId;
}

describe("price", () => {
  test.each([
    ["on the first day", "2026-11-30T22:00:00Z", 29, 149],
    ["in the middle of 31 days", "2026-12-16T10:00:00Z", 14.97, 76.9],
    ["two days before the end", "2026-11-29T10:00:00Z", 1.93, 9.93],
    ["in the last second of a month", "2026-11-30T21:59:59.999Z", 0.97, 4.97],
    ["in the last second of February", "2027-02-28T21:59:59.999Z", 1.04, 5.32],
    ["on the 28th of a leap February", "2028-02-28T10:00:00Z", 2, 10.28],
    ["on the last day of a leap February", "2028-02-29T10:00:00Z", 1, 5.14],
    ["in the last second of a year", "2026-12-31T21:59:59.999Z", 0.94, 4.81],
  ])("of a plan bought %s covers the remaining days", async (_, time, small, large) => {
    turnTo(time);
    const tenantId = await insertTenant(database, { plan: "prepaid", createdAt: clock.now() });
    expect(await pricesOf(tenantId)).toEqual({ start: small, business: large, prepaid: null });
    expect(await buy(tenantId, "business")).toBe(large);
    expect(await planOf(tenantId)).toBe("business");
    expect(await eurOf(tenantId)).toBe(0);
  });

  test("uses the tenant's zone, not UTC", async () => {
    turnTo("2026-11-30T15:30:00Z"); // 1 December in Tokyo
    const at = { plan: "prepaid", createdAt: clock.now() };
    const tokyo = await insertTenant(database, { ...at, timeZone: "Asia/Tokyo" });
    const lisbon = await insertTenant(database, { ...at, timeZone: "Europe/Lisbon" });
    expect([await buy(tokyo, "start"), await buy(lisbon, "start")]).toEqual([29, 0.97]);
  });

  test("of a larger plan deducts the payment for the same days of the old plan", async () => {
    const tenantId = await payingTenant("start");
    turnTo("2026-11-29T10:00:00Z");
    expect(await pricesOf(tenantId)).toEqual({ start: null, business: 8, prepaid: 0 });
    expect(await buy(tenantId, "business")).toBe(8);
  });

  test("deducts nothing for a free or unpaid month", async () => {
    turnTo("2026-11-29T10:00:00Z");
    const free = await insertTenant(database, { plan: "start", createdAt: clock.now() });
    await round();
    const unpaid = await payingTenant("start", 1);
    turnTo("2026-11-29T10:00:00Z");
    for (const tenantId of [free, unpaid]) expect((await pricesOf(tenantId)).business).toBe(9.93);
  });

  test("of a smaller plan is zero, and nothing is paid back", async () => {
    const tenantId = await payingTenant("business");
    turnTo("2026-11-16T10:00:00Z");
    const before = await eurOf(tenantId);
    expect(await buy(tenantId, "start")).toBe(0);
    expect(await eurOf(tenantId)).toBe(before);
    // Back again on the same day: now only `start` is paid for these days.
    expect(await buy(tenantId, "business")).toBe(60);
  });

  test("of two purchases in a row adds up to that of the last plan", async () => {
    turnTo("2026-11-16T10:00:00Z"); // 15 of 30 days are left
    const tenantId = await insertTenant(database, { plan: "prepaid", createdAt: clock.now() });
    await round();
    expect(await buy(tenantId, "start")).toBe(14.5);
    expect(await buy(tenantId, "business")).toBe(60);
    await round();
    expect(await eurOf(tenantId)).toBe(0);
  });

  test.each([
    ["below", 500_001, 0],
    ["at", 500_000, 0.5],
    ["above", 499_999, 0.5],
  ])("%s the provider's minimum amount", async (_, amountMin, price) => {
    turnTo("2026-11-21T10:00:00Z");
    const third = { ...start, pricePerMonth: microEur(1_500_000) };
    const provider = { ...manual, amountMin: microEur(amountMin) };
    const offered = new Checkouts({
      database,
      stores,
      plans: [third, prepaidPlan],
      provider,
      clock,
    });
    const tenantId = await insertTenant(database, { plan: "prepaid", createdAt: clock.now() });
    expect(Number((await offered.planPrices(tenantId)).get("start"))).toBe(price * EUR);
  });
});

describe("minutes", () => {
  test("are the old plan's for the past days and the new plan's for the remaining days; used ones stay used", async () => {
    const tenantId = await payingTenant("start");
    await call(tenantId, 100 * 60);
    expect(await secondsLeft(tenantId)).toBe(0);
    turnTo("2026-11-29T10:00:00Z");
    await buy(tenantId, "business");
    expect(await secondsLeft(tenantId)).toBe((600 - 100) * 60 * (2 / 30));
    await call(tenantId, 500);
    expect(await secondsLeft(tenantId)).toBe(1_500);
  });

  test("do not grow by changing back and forth", async () => {
    const tenantId = await payingTenant("start");
    turnTo("2026-11-16T10:00:00Z");
    for (const plan of ["prepaid", "start", "prepaid", "start"]) await buy(tenantId, plan);
    expect(await secondsLeft(tenantId)).toBe(100 * 60);
  });

  test("of a used-up larger plan leave none for the smaller one", async () => {
    const tenantId = await payingTenant("business");
    await call(tenantId, 600 * 60);
    turnTo("2026-11-16T10:00:00Z");
    await buy(tenantId, "start");
    expect(await secondsLeft(tenantId)).toBe(0);
  });

  test("of an unpaid month count the bought days only", async () => {
    const tenantId = await payingTenant("start", 1);
    expect(await secondsLeft(tenantId)).toBe(0);
    turnTo("2026-11-16T10:00:00Z");
    await buy(tenantId, "business");
    expect(await secondsLeft(tenantId)).toBe(300 * 60);
    await credit(tenantId, 100);
    await round(); // the unpaid month of `start` is not charged in addition
    expect(await eurOf(tenantId)).toBe(101);
  });
});

test("the renewal after a purchase charges the whole month and gives all its minutes", async () => {
  const tenantId = await payingTenant("prepaid", 300);
  turnTo("2026-11-30T21:59:59.999Z");
  expect(await buy(tenantId, "business")).toBe(4.97);
  await round();
  expect(await eurOf(tenantId)).toBe(300);
  turnTo("2026-11-30T22:00:00Z");
  for (let n = 0; n < 3; n++) await round();
  expect(await eurOf(tenantId)).toBe(151);
  expect(await secondsLeft(tenantId)).toBe(600 * 60);
});

test("a plan bought before the month's first round is not charged twice, and is deducted from a later one", async () => {
  const tenantId = await payingTenant("prepaid", 500);
  turnTo("2026-11-30T22:00:00Z");
  expect(await buy(tenantId, "start")).toBe(29);
  await round();
  expect(await eurOf(tenantId)).toBe(500);
  expect((await pricesOf(tenantId)).business).toBe(120);
});

test("a plan paid twice is bought once", async () => {
  turnTo("2026-11-16T10:00:00Z");
  const tenantId = await insertTenant(database, { plan: "prepaid", createdAt: clock.now() });
  const [first, second] = [await openPlan(tenantId, "start"), await openPlan(tenantId, "start")];
  for (let n = 0; n < 2; n++) await checkouts.confirm(first.id);
  expect(await errorOf(checkouts.confirm(second.id))).toBe("conflict");
  expect(await secondsLeft(tenantId)).toBe(50 * 60);
});

describe("a refund of a plan's payment", () => {
  const payLater = (tenantId: number, plan: string) => {
    clock.stepWallClock(1_000);
    return pay(tenantId, plan);
  };

  async function tenantWith(...bought: string[]) {
    turnTo("2026-11-16T10:00:00Z");
    const tenantId = await insertTenant(database, { plan: "prepaid", createdAt: clock.now() });
    await round();
    const payments: Checkout[] = [];
    for (const plan of bought) payments.push(await payLater(tenantId, plan));
    const [first, second] = payments;
    if (!first || !second) throw new Error("two payments are needed");
    return { tenantId, first, second };
  }

  test.each([
    ["a free change", ["business", "start"]],
    ["an upgrade that deducted it", ["start", "business"]],
    ["two changes", ["business", "start", "business"]],
  ])("also ends the month after %s", async (_, bought) => {
    const { tenantId, first } = await tenantWith(...bought);
    expect(await secondsLeft(tenantId)).toBeGreaterThan(0);
    await refund(first);
    expect(await secondsLeft(tenantId)).toBe(0);
    expect(await payLater(tenantId, "business")).toMatchObject({ amount: 74.5 * EUR });
    expect(await secondsLeft(tenantId)).toBeGreaterThan(0);
  });

  test("changes nothing after a second purchase of the month", async () => {
    const { tenantId, first, second } = await tenantWith("start", "business");
    await refund(first);
    const again = await payLater(tenantId, "business");
    await payLater(tenantId, "start");
    const left = await secondsLeft(tenantId);
    await refund(second);
    await refund(first, true, "dispute");
    expect(await secondsLeft(tenantId)).toBe(left);
    await refund(again);
    expect(await secondsLeft(tenantId)).toBe(0);
  });

  test("that fails restores the month, unless another of its payments is refunded", async () => {
    const { tenantId, first, second } = await tenantWith("start", "business");
    const left = await secondsLeft(tenantId);
    await refund(first);
    await refund(second);
    await refund(first, false);
    expect(await secondsLeft(tenantId)).toBe(0);
    await refund(second, false);
    expect(await secondsLeft(tenantId)).toBe(left);
    await refund(first);
    expect(await secondsLeft(tenantId)).toBe(0);
  });

  test("of the month before ends nothing in this month", async () => {
    const { tenantId, first } = await tenantWith("business", "start");
    turnTo("2026-12-02T10:00:00Z");
    await credit(tenantId, 100);
    await round();
    const left = await secondsLeft(tenantId);
    expect(left).toBe(100 * 60);
    await refund(first);
    expect(await secondsLeft(tenantId)).toBe(left);
  });
});

describe("a checkout", () => {
  const stripe = checkoutsOf({ ...manual, name: "stripe" });
  const payCard = (id: string, amount: MicroEur) => stripe.fulfil(id, { session: id, amount });

  test("of a bank transfer ends with its month", async () => {
    turnTo("2026-11-29T10:00:00Z");
    const tenantId = await insertTenant(database, { plan: "prepaid", createdAt: clock.now() });
    const { id, expiresAtMs } = await openPlan(tenantId, "business");
    expect(expiresAtMs).toBe(Date.parse("2026-11-30T22:00:00Z"));
    turnTo("2026-11-30T22:00:00Z");
    expect(await errorOf(checkouts.confirm(id))).toBe("conflict");
    expect(await planOf(tenantId)).toBe("prepaid");
  });

  test("paid by card after its month becomes wallet money, and buys no other month", async () => {
    turnTo("2026-11-30T21:59:59Z");
    const tenantId = await insertTenant(database, { plan: "prepaid", createdAt: clock.now() });
    const { id, amount } = await stripe.open(tenantId, { kind: "plan", plan: "business" });
    turnTo("2026-11-30T22:00:00Z");
    for (let n = 0; n < 2; n++) await payCard(id, amount);
    expect([await planOf(tenantId), await eurOf(tenantId)]).toEqual(["prepaid", 4.97]);
  });

  test("whose deducted plan has changed since becomes wallet money", async () => {
    turnTo("2026-11-16T10:00:00Z");
    const tenantId = await insertTenant(database, { plan: "prepaid", createdAt: clock.now() });
    await round();
    const large = await stripe.open(tenantId, { kind: "plan", plan: "business" });
    turnTo("2026-11-16T10:01:00Z");
    const small = await stripe.open(tenantId, { kind: "plan", plan: "start" });
    await payCard(small.id, small.amount);
    await payCard(large.id, large.amount);
    expect([await planOf(tenantId), await eurOf(tenantId)]).toEqual(["start", 74.5]);
  });

  test("has the minutes of the paid days, if the money comes later in the month", async () => {
    turnTo("2026-11-16T10:00:00Z");
    const tenantId = await insertTenant(database, { plan: "prepaid", createdAt: clock.now() });
    await round();
    const { id } = await openPlan(tenantId, "start");
    turnTo("2026-11-20T10:00:00Z");
    await checkouts.confirm(id);
    expect(await secondsLeft(tenantId)).toBe(50 * 60);
  });
});
