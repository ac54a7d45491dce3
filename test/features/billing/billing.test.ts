import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { and, eq } from "drizzle-orm";
import type { Database } from "../../../src/core/database.ts";
import { microEur, priceOfSeconds } from "../../../src/core/money.ts";
import { Billing } from "../../../src/features/billing/billing.ts";
import { billingStores } from "../../../src/features/billing/billing-stores.ts";
import { Checkouts } from "../../../src/features/billing/checkout.ts";
import { retentionOf } from "../../../src/features/billing/fulfilment.ts";
import { post, verifyLedger } from "../../../src/features/billing/ledger.ts";
import { manualPayments } from "../../../src/features/billing/payments/manual.ts";
import { writtenOff } from "../../../src/features/billing/rating.ts";
import {
  calls,
  holds,
  ledgerEntries,
  ledgerRollups,
  ledgerTransactions,
  planUsage,
  tenants,
  wallets,
} from "../../../src/store/schema/index.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { prepaidPlan, startPlan } from "../../support/plans.ts";
import { insertCall, insertTenant } from "../../support/store/stored-rows.ts";
import { openTestDatabase } from "../../support/store/test-store.ts";
import { tempDir } from "../../support/temp-dir.ts";

const directory = tempDir();
const clock = fakeClock(Date.parse("2026-11-21T04:05:06Z"));
const database = await openTestDatabase(join(directory, "main.db"), clock.now());
afterAll(() => database.close());
const plans = [startPlan, prepaidPlan];
const billing = new Billing({ database, stores: billingStores, plans, clock });

async function tenantWithCall(plan: string, credit = 0) {
  const tenantId = await insertTenant(database, { plan });
  if (credit > 0) await billing.credit(tenantId, microEur(credit), "test");
  const uuid = crypto.randomUUID();
  const rate = plan === "start" ? startPlan.overagePerMinute : prepaidPlan.overagePerMinute;
  await insertCall(database, tenantId, uuid, rate);
  const hold = () => database.tx((queries) => billing.hold(queries, tenantId, uuid));
  const settle = (answeredMs: number) =>
    database.tx(async (queries) => {
      const charge = await billing.settle(queries, tenantId, uuid, answeredMs, rate);
      const row = { status: "completed", ...charge } as const;
      await queries.update(calls).set(row).where(eq(calls.callUuid, uuid));
      return charge;
    });
  return { tenantId, uuid, hold, settle };
}

const refusal = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    (error) => error.code as string,
  );

describe("billing a call", () => {
  test("plan seconds pay first, then the wallet, with one ledger transaction", async () => {
    const { tenantId, uuid, hold, settle } = await tenantWithCall("start", 1_000_000);
    await hold();
    await billing.extendHold(tenantId, uuid, 600);
    expect(await settle(610_000)).toMatchObject({
      billableSeconds: 610,
      includedSeconds: 600,
      overageSeconds: 10,
      cost: microEur(20_000),
    });
    const balance = await billing.balance(tenantId);
    expect(Number(balance.balance)).toBe(980_000);
    expect(balance.includedSecondsLeft).toBe(0);
    expect(Number(balance.availableBalance)).toBe(980_000);
  });

  test("a second settlement charges nothing and returns the same", async () => {
    const { tenantId, hold, settle } = await tenantWithCall("prepaid", 1_000_000);
    await hold();
    const first = await settle(20_000);
    expect(await settle(40_000)).toEqual(first);
    const rows = await database.read
      .select()
      .from(ledgerTransactions)
      .where(eq(ledgerTransactions.tenantId, tenantId));
    expect(rows.map((row) => row.kind).sort()).toEqual(["charge", "credit"]);
  });

  test("an unanswered call costs nothing and holds nothing", async () => {
    const { tenantId, hold, settle } = await tenantWithCall("prepaid", 1_000_000);
    await hold();
    expect(Number((await billing.balance(tenantId)).availableBalance)).toBeLessThan(1_000_000);
    expect(await settle(0)).toMatchObject({ billableSeconds: 0, cost: microEur(0) });
    expect(Number((await billing.balance(tenantId)).availableBalance)).toBe(1_000_000);
  });

  test("with funds below 15 seconds it is refused, with exactly 15 seconds it is not", async () => {
    const empty = await tenantWithCall("prepaid");
    expect(await refusal(empty.hold())).toBe("insufficient_balance");
    expect(await refusal(billing.requireFunds(database.read, empty.tenantId))).toBe(
      "insufficient_balance",
    );
    const short = await tenantWithCall("prepaid", 24_999);
    expect(await refusal(short.hold())).toBe("insufficient_balance");
    const exact = await tenantWithCall("prepaid", 25_000); // 15 s at 0.100001: 25,000.25
    expect(await refusal(exact.hold())).toBeNull();
    expect(await billing.extendHold(exact.tenantId, exact.uuid, 10)).toEqual({
      coveredSeconds: 15,
      affordableSeconds: 15,
    });
  });

  test("the unpaid seconds of the closing phrase are written off", async () => {
    const { tenantId, uuid, hold, settle } = await tenantWithCall("prepaid", 200_002);
    await hold();
    expect(await billing.extendHold(tenantId, uuid, 110)).toEqual({
      coveredSeconds: 120,
      affordableSeconds: 120,
    });
    // Price of 124 s: 206,669; the wallet paid 120 s. The call counts all seconds, and the rest is written off.
    const charge = await settle(124_000);
    expect(charge).toMatchObject({ overageSeconds: 124, cost: microEur(200_002) });
    expect(writtenOff(charge)).toBe(microEur(6_667));
    const [entry] = await database.read
      .select({ note: ledgerTransactions.note })
      .from(ledgerTransactions)
      .where(and(eq(ledgerTransactions.tenantId, tenantId), eq(ledgerTransactions.kind, "charge")));
    expect(entry?.note).toBe(
      "Call of 124 s: 0 s from the plan, 124 s overage, 0.006667 EUR written off",
    );
    expect(Number((await billing.balance(tenantId)).balance)).toBe(0);
    expect(await billing.extendHold(tenantId, uuid, 130)).toEqual({
      coveredSeconds: 0,
      affordableSeconds: 0,
    });
  });

  // Prepaid allows 5 concurrent calls: 300 s are a minute for each of them.
  test.each([
    ["below", 299, 15],
    ["at", 300, 60],
    ["above", 301, 60],
  ])(
    "%s a minute for each allowed concurrent call (%d s) a call holds %d s ahead",
    async (_, seconds, ahead) => {
      const money = priceOfSeconds(seconds, prepaidPlan.overagePerMinute);
      const { tenantId, uuid, hold } = await tenantWithCall("prepaid", money);
      await hold();
      const held = () => billing.heldSeconds(database.read, tenantId, uuid);
      expect(await held()).toBe(ahead);
      expect(await billing.extendHold(tenantId, uuid, 0)).toEqual({
        coveredSeconds: ahead,
        affordableSeconds: 120,
      });
      expect(await billing.extendHold(tenantId, uuid, 30)).toMatchObject({ coveredSeconds: 45 });
      expect(await held()).toBe(45);
    },
  );

  test("a call with a hold or a charge gets no second hold", async () => {
    const { tenantId, uuid, hold, settle } = await tenantWithCall("prepaid", 1_000_000);
    await hold();
    await billing.extendHold(tenantId, uuid, 100);
    await hold();
    expect(await billing.heldSeconds(database.read, tenantId, uuid)).toBe(160);
    await settle(100_000);
    await hold();
    expect(await billing.heldSeconds(database.read, tenantId, uuid)).toBeNull();
  });

  test("the balance counts as low when the funds pay at most 60 s more", async () => {
    const money = priceOfSeconds(120, prepaidPlan.overagePerMinute);
    const { tenantId, uuid, hold } = await tenantWithCall("prepaid", money);
    await hold();
    const told: number[] = [];
    for (const elapsed of [59, 59.9, 60, 61])
      await billing.extendHold(tenantId, uuid, elapsed, async (_, left) => void told.push(left));
    expect(told).toEqual([60, 59]);
  });

  test("a credit for an unknown tenant is refused", async () => {
    expect(await refusal(billing.credit(987_654, microEur(1), "test"))).toBe("not_found");
  });

  test("a charge may take plan seconds held by another call, which then holds money instead", async () => {
    const { tenantId, hold, settle } = await tenantWithCall("start", 30_000); // 15 s of 0.12
    await database.tx((queries) =>
      queries.insert(planUsage).values({ tenantId, month: "2026-11", secondsUsed: 570 }),
    );
    const other = crypto.randomUUID();
    await insertCall(database, tenantId, other, startPlan.overagePerMinute);
    await hold();
    await database.tx((queries) => billing.hold(queries, tenantId, other));
    await billing.extendHold(tenantId, other, 0);
    expect(await settle(22_000)).toMatchObject({ includedSeconds: 22, cost: microEur(0) });
    const [held] = await database.read.select().from(holds).where(eq(holds.callUuid, other));
    expect(held).toMatchObject({ planSeconds: 8, amount: microEur(14_000) });
    const charge = await database.tx((queries) =>
      billing.settle(queries, tenantId, other, 10_000, startPlan.overagePerMinute),
    );
    expect(charge).toMatchObject({ includedSeconds: 8, overageSeconds: 7, cost: microEur(14_000) });
  });

  test("with an empty wallet the other call's hold ends earlier instead", async () => {
    const { tenantId, hold, settle } = await tenantWithCall("start");
    await database.tx((queries) =>
      queries.insert(planUsage).values({ tenantId, month: "2026-11", secondsUsed: 570 }),
    );
    const other = crypto.randomUUID();
    await insertCall(database, tenantId, other, startPlan.overagePerMinute);
    await hold();
    await database.tx((queries) => billing.hold(queries, tenantId, other));
    expect(await settle(22_000)).toMatchObject({ includedSeconds: 22, cost: microEur(0) });
    expect(await billing.heldSeconds(database.read, tenantId, other)).toBe(8);
  });

  test("another tenant's holds and plan are not touched", async () => {
    const one = await tenantWithCall("start");
    const two = await tenantWithCall("start");
    await one.hold();
    await two.hold();
    await one.settle(600_000);
    expect((await billing.balance(one.tenantId)).includedSecondsLeft).toBe(0);
    expect((await billing.balance(two.tenantId)).includedSecondsLeft).toBe(600);
    expect(await billing.heldSeconds(database.read, two.tenantId, two.uuid)).toBe(60);
  });

  test("a call across the end of a month uses the month of its start", async () => {
    const { tenantId, hold, settle } = await tenantWithCall("start");
    await hold();
    clock.stepWallClock(30 * 24 * 3600 * 1000);
    await settle(60_000);
    expect((await billing.balance(tenantId)).includedSecondsLeft).toBe(600);
    clock.stepWallClock(-30 * 24 * 3600 * 1000);
    expect((await billing.balance(tenantId)).includedSecondsLeft).toBe(540);
  });

  test("a plan missing in the configuration falls back to the first one", async () => {
    const tenantId = await insertTenant(database, { plan: "gone" });
    expect((await billing.planOf(database.read, tenantId)).slug).toBe("start");
  });

  test("the charge rolls back with the transaction it is part of", async () => {
    const { tenantId, uuid, hold } = await tenantWithCall("prepaid", 1_000_000);
    await hold();
    const failing = database.tx(async (queries) => {
      await billing.settle(queries, tenantId, uuid, 60_000, prepaidPlan.overagePerMinute);
      throw new Error("the call's row could not be written");
    });
    await expect(failing).rejects.toThrow("could not be written");
    const held = await database.read.select().from(holds).where(eq(holds.callUuid, uuid));
    expect(held.length).toBe(1);
    expect(Number((await billing.balance(tenantId)).balance)).toBe(1_000_000);
  });
});

describe("the ledger", () => {
  test("refuses entries that do not sum to zero, and a key twice", async () => {
    const tenantId = await insertTenant(database);
    const transaction = { key: "k1", kind: "credit", note: "", createdAt: 0 } as const;
    const lopsided = [{ account: "wallet", amount: microEur(1) }] as const;
    const attempt = database.tx((q) => post(billingStores(q), tenantId, transaction, lopsided));
    await expect(attempt).rejects.toThrow(RangeError);
    const entries = [
      { account: "wallet", amount: microEur(5) },
      { account: "credits", amount: microEur(-5) },
    ] as const;
    const once = () => database.tx((q) => post(billingStores(q), tenantId, transaction, entries));
    expect(await once()).toBe(true);
    expect(await once()).toBe(false);
    expect(Number((await billing.balance(tenantId)).balance)).toBe(5);
  });

  test("rows cannot be changed or deleted", async () => {
    const tenantId = await insertTenant(database);
    await billing.credit(tenantId, microEur(5), "x");
    const ofTenant = eq(ledgerEntries.tenantId, tenantId);
    const change = database.tx(async (q) => {
      await q
        .update(ledgerEntries)
        .set({ amount: microEur(9) })
        .where(ofTenant);
    });
    await expect(change).rejects.toThrow();
    const remove = database.tx(async (q) => {
      await q.delete(ledgerEntries).where(ofTenant);
    });
    await expect(remove).rejects.toThrow();
  });

  test("the audit names the tenant whose hourly sums differ from its ledger", async () => {
    const spoiled = await openTestDatabase(join(directory, "sums.db"), clock.now());
    const books = new Billing({ database: spoiled, stores: billingStores, plans, clock });
    const tenantIds = [await insertTenant(spoiled), await insertTenant(spoiled)];
    for (const tenantId of tenantIds) await books.credit(tenantId, microEur(5), "x");
    expect(await verifyLedger(billingStores(spoiled.read))).toEqual([]);
    await spoiled.tx(async (q) => {
      await q
        .update(ledgerRollups)
        .set({ wallet: microEur(3) })
        .where(eq(ledgerRollups.tenantId, tenantIds[1] ?? 0));
    });
    const problems = await verifyLedger(billingStores(spoiled.read));
    await spoiled.close();
    expect(problems).toEqual([
      `The hourly sums of tenant ${tenantIds[1]} differ from its wallet's entries by -2 micro-euro.`,
    ]);
  });

  test("the audit names a drifted wallet, an unbalanced transaction and an orphaned hold", async () => {
    const spoiled = await openTestDatabase(join(directory, "spoiled.db"), clock.now());
    const tenantId = await insertTenant(spoiled);
    const books = new Billing({ database: spoiled, stores: billingStores, plans, clock });
    await books.credit(tenantId, microEur(5), "x");
    expect(await verifyLedger(billingStores(spoiled.read))).toEqual([]);
    await spoil(spoiled, tenantId);
    const problems = await verifyLedger(billingStores(spoiled.read));
    await spoiled.close();
    expect(problems.length).toBe(3);
    expect(problems.join("\n")).toContain("spoiled-key sums to 7");
    expect(problems.join("\n")).toContain("says 6 micro-euro, its entries sum to 12");
    expect(problems.join("\n")).toContain("00000000-dead");
  });
});

async function spoil(spoiled: Database, tenantId: number): Promise<void> {
  await spoiled.tx(async (q) => {
    await q
      .update(wallets)
      .set({ balance: microEur(6) })
      .where(eq(wallets.tenantId, tenantId));
    const [row] = await q
      .insert(ledgerTransactions)
      .values({ tenantId, key: "spoiled-key", kind: "credit", note: "", createdAt: 0 })
      .returning({ id: ledgerTransactions.id });
    await q.insert(ledgerEntries).values({
      transactionId: row?.id ?? 0,
      tenantId,
      account: "wallet",
      amount: microEur(7),
    });
    await q.insert(holds).values({
      callUuid: "00000000-dead",
      tenantId,
      month: "2026-11",
      planSeconds: 0,
      amount: microEur(0),
      createdAt: 0,
    });
  });
}

describe("checkouts", () => {
  const provider = manualPayments(() => "https://voice.example.com/");
  const checkouts = new Checkouts({
    database,
    stores: billingStores,
    plans,
    provider,
    clock,
  });
  const accountOf = async (tenantId: number) =>
    (await database.read.select().from(tenants).where(eq(tenants.id, tenantId)))[0];

  test("a top-up opens a page on the appliance and fills the wallet once", async () => {
    const tenantId = await insertTenant(database);
    const opened = await checkouts.open(tenantId, { kind: "topup", amount: microEur(10_000_000) });
    expect(opened.id).toMatch(/^chk_[0-9a-f]{32}$/);
    expect(opened.url).toBe(`https://voice.example.com/checkout/${opened.id}`);
    expect((await checkouts.get(opened.id)).status).toBe("open");
    expect(Number((await billing.balance(tenantId)).balance)).toBe(0);
    const confirmed = await Promise.all(
      Array.from({ length: 20 }, () => checkouts.confirm(opened.id)),
    );
    expect(new Set(confirmed.map((checkout) => checkout.status))).toEqual(new Set(["paid"]));
    expect(Number((await billing.balance(tenantId)).balance)).toBe(10_000_000);
  });

  test.each([0, 9_999_999, 9_990_000, 1_000_010_000, 10_005_000, -10_000_000])(
    "a top-up of %p micro-euro is refused",
    async (amount) => {
      const tenantId = await insertTenant(database);
      const opening = checkouts.open(tenantId, { kind: "topup", amount: microEur(amount) });
      expect(await refusal(opening)).toBe("valid_amount_eur_required");
    },
  );

  test("a refused top-up lists the accepted amounts", async () => {
    const tenantId = await insertTenant(database);
    const opening = checkouts.open(tenantId, { kind: "topup", amount: microEur(1) });
    await expect(opening).rejects.toMatchObject({
      publicMessage: expect.stringContaining("from 10 to 1000"),
      field: "amount_eur",
      messageName: { reason: "amount", params: { from: 10, to: 1000 } },
    });
  });

  const all = { search: "", limit: 50, offset: 0 };
  const topUp = { kind: "topup", amount: microEur(10_000_000) } as const;

  test("a company has at most ten open checkouts; the next replaces its own oldest", async () => {
    const [tenantId, other] = [await insertTenant(database), await insertTenant(database)];
    const others = await checkouts.open(other, topUp);
    const opened: string[] = [];
    for (let n = 0; n < 10; n++) opened.push((await checkouts.open(tenantId, topUp)).id);
    const statuses = async () =>
      (await Promise.all(opened.map((id) => checkouts.get(id)))).map(({ status }) => status);
    expect(new Set(await statuses())).toEqual(new Set(["open"]));
    opened.push((await checkouts.open(tenantId, topUp)).id);
    expect((await statuses()).map((status, at) => (status === "open" ? -1 : at))).toEqual([
      0,
      ...new Array(10).fill(-1),
    ]);
    expect((await checkouts.get(others.id)).status).toBe("open");
  });

  test("a transfer for a replaced checkout is found by its reference and confirmed once", async () => {
    const tenantId = await insertTenant(database);
    const first = await checkouts.open(tenantId, topUp);
    for (let n = 0; n < 10; n++) await checkouts.open(tenantId, topUp);
    const search = first.id.slice(4, 20).toUpperCase();
    expect((await checkouts.waiting({ ...all, search })).checkouts.map(({ id }) => id)).toEqual([
      first.id,
    ]);
    for (let n = 0; n < 2; n++) expect((await checkouts.confirm(first.id)).status).toBe("paid");
    expect(Number((await billing.balance(tenantId)).balance)).toBe(10_000_000);
    expect((await checkouts.waiting({ ...all, search })).total).toBe(0);
  });

  test("waiting checkouts are paged, newest first, and searched by company", async () => {
    const tenantId = await insertTenant(database, { name: "Žalia Dental 100%" });
    const opened: string[] = [];
    for (let n = 0; n < 3; n++) opened.unshift((await checkouts.open(tenantId, topUp)).id);
    const search = " dental 100% ";
    const found = await checkouts.waiting({ ...all, search, limit: 2 });
    const rest = await checkouts.waiting({ ...all, search, limit: 2, offset: 2 });
    const ids = [...found.checkouts, ...rest.checkouts].map(({ id }) => id);
    expect([ids.toSorted(), found.total, rest.total]).toEqual([opened.toSorted(), 3, 3]);
    expect((await checkouts.waiting(all)).total).toBeGreaterThanOrEqual(3);
  });

  test("1000 EUR is allowed", async () => {
    const tenantId = await insertTenant(database);
    const opening = checkouts.open(tenantId, { kind: "topup", amount: microEur(1_000_000_000) });
    expect(await refusal(opening)).toBeNull();
  });

  test("a paid plan changes the plan and earns revenue, not wallet money", async () => {
    const tenantId = await insertTenant(database, { plan: "prepaid" });
    const opened = await checkouts.open(tenantId, { kind: "plan", plan: "start" });
    expect(Number(opened.amount)).toBe(6_330_000); // 10 of 30 days
    await checkouts.confirm(opened.id);
    expect((await accountOf(tenantId))?.plan).toBe("start");
    expect(Number((await billing.balance(tenantId)).balance)).toBe(0);
    expect(await refusal(checkouts.open(tenantId, { kind: "plan", plan: "start" }))).toBe(
      "conflict",
    );
    expect(await refusal(checkouts.open(tenantId, { kind: "plan", plan: "gold" }))).toBe(
      "valid_plan_required",
    );
  });

  test("the CRM bridge costs 79 EUR and is bought once", async () => {
    const tenantId = await insertTenant(database);
    const opened = await checkouts.open(tenantId, { kind: "crm_bridge" });
    expect(Number(opened.amount)).toBe(79_000_000);
    await checkouts.confirm(opened.id);
    expect((await accountOf(tenantId))?.crmBridge).toBe(true);
    expect(await refusal(checkouts.open(tenantId, { kind: "crm_bridge" }))).toBe("conflict");
  });

  test("retention blocks cost 5 EUR each and end at 6 months in all", async () => {
    const tenantId = await insertTenant(database);
    const buy = (blocks: number) => checkouts.open(tenantId, { kind: "retention", blocks });
    for (const blocks of [0, 6, 1.5, -1])
      expect(await refusal(buy(blocks))).toBe("valid_blocks_required");
    const three = await buy(3);
    const alsoThree = await buy(3);
    expect(Number(three.amount)).toBe(15_000_000);
    await checkouts.confirm(three.id);
    expect((await accountOf(tenantId))?.retentionBlocks).toBe(3);
    expect(await refusal(buy(3))).toBe("valid_blocks_required");
    // Opened while it still fitted: refused completely, nothing booked.
    expect(await refusal(checkouts.confirm(alsoThree.id))).toBe("conflict");
    expect((await checkouts.get(alsoThree.id)).status).toBe("open");
    expect((await accountOf(tenantId))?.retentionBlocks).toBe(3);
  });

  test.each([
    [30, 5],
    [31, 4],
    [60, 4],
    [61, 3],
    [150, 1],
    [151, 0],
    [3650, 0],
    [7, 5],
  ])("with transcripts kept %d days, %d blocks of 30 fit into 6 months", async (days, most) => {
    const kept = {
      database,
      stores: billingStores,
      plans,
      provider,
      clock,
      transcriptsDays: days,
    };
    const tenantId = await insertTenant(database);
    const buy = (blocks: number) =>
      new Checkouts(kept).open(tenantId, { kind: "retention", blocks });
    const sold = [1, 2, 3, 4, 5].map(async (blocks) => (await refusal(buy(blocks))) === null);
    expect(await Promise.all(sold)).toEqual([1, 2, 3, 4, 5].map((blocks) => blocks <= most));
  });

  test("with transcripts kept 90 days, payments for too many blocks are not delivered", async () => {
    const kept = { database, stores: billingStores, plans, provider, clock, transcriptsDays: 90 };
    const longer = new Checkouts(kept);
    const tenantId = await insertTenant(database);
    const buy = (blocks: number) => longer.open(tenantId, { kind: "retention", blocks });
    const [two, alsoTwo, one] = [await buy(2), await buy(2), await buy(1)];
    await longer.confirm(two.id);
    expect(await refusal(longer.confirm(alsoTwo.id))).toBe("conflict");
    await longer.confirm(one.id);
    expect((await accountOf(tenantId))?.retentionBlocks).toBe(3);
  });

  test.each([
    [0, 30, 30],
    [1, 30, 60],
    [5, 30, 180],
    [6, 30, 180],
    [2, 90, 150],
    [3, 90, 180],
    [4, 90, 180],
    [5, 3650, 3650],
  ])("%d blocks with a basic period of %d days keep transcripts %d days", (blocks, kept, days) => {
    expect(retentionOf(blocks, kept).days).toBe(days);
  });

  test("an expired or unknown checkout cannot be confirmed", async () => {
    const tenantId = await insertTenant(database);
    const opened = await checkouts.open(tenantId, { kind: "topup", amount: microEur(10_000_000) });
    clock.stepWallClock(15 * 24 * 3600 * 1000);
    expect((await checkouts.get(opened.id)).status).toBe("expired");
    expect(await refusal(checkouts.confirm(opened.id))).toBe("conflict");
    expect(await refusal(checkouts.confirm("chk_unknown"))).toBe("not_found");
    clock.stepWallClock(-15 * 24 * 3600 * 1000);
  });
});
