/** Random histories of calls that share one wallet, on a real database. */
import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import fc from "fast-check";
import { AppError } from "../../src/core/errors.ts";
import { type MicroEur, microEur, priceOfSeconds } from "../../src/core/money.ts";
import { Billing } from "../../src/features/billing/billing.ts";
import { billingStores } from "../../src/features/billing/billing-stores.ts";
import { verifyLedger } from "../../src/features/billing/ledger.ts";
import { calls, holds } from "../../src/store/schema/index.ts";
import { fakeClock } from "../support/fake-clock.ts";
import { prepaidPlan, startPlan } from "../support/plans.ts";
import { insertCall, insertTenant } from "../support/store/stored-rows.ts";
import { openTestDatabase } from "../support/store/test-store.ts";
import { tempDir } from "../support/temp-dir.ts";

const clock = fakeClock(Date.parse("2026-11-21T04:05:06Z"));
const database = await openTestDatabase(join(tempDir(), "billing.db"), clock.now());
afterAll(() => database.close());

const tinyPlan = { ...startPlan, slug: "tiny", includedMinutes: 2 };
const billing = new Billing({
  database,
  stores: billingStores,
  plans: [tinyPlan, prepaidPlan],
  clock,
});

const CALLS = 5;
type Step =
  | { readonly do: "hold" | "settle" | "settle again"; readonly call: number; readonly ms: number }
  | { readonly do: "extend"; readonly call: number; readonly ms: number }
  | { readonly do: "credit"; readonly amount: number };

const onCall = (name: "hold" | "extend" | "settle" | "settle again") =>
  fc.record({
    do: fc.constant(name),
    call: fc.integer({ min: 0, max: CALLS - 1 }),
    ms: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 200_000 })),
  });

const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: onCall("hold") },
    { weight: 6, arbitrary: onCall("extend") },
    { weight: 4, arbitrary: onCall("settle") },
    { weight: 1, arbitrary: onCall("settle again") },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant("credit" as const),
        amount: fc.integer({ min: 1, max: 300_000 }),
      }),
    },
  ),
  { maxLength: 40 },
) as fc.Arbitrary<Step[]>;

/** One tenant, its calls, and their charges. */
class History {
  readonly uuids = Array.from({ length: CALLS }, () => crypto.randomUUID());
  readonly costs = new Map<string, number>();
  included = 0;
  credited = 0;

  constructor(
    readonly tenantId: number,
    readonly rate: MicroEur,
  ) {}

  async run(step: Step): Promise<void> {
    if (step.do === "credit") {
      this.credited += step.amount;
      await billing.credit(this.tenantId, microEur(step.amount), "test");
      return;
    }
    const uuid = this.uuids[step.call] ?? "";
    try {
      if (step.do === "hold")
        await database.tx((queries) => billing.hold(queries, this.tenantId, uuid));
      else if (step.do === "extend")
        await billing.extendHold(this.tenantId, uuid, Math.ceil(step.ms / 1000));
      else await this.settle(uuid, step.ms);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "insufficient_balance") throw error;
    }
  }

  async settle(uuid: string, talkMs: number): Promise<void> {
    await database.tx(async (queries) => {
      const charge = await billing.settle(queries, this.tenantId, uuid, talkMs, this.rate);
      const before = this.costs.get(uuid);
      if (before !== undefined) expect(Number(charge.cost)).toBe(before);
      else if (charge.billableSeconds > 0) {
        this.costs.set(uuid, charge.cost);
        this.included += charge.includedSeconds;
        expect(charge.includedSeconds + charge.overageSeconds).toBe(charge.billableSeconds);
        const price = priceOfSeconds(charge.overageSeconds, this.rate);
        expect(Number(charge.cost)).toBeLessThanOrEqual(price);
      }
      await queries
        .update(calls)
        .set({ status: charge.billableSeconds > 0 ? "completed" : "in_progress", ...charge })
        .where(eq(calls.callUuid, uuid));
    });
  }

  async check(): Promise<void> {
    const plan = await billing.planOf(database.read, this.tenantId);
    const balance = await billing.balance(this.tenantId);
    const charged = [...this.costs.values()].reduce((sum, cost) => sum + cost, 0);
    expect(Number(balance.balance)).toBe(this.credited - charged);
    expect(balance.balance).toBeGreaterThanOrEqual(0);
    expect(balance.includedSecondsLeft).toBe(plan.includedMinutes * 60 - this.included);
    const held = await database.read.select().from(holds).where(eq(holds.tenantId, this.tenantId));
    const heldMoney = held.reduce((sum, hold) => sum + hold.amount, 0);
    const heldSeconds = held.reduce((sum, hold) => sum + hold.planSeconds, 0);
    expect(heldMoney).toBeLessThanOrEqual(balance.balance);
    expect(heldSeconds).toBeLessThanOrEqual(balance.includedSecondsLeft);
    for (const hold of held) expect(this.costs.has(hold.callUuid)).toBe(false);
    expect(await verifyLedger(billingStores(database.read))).toEqual([]);
  }
}

async function newHistory(plan: typeof tinyPlan): Promise<History> {
  const tenantId = await insertTenant(database, { plan: plan.slug });
  const history = new History(tenantId, plan.overagePerMinute);
  for (const uuid of history.uuids) await insertCall(database, tenantId, uuid, history.rate);
  return history;
}

describe("billing under random histories", () => {
  test("money is consistent after every step, one at a time", async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.constantFrom(tinyPlan, prepaidPlan), async (list, plan) => {
        const history = await newHistory(plan);
        for (const step of list) await history.run(step);
        await history.check();
      }),
      { numRuns: 60 },
    );
  }, 60_000);

  test("money is consistent when all steps race", async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.constantFrom(tinyPlan, prepaidPlan), async (list, plan) => {
        const history = await newHistory(plan);
        await Promise.all(list.map((step) => history.run(step)));
        await history.check();
      }),
      { numRuns: 60 },
    );
  }, 60_000);

  test("100 calls racing for the last cents never overdraw the wallet", async () => {
    const tenantId = await insertTenant(database, { plan: prepaidPlan.slug });
    const rate = prepaidPlan.overagePerMinute;
    const minimum = priceOfSeconds(15, rate);
    await billing.credit(tenantId, microEur(minimum * 3 + 7), "three minimum calls and a bit");
    const uuids = Array.from({ length: 100 }, () => crypto.randomUUID());
    for (const uuid of uuids) await insertCall(database, tenantId, uuid, rate);
    const held = await Promise.allSettled(
      uuids.map((uuid) => database.tx((queries) => billing.hold(queries, tenantId, uuid))),
    );
    // Little is left, so three share it, 15 s each.
    expect(held.filter((outcome) => outcome.status === "fulfilled").length).toBe(3);
    const settled = await Promise.all(
      uuids.map((uuid) =>
        database.tx((queries) => billing.settle(queries, tenantId, uuid, 70_000, rate)),
      ),
    );
    const paid = settled.reduce((sum, charge) => sum + charge.cost, 0);
    const { balance } = await billing.balance(tenantId);
    expect(balance).toBeGreaterThanOrEqual(0);
    expect(Number(balance)).toBe(minimum * 3 + 7 - paid);
  }, 30_000);
});
