/**
 * Random histories of money: calls that share a wallet, top-ups, plan changes, refunds of both and failed refunds,
 * new months, crashes and steps of the clock, on a real database. LINEVOICE_HISTORIES is their number (default
 * 100, on a database server 40; `npm run soak` runs 10,000).
 */
import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { and, eq, sql } from "drizzle-orm";
import fc from "fast-check";
import { AppError } from "../../src/core/errors.ts";
import { silentLog as log } from "../../src/core/log.ts";
import { microEur } from "../../src/core/money.ts";
import { Billing } from "../../src/features/billing/billing.ts";
import { billingStores as stores } from "../../src/features/billing/billing-stores.ts";
import {
  bookChargeback,
  type Chargeback,
  reverseChargeback,
} from "../../src/features/billing/chargeback.ts";
import { Checkouts } from "../../src/features/billing/checkout.ts";
import { syncEntitlement } from "../../src/features/billing/entitlement.ts";
import { verifyLedger } from "../../src/features/billing/ledger.ts";
import { manualPayments } from "../../src/features/billing/payments/manual.ts";
import { renewMonths } from "../../src/features/billing/renewal.ts";
import type { Checkout } from "../../src/features/billing/stores.ts";
import {
  calls,
  holds,
  ledgerEntries,
  planUsage,
  renewals,
  tenants,
} from "../../src/store/schema/index.ts";
import { fakeClock } from "../support/fake-clock.ts";
import { prepaidPlan, startPlan } from "../support/plans.ts";
import { insertCall, insertTenant } from "../support/store/stored-rows.ts";
import { isRemote, openTestDatabase } from "../support/store/test-store.ts";
import { tempDir } from "../support/temp-dir.ts";

const HISTORIES = Number(process.env.LINEVOICE_HISTORIES ?? (isRemote ? 40 : 100));
const HISTORIES_PER_FILE = 50;
const CALLS = 4;
const START = Date.parse("2026-11-28T04:05:06Z");
const DAY_MS = 86_400_000;

const clock = fakeClock(START);
const directory = tempDir();
const tiny = { ...startPlan, slug: "tiny", includedMinutes: 2, pricePerMonth: microEur(3_000_001) };
const plans = [tiny, prepaidPlan];
let files = 0;
let histories = 0;
const open = () => openTestDatabase(join(directory, `money-${files}.db`), clock.now());
let database = await open();
afterAll(() => database.close());

const provider = manualPayments(() => "https://voice.example.com");
const billing = () => new Billing({ database, stores, plans, clock });
const checkouts = () => new Checkouts({ database, stores, plans, provider, clock });
const mails = { enqueue: async () => undefined, wake: () => undefined };

type Step =
  | { readonly do: "begin" | "hang up" | "hang up again"; readonly call: number }
  | { readonly do: "talk"; readonly call: number; readonly ms: number }
  | { readonly do: "top up"; readonly cents: number }
  | { readonly do: "refund"; readonly nth: number; readonly share: number }
  | { readonly do: "change plan" | "crash" | "new month" | "refund fails" }
  | { readonly do: "step clock"; readonly ms: number };

const call = fc.integer({ min: 0, max: CALLS - 1 });
const plain = (name: "change plan" | "crash" | "new month" | "refund fails") =>
  fc.record({ do: fc.constant(name) });
const onCall = (name: "begin" | "hang up" | "hang up again") =>
  fc.record({ do: fc.constant(name), call });
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: onCall("begin") },
    {
      weight: 7,
      arbitrary: fc.record({
        do: fc.constant("talk" as const),
        call,
        ms: fc.integer({ min: 1, max: 90_000 }),
      }),
    },
    { weight: 4, arbitrary: onCall("hang up") },
    { weight: 1, arbitrary: onCall("hang up again") },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant("top up" as const),
        cents: fc.integer({ min: 1000, max: 2000 }),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant("refund" as const),
        nth: fc.nat({ max: 5 }),
        share: fc.integer({ min: 1, max: 4 }),
      }),
    },
    { weight: 1, arbitrary: plain("refund fails") },
    { weight: 1, arbitrary: plain("change plan") },
    { weight: 1, arbitrary: plain("new month") },
    { weight: 1, arbitrary: plain("crash") },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant("step clock" as const),
        ms: fc.integer({ min: -3 * DAY_MS, max: 3 * DAY_MS }),
      }),
    },
  ),
  { minLength: 8, maxLength: 40, size: "max" },
);

/** ⌊n·r/60 + ½⌋ in exact rational arithmetic, written independently of the product. */
function exactPrice(seconds: number, ratePerMinute: number): number {
  const numerator = BigInt(seconds) * BigInt(ratePerMinute);
  const whole = numerator / 60n;
  return Number(numerator % 60n >= 30n ? whole + 1n : whole);
}

interface LiveCall {
  readonly uuid: string;
  readonly rate: number;
  talkMs: number;
  /** Talk time at the last stored heartbeat. */
  heartbeatMs: number;
}

class History {
  readonly #live = new Map<number, LiveCall>();
  readonly #ended: { uuid: string; rate: number; cost: number }[] = [];
  readonly #paid: Checkout[] = [];
  readonly #refunded: Chargeback[] = [];
  #refunds = 0;

  constructor(readonly tenantId: number) {}

  async run(step: Step): Promise<void> {
    switch (step.do) {
      case "begin":
        return this.#begin(step.call);
      case "talk":
        return this.#talk(step.call, step.ms);
      case "hang up": {
        const live = this.#live.get(step.call);
        this.#live.delete(step.call);
        return live ? this.#settle(live.uuid, live.rate, live.talkMs) : undefined;
      }
      case "hang up again": {
        const ended = this.#ended[step.call];
        if (!ended) return;
        const again = await this.#charge(ended.uuid, ended.rate, 999_000);
        expect(Number(again.cost)).toBe(ended.cost);
        return;
      }
      case "top up": {
        const amount = microEur(step.cents * 10_000);
        const { id } = await checkouts().open(this.tenantId, { kind: "topup", amount });
        this.#paid.push(await checkouts().confirm(id));
        return;
      }
      case "refund":
        return this.#refund(step.nth, step.share);
      case "change plan": {
        const [row] = await this.#tenant();
        const plan = row?.plan === "tiny" ? "prepaid" : "tiny";
        const { id } = await checkouts().open(this.tenantId, { kind: "plan", plan });
        this.#paid.push(await checkouts().confirm(id));
        return;
      }
      case "refund fails":
        return this.#refundFails();
      case "new month":
        clock.stepWallClock(31 * DAY_MS);
        return this.#renew();
      case "step clock":
        clock.stepWallClock(step.ms);
        return this.#renew();
      case "crash":
        return this.#crash();
    }
  }

  #tenant() {
    return database.read.select().from(tenants).where(eq(tenants.id, this.tenantId));
  }

  async #renew(): Promise<void> {
    await renewMonths({ database, stores, plans, mails, clock, log });
  }

  async #begin(slot: number): Promise<void> {
    if (this.#live.has(slot)) return;
    const uuid = crypto.randomUUID();
    const plan = await billing().planOf(database.read, this.tenantId);
    await insertCall(database, this.tenantId, uuid, plan.overagePerMinute);
    try {
      await database.tx((queries) => billing().hold(queries, this.tenantId, uuid));
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "insufficient_balance") throw error;
      return;
    }
    this.#live.set(slot, { uuid, rate: plan.overagePerMinute, talkMs: 1, heartbeatMs: 1 });
  }

  async #talk(slot: number, ms: number): Promise<void> {
    const live = this.#live.get(slot);
    if (!live) return;
    live.talkMs += ms;
    await billing().extendHold(this.tenantId, live.uuid, live.talkMs / 1000);
    live.heartbeatMs = live.talkMs;
    live.talkMs += ms % 1000; // on the way to the next heartbeat
  }

  #charge(uuid: string, rate: number, talkMs: number) {
    return database.tx(async (queries) => {
      const charge = await billing().settle(queries, this.tenantId, uuid, talkMs, microEur(rate));
      const row = { status: "completed", ...charge } as const;
      await queries.update(calls).set(row).where(eq(calls.callUuid, uuid));
      return charge;
    });
  }

  /** The charge follows the plan and exact arithmetic, limited by the available money. */
  async #settle(uuid: string, rate: number, talkMs: number): Promise<void> {
    const atHand = await this.#atHand(uuid);
    const charge = await this.#charge(uuid, rate, talkMs);
    const seconds = Math.max(15, Math.ceil(talkMs / 1000));
    const included = Math.min(seconds, atHand.planSeconds);
    expect(charge.billableSeconds).toBe(seconds);
    expect(charge.includedSeconds).toBe(included);
    expect(Number(charge.cost)).toBe(Math.min(exactPrice(seconds - included, rate), atHand.money));
    this.#ended.push({ uuid, rate, cost: charge.cost });
  }

  /** The remaining plan seconds and the money not held by other calls, read with separate statements. */
  async #atHand(uuid: string): Promise<{ planSeconds: number; money: number }> {
    const held = await this.#holds();
    const month = held.find((hold) => hold.callUuid === uuid)?.month ?? "";
    const others = held.filter((hold) => hold.callUuid !== uuid);
    const ofMonth = (table: typeof planUsage | typeof renewals) =>
      and(eq(table.tenantId, this.tenantId), eq(table.month, month));
    const [used] = await database.read.select().from(planUsage).where(ofMonth(planUsage));
    const [renewal] = await database.read
      .select()
      .from(renewals)
      .where(and(ofMonth(renewals), eq(renewals.item, "plan")));
    const [row] = await this.#tenant();
    const isWithout = ["due", "unpaid", "refunded"].includes(renewal?.status ?? "");
    // Set by a purchase (plan-purchase.test.ts); otherwise all of the plan.
    const ofPlan = row?.plan === "tiny" ? tiny.includedMinutes * 60 : 0;
    const included = isWithout ? 0 : (used?.secondsIncluded ?? ofPlan);
    const heldMoney = others.reduce((sum, hold) => sum + hold.amount, 0);
    return {
      planSeconds: Math.max(0, included - (used?.secondsUsed ?? 0)),
      money: Math.max(0, (await this.#sumOf("wallet")) - heldMoney),
    };
  }

  async #refund(nth: number, share: number): Promise<void> {
    const checkout = this.#paid[nth];
    if (!checkout) return;
    this.#paid.splice(nth, 1);
    const amount = microEur(Math.floor(checkout.amount / share));
    const key = `refund:${this.tenantId}:${this.#refunds++}`;
    const taken = { checkout, key, amount, note: "test", nowMs: clock.now() };
    this.#refunded.push(taken);
    const standing = { cause: "refunds", isWhole: share === 1, isFinal: true };
    for (let time = 0; time < 2; time++)
      await database.tx(async (queries) => {
        await bookChargeback(stores(queries), taken);
        await syncEntitlement(stores(queries), checkout, standing, clock.now());
      });
  }

  async #refundFails(): Promise<void> {
    const last = this.#refunded.pop();
    if (!last) return;
    const standing = { cause: "refunds", isWhole: false, isFinal: false };
    for (let time = 0; time < 2; time++)
      await database.tx(async (queries) => {
        await reverseChargeback(stores(queries), { ...last, nowMs: clock.now() });
        await syncEntitlement(stores(queries), last.checkout, standing, clock.now());
      });
  }

  /** Cuts off a transaction, reopens the file, and bills live calls to their heartbeat. */
  async #crash(): Promise<void> {
    const [first] = this.#live.values();
    if (first) {
      const cut = database.tx(async (queries) => {
        await billing().settle(queries, this.tenantId, first.uuid, 5_000, microEur(first.rate));
        throw new Error("cut off");
      });
      await expect(cut).rejects.toThrow("cut off");
    }
    await database.close();
    database = await open();
    const left = [...this.#live.values()];
    this.#live.clear();
    for (const live of left) await this.#settle(live.uuid, live.rate, live.heartbeatMs);
  }

  #holds() {
    return database.read.select().from(holds).where(eq(holds.tenantId, this.tenantId));
  }

  async #sumOf(account: "wallet" | "receivable"): Promise<number> {
    const of = and(eq(ledgerEntries.tenantId, this.tenantId), eq(ledgerEntries.account, account));
    const [row] = await database.read
      .select({ sum: sql<number>`coalesce(sum(${ledgerEntries.amount}), 0)` })
      .from(ledgerEntries)
      .where(of);
    return row?.sum ?? 0;
  }

  async check(): Promise<void> {
    const held = await this.#holds();
    const balance = Number((await billing().balance(this.tenantId)).balance);
    expect(balance).toBe(await this.#sumOf("wallet"));
    expect(held.map((hold) => hold.callUuid).sort()).toEqual(
      [...this.#live.values()].map((live) => live.uuid).sort(),
    );
    expect(held.reduce((sum, hold) => sum + hold.amount, 0)).toBeLessThanOrEqual(balance);
    expect(await this.#sumOf("receivable")).toBeLessThanOrEqual(0);
    const [all] = await database.read
      .select({ sum: sql<number>`coalesce(sum(${ledgerEntries.amount}), 0)` })
      .from(ledgerEntries)
      .where(eq(ledgerEntries.tenantId, this.tenantId));
    expect(all?.sum).toBe(0);
  }
}

/** Files stay small, so that the ten-thousandth history is as fast as the first. */
async function nextHistory(plan: string): Promise<History> {
  if (histories++ % HISTORIES_PER_FILE === 0) {
    await database.close();
    files++;
    database = await open();
  }
  clock.stepWallClock(START - clock.now());
  return new History(await insertTenant(database, { plan, createdAt: clock.now() }));
}

test(
  "in every history money is consistent: debits equal credits, holds belong to live calls, charges are exact",
  async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.constantFrom("tiny", "prepaid"), async (list, plan) => {
        const history = await nextHistory(plan);
        for (const step of list) {
          await history.run(step);
          await history.check();
        }
        expect(await verifyLedger(stores(database.read))).toEqual([]);
      }),
      { numRuns: HISTORIES },
    );
  },
  60_000 + HISTORIES * 500,
);
