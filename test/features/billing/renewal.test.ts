/** Monthly renewal and low-balance notices, on a real file with a fake clock. */
import { afterAll, afterEach, expect, test } from "bun:test";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import { silentLog as log } from "../../../src/core/log.ts";
import { microEur } from "../../../src/core/money.ts";
import { systemRandom } from "../../../src/core/random.ts";
import { Billing } from "../../../src/features/billing/billing.ts";
import { billingStores as stores } from "../../../src/features/billing/billing-stores.ts";
import { Checkouts } from "../../../src/features/billing/checkout.ts";
import { verifyLedger } from "../../../src/features/billing/ledger.ts";
import { noticeLowBalances } from "../../../src/features/billing/low-balance.ts";
import { manualPayments } from "../../../src/features/billing/payments/manual.ts";
import {
  firstBridgeRenewal,
  monthBefore,
  renewMonths,
} from "../../../src/features/billing/renewal.ts";
import { createReports } from "../../../src/features/call-log/reports.ts";
import { mailStore } from "../../../src/features/mail/mail-store.ts";
import type { MailDraft } from "../../../src/features/mail/ports.ts";
import { SPECIFIED_EVENT_TYPES } from "../../../src/features/webhook/event-types.ts";
import { createEventSink } from "../../../src/features/webhook/sink.ts";
import { webhookStores } from "../../../src/features/webhook/webhook-stores.ts";
import {
  events,
  ledgerTransactions,
  mails,
  outbox,
  tenants,
} from "../../../src/store/schema/index.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { prepaidPlan, startPlan } from "../../support/plans.ts";
import { insertCall, insertTenant, insertWebhook } from "../../support/store/stored-rows.ts";
import { openTestDatabase } from "../../support/store/test-store.ts";
import { tempDir } from "../../support/temp-dir.ts";

const at = (text: string) => Date.parse(text);
const clock = fakeClock(at("2026-11-21T04:05:06Z"));
const turnTo = (text: string) => clock.stepWallClock(at(text) - clock.now());
const directory = tempDir();
let database = await openTestDatabase(join(directory, "main.db"), clock.now());
afterAll(() => database.close());
const plans = [startPlan, prepaidPlan];

const parts = () => ({
  database,
  stores,
  plans,
  clock,
  log,
  thresholds: [microEur(10_000_000), microEur(2_000_000)],
  mails: {
    enqueue: (queries: Parameters<typeof mailStore>[0], tenantId: number, mail: MailDraft) =>
      mailStore(queries).enqueue(tenantId, mail, clock.now()),
    wake: () => undefined,
  },
  events: createEventSink({
    stores: webhookStores,
    clock,
    random: systemRandom,
    wake: () => undefined,
  }),
});
const eventsOf = async (tenantId: number) =>
  (await database.read.select().from(events).where(eq(events.tenantId, tenantId))).map((event) => ({
    type: event.type,
    data: JSON.parse(event.body).data,
  }));
const round = () => renewMonths(parts());
const notice = () => noticeLowBalances(parts());
const billing = () => new Billing({ database, stores, plans, clock });
const credit = (tenantId: number, eur: number) =>
  billing().credit(tenantId, microEur(eur * 1_000_000), "test");
const eurOf = async (tenantId: number) =>
  Number((await billing().balance(tenantId)).balance) / 1_000_000;
const minutesOf = async (tenantId: number) =>
  (await billing().balance(tenantId)).includedSecondsLeft / 60;
const mailsTo = async (tenantId: number) =>
  (await database.read.select().from(mails).where(eq(mails.tenantId, tenantId))).map(
    (mail) => mail.key.split(":")[0],
  );
const keysOf = async (tenantId: number) =>
  (
    await database.read
      .select()
      .from(ledgerTransactions)
      .where(eq(ledgerTransactions.tenantId, tenantId))
  )
    .map((row) => row.key)
    .filter((key) => key.startsWith("renewal:"));

afterEach(async () => {
  expect(await verifyLedger(stores(database.read))).toEqual([]);
  turnTo("2026-11-21T04:05:06Z");
});

test("the month of a tenant's creation is free, each later one is charged once", async () => {
  const tenantId = await insertTenant(database, { createdAt: clock.now() });
  await credit(tenantId, 100);
  await round();
  expect(await eurOf(tenantId)).toBe(100);
  turnTo("2026-11-30T21:59:59Z"); // 23:59:59 in Vilnius
  await round();
  expect(await eurOf(tenantId)).toBe(100);
  turnTo("2026-11-30T22:00:00Z"); // midnight in Vilnius
  await Promise.all([round(), round(), round()]);
  expect(await eurOf(tenantId)).toBe(81);
  turnTo("2026-12-31T12:00:00Z");
  await round();
  turnTo("2026-12-31T22:00:00Z");
  await round();
  expect(await eurOf(tenantId)).toBe(62);
  expect(await keysOf(tenantId)).toEqual([
    `renewal:${tenantId}:2026-12:plan`,
    `renewal:${tenantId}:2027-01:plan`,
  ]);
});

test("each tenant's month begins at midnight of its zone", async () => {
  const createdAt = clock.now();
  const [tokyo, lisbon] = [
    await insertTenant(database, { createdAt, timeZone: "Asia/Tokyo" }),
    await insertTenant(database, { createdAt, timeZone: "Europe/Lisbon" }),
  ];
  for (const tenantId of [tokyo, lisbon]) await credit(tenantId, 50);
  turnTo("2026-11-30T15:00:00Z");
  await round();
  expect([await eurOf(tokyo), await eurOf(lisbon)]).toEqual([31, 50]);
  turnTo("2026-12-01T00:00:00Z");
  await round();
  expect([await eurOf(tokyo), await eurOf(lisbon)]).toEqual([31, 31]);
});

test("a clock set back and forward again charges nothing twice", async () => {
  const tenantId = await insertTenant(database, { createdAt: clock.now() });
  await credit(tenantId, 100);
  for (const time of ["2026-12-01T10:00:00Z", "2026-11-30T10:00:00Z", "2026-12-01T10:00:00Z"]) {
    turnTo(time);
    await round();
  }
  expect(await eurOf(tenantId)).toBe(81);
});

test("the round after a restart in mid-month charges that month once, and none of the missed months", async () => {
  const tenantId = await insertTenant(database, { createdAt: clock.now() });
  await credit(tenantId, 100);
  turnTo("2027-02-11T10:00:00Z");
  await round();
  await database.close();
  database = await openTestDatabase(join(directory, "main.db"), clock.now());
  await round();
  expect(await keysOf(tenantId)).toEqual([`renewal:${tenantId}:2027-02:plan`]);
});

test("a wallet with too little money gives no minutes and one mail; a top-up restores the minutes", async () => {
  const tenantId = await insertTenant(database, { createdAt: clock.now() });
  await credit(tenantId, 18.999999);
  expect(await minutesOf(tenantId)).toBe(10);
  turnTo("2026-12-01T10:00:00Z");
  for (let n = 0; n < 3; n++) await round();
  expect(await eurOf(tenantId)).toBe(18.999999);
  expect(await minutesOf(tenantId)).toBe(0);
  expect(await mailsTo(tenantId)).toEqual(["renewal-unpaid"]);
  await billing().requireFunds(database.read, tenantId); // at the overage price
  await credit(tenantId, 0.000001);
  await round();
  expect(await eurOf(tenantId)).toBe(0);
  expect(await minutesOf(tenantId)).toBe(10);
});

test("an unpaid past month is not owed", async () => {
  const tenantId = await insertTenant(database, { createdAt: clock.now() });
  turnTo("2026-12-01T10:00:00Z");
  await round();
  turnTo("2027-01-01T10:00:00Z");
  await round();
  await credit(tenantId, 100);
  await round();
  expect(await keysOf(tenantId)).toEqual([`renewal:${tenantId}:2027-01:plan`]);
  expect(await eurOf(tenantId)).toBe(81);
});

test("an unpaid past month gives no minutes, not even to a call that outlasts it", async () => {
  const tenantId = await insertTenant(database, { createdAt: clock.now() });
  await credit(tenantId, 5);
  turnTo("2026-12-31T21:59:00Z"); // 23:59 in Vilnius
  await round();
  const uuid = crypto.randomUUID();
  await insertCall(database, tenantId, uuid);
  await database.tx((queries) => billing().hold(queries, tenantId, uuid));
  turnTo("2026-12-31T22:05:00Z");
  await round();
  await billing().extendHold(tenantId, uuid, 360);
  const charge = await database.tx((queries) =>
    billing().settle(queries, tenantId, uuid, 360_000, startPlan.overagePerMinute),
  );
  expect(charge).toMatchObject({ includedSeconds: 0, overageSeconds: 360 });
  expect(await eurOf(tenantId)).toBeCloseTo(5 - 6 * 0.12, 6);
  const december = await createReports({
    database,
    billing: billing(),
    trialMinutesPerDay: 30,
    clock,
  }).usage(tenantId, {
    year: 2026,
    month: 12,
  });
  expect(december.includedSecondsLeft).toBe(0);
});

test("money held by a live call does not pay for the month", async () => {
  const tenantId = await insertTenant(database, { createdAt: clock.now(), plan: "prepaid" });
  await credit(tenantId, 19.05);
  const uuid = crypto.randomUUID();
  await insertCall(database, tenantId, uuid, prepaidPlan.overagePerMinute);
  await database.tx((queries) => billing().hold(queries, tenantId, uuid));
  await database.tx((queries) => stores(queries).accounts.setPlan(tenantId, "start"));
  turnTo("2026-12-01T10:00:00Z");
  await round();
  expect(await eurOf(tenantId)).toBe(19.05);
  await database.tx((queries) =>
    billing().settle(queries, tenantId, uuid, 0, prepaidPlan.overagePerMinute),
  );
  await round();
  expect(await eurOf(tenantId)).toBeCloseTo(0.05, 6);
});

test("after payment by checkout, neither the paid plan nor the plan it replaces is charged this month", async () => {
  const provider = manualPayments(() => "https://voice.example.com");
  const checkouts = new Checkouts({ database, stores, plans, provider, clock });
  const tenantId = await insertTenant(database, { createdAt: clock.now(), plan: "prepaid" });
  turnTo("2026-12-01T10:00:00Z");
  const { id } = await checkouts.open(tenantId, { kind: "plan", plan: "start" });
  await checkouts.confirm(id);
  await credit(tenantId, 100);
  await round();
  expect(await eurOf(tenantId)).toBe(100);
  expect(await minutesOf(tenantId)).toBe(10);
  turnTo("2027-01-01T10:00:00Z");
  await round();
  expect(await eurOf(tenantId)).toBe(81);
});

test("the CRM bridge is charged pro rata for its first month, and switched off after 7 unpaid days", async () => {
  const provider = manualPayments(() => "https://voice.example.com");
  const checkouts = new Checkouts({ database, stores, plans, provider, clock });
  const tenantId = await insertTenant(database, { createdAt: clock.now(), plan: "prepaid" });
  const { id } = await checkouts.open(tenantId, { kind: "crm_bridge" });
  await checkouts.confirm(id); // on the 21st of 30 days: 20 of them extend into December
  await credit(tenantId, 100);
  turnTo("2026-12-01T10:00:00Z");
  await round();
  expect(await eurOf(tenantId)).toBeCloseTo(100 - 79 / 3, 6);
  turnTo("2027-01-01T10:00:00Z");
  await round();
  const isOn = async () =>
    (await database.read.select().from(tenants).where(eq(tenants.id, tenantId)))[0]?.crmBridge;
  expect(await isOn()).toBe(true);
  turnTo("2027-01-08T10:00:00Z");
  await round();
  expect(await isOn()).toBe(true);
  turnTo("2027-01-08T10:00:00.001Z");
  await round();
  expect(await isOn()).toBe(false);
  expect(await mailsTo(tenantId)).toEqual(["renewal-unpaid", "bridge-off"]);
  expect(await eurOf(tenantId)).toBeCloseTo(100 - 79 / 3, 6);
});

test("the first renewal of the CRM bridge uses the day of purchase, not of a later payment", async () => {
  const provider = {
    ...manualPayments(() => "https://voice.example.com"),
    name: "stripe" as const,
  };
  const checkouts = new Checkouts({ database, stores, plans, provider, clock });
  const tenantId = await insertTenant(database, { createdAt: clock.now(), plan: "prepaid" });
  turnTo("2026-12-01T10:00:00Z");
  const amount = microEur(79_000_000);
  const [first, second] = [
    await checkouts.open(tenantId, { kind: "crm_bridge" }),
    await checkouts.open(tenantId, { kind: "crm_bridge" }),
  ];
  await checkouts.fulfil(first.id, { session: first.id, amount });
  turnTo("2026-12-31T10:00:00Z");
  await checkouts.fulfil(second.id, { session: second.id, amount });
  expect(await eurOf(tenantId)).toBe(79);
  turnTo("2027-01-01T10:00:00Z");
  await round();
  expect(await eurOf(tenantId)).toBe(0);
});

test("daily prices are exact, rounded once", () => {
  expect(Number(firstBridgeRenewal(1, 31))).toBe(79_000_000);
  expect(Number(firstBridgeRenewal(31, 31))).toBe(2_548_387);
  expect(Number(firstBridgeRenewal(15, 28))).toBe(39_500_000);
  expect([monthBefore("2026-01"), monthBefore("2026-11")]).toEqual(["2025-12", "2026-10"]);
});

test("nothing is charged while the clock is not trusted", async () => {
  const tenantId = await insertTenant(database, { createdAt: clock.now() });
  await credit(tenantId, 100);
  turnTo("2026-12-01T10:00:00Z");
  await renewMonths({ ...parts(), trust: { isTrusted: () => false } });
  expect(await eurOf(tenantId)).toBe(100);
  await renewMonths({ ...parts(), trust: { isTrusted: () => true } });
  expect(await eurOf(tenantId)).toBe(81);
});

test("suspended tenants and free plans are not charged", async () => {
  const createdAt = clock.now();
  const suspended = await insertTenant(database, { createdAt, suspended: true });
  const free = await insertTenant(database, { createdAt, plan: "prepaid" });
  for (const tenantId of [suspended, free]) await credit(tenantId, 100);
  turnTo("2026-12-01T10:00:00Z");
  await round();
  expect([await eurOf(suspended), await eurOf(free)]).toEqual([100, 100]);
  expect(await mailsTo(free)).toEqual([]);
});

test("a balance below a threshold is reported once, and again after it was above", async () => {
  const tenantId = await insertTenant(database, { createdAt: clock.now(), plan: "prepaid" });
  const told = async () => {
    await notice();
    await notice();
    return (await mailsTo(tenantId)).length;
  };
  await credit(tenantId, 5);
  expect(await told()).toBe(0); // it came from below
  await credit(tenantId, 15);
  expect(await told()).toBe(0);
  await credit(tenantId, -10);
  expect(await told()).toBe(0); // exactly 10
  await credit(tenantId, -0.000001);
  expect(await told()).toBe(1);
  await credit(tenantId, -5);
  expect(await told()).toBe(1);
  await credit(tenantId, -4);
  expect(await told()).toBe(2); // below 2
  await credit(tenantId, 50);
  expect(await told()).toBe(2);
  clock.stepWallClock(60_000);
  await credit(tenantId, -50);
  expect(await told()).toBe(3); // through both at once: one mail
  expect(new Set(await mailsTo(tenantId))).toEqual(new Set(["low-balance"]));
});

test("each crossing also sends one balance.low, only to webhooks subscribed to it", async () => {
  const tenantId = await insertTenant(database, { createdAt: clock.now(), plan: "prepaid" });
  const asking = await insertWebhook(database, tenantId, { events: ["balance.low"] });
  await insertWebhook(database, tenantId, { events: [...SPECIFIED_EVENT_TYPES] });
  await credit(tenantId, 20);
  await notice();
  await credit(tenantId, -12.5);
  await Promise.all([notice(), notice()]);
  await notice();
  expect(await eventsOf(tenantId)).toEqual([
    { type: "balance.low", data: { balance_eur: 7.5, threshold_eur: 10 } },
  ]);
  const sent = await database.read.select().from(outbox).where(eq(outbox.tenantId, tenantId));
  expect(sent.map((row) => row.webhookId)).toEqual([asking]);
});

test("a notice with an event that cannot be stored is neither mailed nor forgotten", async () => {
  const tenantId = await insertTenant(database, { createdAt: clock.now(), plan: "prepaid" });
  await credit(tenantId, 20);
  await notice();
  await credit(tenantId, -15);
  const broken = {
    emit: () => Promise.reject(new Error("disk full")),
    wake: () => undefined,
  };
  await expect(noticeLowBalances({ ...parts(), events: broken })).rejects.toThrow("disk full");
  expect(await mailsTo(tenantId)).toEqual([]);
  await notice();
  expect(await mailsTo(tenantId)).toEqual(["low-balance"]);
  expect((await eventsOf(tenantId)).length).toBe(1);
});
