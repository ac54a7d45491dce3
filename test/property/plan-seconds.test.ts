/**
 * Plan seconds first, wallet second (specification 1, decisions 12): random histories of overlapping calls near
 * the end of a plan, second by second, with the real money watch on a real database.
 */
import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import fc from "fast-check";
import type { CallIdentity } from "../../src/call/call-identity.ts";
import { MoneyWatch } from "../../src/call/live/money-watch.ts";
import { AppError } from "../../src/core/errors.ts";
import { microEur, priceOfSeconds } from "../../src/core/money.ts";
import { Billing } from "../../src/features/billing/billing.ts";
import { billingStores } from "../../src/features/billing/billing-stores.ts";
import { verifyLedger } from "../../src/features/billing/ledger.ts";
import { calls, planUsage } from "../../src/store/schema/index.ts";
import { fakeClock } from "../support/fake-clock.ts";
import { startPlan } from "../support/plans.ts";
import { insertCall, insertTenant } from "../support/store/stored-rows.ts";
import { openTestDatabase } from "../support/store/test-store.ts";
import { tempDir } from "../support/temp-dir.ts";

const SLOTS = 4;
const MINIMUM_SEC = 15;
/** One cent per second, so that the model below needs no rounding. */
const RATE = microEur(600_000);
const MICRO_PER_SECOND = 10_000;
const PLAN_SECONDS = 120;
const plan = {
  ...startPlan,
  includedMinutes: PLAN_SECONDS / 60,
  overagePerMinute: RATE,
  maxConcurrentCalls: SLOTS,
};

const clock = fakeClock(Date.parse("2026-11-21T04:05:06Z"));
const database = await openTestDatabase(join(tempDir(), "plan.db"), clock.now());
afterAll(() => database.close());
const billing = new Billing({ database, stores: billingStores, plans: [plan], clock });
const events = { emit: async () => undefined, wake: () => undefined };

type Step =
  | { readonly do: "begin" | "hang up"; readonly slot: number }
  | { readonly do: "talk"; readonly seconds: number };

const slot = fc.integer({ min: 0, max: SLOTS - 1 });
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constant("begin" as const), slot }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("hang up" as const), slot }) },
    {
      weight: 5,
      arbitrary: fc.record({
        do: fc.constant("talk" as const),
        seconds: fc.integer({ min: 1, max: 12 }),
      }),
    },
  ),
  { minLength: 4, maxLength: 30, size: "max" },
);

const histories = fc.record({
  steps,
  planLeft: fc.integer({ min: 0, max: PLAN_SECONDS }),
  walletSeconds: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 60 })),
  /** Length of the closing phrase when the money has ended. */
  closingSeconds: fc.integer({ min: 0, max: 3 }),
});

interface Talking {
  readonly uuid: string;
  readonly watch: MoneyWatch;
  talked: number;
  /** Remaining seconds of the closing phrase; null: there is money. */
  closing: number | null;
}

class History {
  readonly #live = new Map<number, Talking>();
  billable = 0;
  included = 0;
  cost = 0;
  /** Seconds of closing phrases after the end of the money: unpaid. */
  closed = 0;

  constructor(
    readonly tenantId: number,
    readonly planLeft: number,
    readonly walletSeconds: number,
    readonly closingSeconds: number,
  ) {}

  async run(step: Step): Promise<void> {
    if (step.do === "talk")
      for (let second = 0; second < step.seconds; second++) await this.#second();
    else if (step.do === "begin") await this.#begin(step.slot);
    else await this.#hangUp(step.slot);
  }

  async end(): Promise<void> {
    for (const slot of [...this.#live.keys()]) await this.#hangUp(slot);
  }

  /** A call is admitted if 15 s remain for it after the other calls' seconds and their next 15 s. */
  async #begin(slot: number): Promise<void> {
    if (this.#live.has(slot)) return;
    const { balance, includedSecondsLeft } = await billing.balance(this.tenantId);
    const left = includedSecondsLeft + Math.floor(balance / MICRO_PER_SECOND);
    const others = [...this.#live.values()];
    const talked = others.reduce((sum, call) => sum + Math.max(MINIMUM_SEC, call.talked), 0);
    const ahead = others.reduce((sum, call) => sum + call.talked + MINIMUM_SEC, 0);
    const uuid = crypto.randomUUID();
    await insertCall(database, this.tenantId, uuid, RATE);
    const admitted = await this.#isAdmitted(uuid);
    if (left - ahead >= MINIMUM_SEC) expect(admitted).toBe(true);
    if (left - talked < MINIMUM_SEC) expect(admitted).toBe(false);
    if (!admitted) {
      const row = { status: "failed" } as const;
      await database.tx((queries) =>
        queries.update(calls).set(row).where(eq(calls.callUuid, uuid)),
      );
      return;
    }
    const identity = { tenantId: this.tenantId, callUuid: uuid } as CallIdentity;
    const watch = new MoneyWatch({ billing, events }, identity);
    this.#live.set(slot, { uuid, watch, talked: 0, closing: null });
  }

  /** Checks like `POST /calls` before it stores the call, and like the call's own hold. */
  async #isAdmitted(uuid: string): Promise<boolean> {
    const outcome = async (attempt: Promise<unknown>) => {
      try {
        await attempt;
        return true;
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== "insufficient_balance") throw error;
        return false;
      }
    };
    const requested = await outcome(billing.requireFunds(database.read, this.tenantId));
    const held = await outcome(
      database.tx((queries) => billing.hold(queries, this.tenantId, uuid)),
    );
    expect(requested).toBe(held);
    return held;
  }

  async #second(): Promise<void> {
    for (const [slot, call] of [...this.#live]) {
      call.talked++;
      if (call.closing !== null) {
        this.closed++;
        call.closing--;
      } else if (await call.watch.isExhausted(call.talked)) call.closing = this.closingSeconds;
      if (call.closing === 0) await this.#hangUp(slot);
    }
  }

  async #hangUp(slot: number): Promise<void> {
    const call = this.#live.get(slot);
    if (!call) return;
    this.#live.delete(slot);
    const charge = await database.tx(async (queries) => {
      const talkMs = Math.max(1, call.talked * 1000);
      const charge = await billing.settle(queries, this.tenantId, call.uuid, talkMs, RATE);
      const row = { status: "completed", ...charge } as const;
      await queries.update(calls).set(row).where(eq(calls.callUuid, call.uuid));
      return charge;
    });
    this.billable += charge.billableSeconds;
    this.included += charge.includedSeconds;
    this.cost += charge.cost;
    const { balance, includedSecondsLeft } = await billing.balance(this.tenantId);
    if (charge.overageSeconds > 0) expect(includedSecondsLeft).toBe(0);
    expect(balance).toBeGreaterThanOrEqual(0);
  }

  async check(): Promise<void> {
    const { balance, includedSecondsLeft } = await billing.balance(this.tenantId);
    expect(this.included).toBe(Math.min(this.planLeft, this.billable));
    expect(includedSecondsLeft).toBe(this.planLeft - this.included);
    expect(Number(balance)).toBe(this.walletSeconds * MICRO_PER_SECOND - this.cost);
    const unpaid = this.billable - this.included - this.cost / MICRO_PER_SECOND;
    expect(unpaid).toBeGreaterThanOrEqual(0);
    expect(unpaid).toBeLessThanOrEqual(this.closed);
    expect(await verifyLedger(billingStores(database.read))).toEqual([]);
  }
}

async function newHistory(given: {
  readonly planLeft: number;
  readonly walletSeconds: number;
  readonly closingSeconds: number;
}): Promise<History> {
  const tenantId = await insertTenant(database, { plan: plan.slug });
  await database.tx((queries) =>
    queries
      .insert(planUsage)
      .values({ tenantId, month: "2026-11", secondsUsed: PLAN_SECONDS - given.planLeft }),
  );
  const wallet = priceOfSeconds(given.walletSeconds, RATE);
  if (wallet > 0) await billing.credit(tenantId, wallet, "all there is");
  return new History(tenantId, given.planLeft, given.walletSeconds, given.closingSeconds);
}

test("overlapping calls use the plan to its last second before the wallet, and no call is refused while 15 s remain", async () => {
  await fc.assert(
    fc.asyncProperty(histories, async ({ steps: list, ...given }) => {
      const history = await newHistory(given);
      for (const step of list) await history.run(step);
      await history.end();
      await history.check();
    }),
    { numRuns: 80 },
  );
}, 60_000);
