/** Free minutes of trials, then the wallet. Real SQLite, fake clock. */
import { afterAll, beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import { eurToMicro } from "../../../src/core/money.ts";
import { Billing } from "../../../src/features/billing/billing.ts";
import { billingStores as stores } from "../../../src/features/billing/billing-stores.ts";
import { verifyLedger } from "../../../src/features/billing/ledger.ts";
import { trialStore } from "../../../src/features/billing/trial-store.ts";
import { secondsOf, Trials, type TrialUse } from "../../../src/features/billing/trials.ts";
import { ledgerTransactions, tenants } from "../../../src/store/schema/index.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { startPlan } from "../../support/plans.ts";
import { insertTenant } from "../../support/store/stored-rows.ts";
import { openTestDatabase } from "../../support/store/test-store.ts";
import { tempDir } from "../../support/temp-dir.ts";

const clock = fakeClock(Date.parse("2026-11-21T12:00:00Z"));
const database = await openTestDatabase(join(tempDir(), "main.db"), clock.now());
afterAll(() => database.close());

const plan = { ...startPlan, overagePerMinute: eurToMicro(0.15) };
const billing = new Billing({ database, stores, plans: [plan], clock });
const free = eurToMicro(0);
const trials = new Trials({
  database,
  stores,
  records: trialStore,
  billing,
  prices: {
    sttPerMinute: eurToMicro(0.06),
    llmInputPerMillionTokens: eurToMicro(2),
    llmOutputPerMillionTokens: eurToMicro(8),
    ttsPerMillionCharacters: eurToMicro(10),
    embeddingPerMillionTokens: free,
    trunkPerMinute: free,
  },
  freeMinutes: 2,
  clock,
});

const NOTHING: TrialUse = {
  durationMs: 0,
  llmInputTokens: 0,
  llmOutputTokens: 0,
  ttsCharacters: 0,
  sttSeconds: 0,
};
const seconds = (count: number): TrialUse => ({ ...NOTHING, durationMs: count * 1_000 });
const empty = { code: "insufficient_balance", messageName: { reason: "trial_minutes" } };

let tenantId: number;
let other: number;
beforeEach(async () => {
  tenantId = await insertTenant(database);
  other = await insertTenant(database);
});

const balance = async () => (await billing.balance(tenantId)).balance;
const posted = async () =>
  (
    await database.read
      .select()
      .from(ledgerTransactions)
      .where(eq(ledgerTransactions.tenantId, tenantId))
  ).filter(({ kind }) => kind === "trial");

test("the free minutes of a day need no money, the next second does", async () => {
  await trials.record(tenantId, seconds(119));
  await trials.require(tenantId);
  await trials.record(tenantId, seconds(1));
  await expect(trials.require(tenantId)).rejects.toMatchObject(empty);
  await trials.require(other);
});

test("the next day in the company's zone has its own free minutes", async () => {
  await trials.record(tenantId, seconds(120));
  await clock.advance(24 * 3_600_000);
  await trials.require(tenantId);
});

test("after the free minutes the wallet pays each started minute once", async () => {
  await billing.credit(tenantId, eurToMicro(1), "Start");
  await trials.record(tenantId, seconds(121));
  expect(await balance()).toBe(eurToMicro(0.85));
  await trials.record(tenantId, seconds(59));
  expect(await balance()).toBe(eurToMicro(0.85));
  await trials.record(tenantId, seconds(61));
  expect(await balance()).toBe(eurToMicro(0.55));
  expect((await posted()).map(({ note }) => note)).toEqual([
    "Trying agents: 1 min",
    "Trying agents: 2 min",
  ]);
  expect(await verifyLedger(stores(database.read))).toEqual([]);
});

test("a charge takes what the wallet has, and the next trial is refused", async () => {
  await billing.credit(tenantId, eurToMicro(0.2), "Start");
  await trials.record(tenantId, seconds(605));
  expect(await balance()).toBe(free);
  await expect(trials.require(tenantId)).rejects.toMatchObject(empty);
});

test.each([
  [0.149999, false],
  [0.15, true],
])("with %p EUR left another minute may begin: %p", async (eur, isAllowed) => {
  await trials.record(tenantId, seconds(120));
  await billing.credit(tenantId, eurToMicro(eur), "Rest");
  const asked = trials.require(tenantId).then(
    () => true,
    () => false,
  );
  expect(await asked).toBe(isAllowed);
});

test("uses that end at the same time are all charged", async () => {
  await billing.credit(tenantId, eurToMicro(10), "Start");
  await trials.record(tenantId, seconds(120));
  await Promise.all(Array.from({ length: 10 }, () => trials.record(tenantId, seconds(60))));
  expect(await balance()).toBe(eurToMicro(8.5));
});

test("a suspended company cannot use trials", async () => {
  await database.tx((queries) =>
    queries.update(tenants).set({ suspended: true }).where(eq(tenants.id, tenantId)),
  );
  await expect(trials.require(tenantId)).rejects.toMatchObject({
    code: "plan_limit_reached",
    messageName: { reason: "suspended" },
  });
});

test("counters and the cost of goods are summed by day", async () => {
  const use = { llmInputTokens: 9_000, llmOutputTokens: 1_000, ttsCharacters: 100, sttSeconds: 30 };
  for (let n = 0; n < 2; n++) await trials.record(tenantId, { ...use, durationMs: 10 });
  const sums = await trialStore(database.read).sums(tenantId, "2026-11-01", "2026-11-30");
  expect(sums).toMatchObject({
    seconds: 120,
    llmInputTokens: 18_000,
    llmOutputTokens: 2_000,
    ttsCharacters: 200,
    sttSeconds: 60,
    costOfGoods: eurToMicro(2 * (0.018 + 0.008 + 0.001 + 0.03)),
  });
});

test.each([
  [{ durationMs: 0 }, 1],
  [{ durationMs: 1_001 }, 2],
  [{ llmInputTokens: 10_000 }, 60],
  [{ llmInputTokens: 10_000, llmOutputTokens: 1 }, 61],
  [{ durationMs: 90_000, llmInputTokens: 10_000 }, 90],
])("%j counts as %p seconds", (use, counted) => {
  expect(secondsOf({ ...NOTHING, ...use })).toBe(counted);
});
