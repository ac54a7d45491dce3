/**
 * Billing: holds while a call lives, one charge when it has ended, the operator's credits.
 *
 * Everything that decides on money runs in the database's one writing transaction, so concurrent
 * calls are decided one after the other. A call draws on the plan month it began in, at the overage
 * rate its row was created with. Leaves to the call: when to extend, what to say when funds end, and
 * writing the charge into the call's row in the same transaction as `settle`.
 */
import type { Clock } from "../../core/clock.ts";
import type { Database, Queries } from "../../core/database.ts";
import { AppError } from "../../core/errors.ts";
import { uuidV7 } from "../../core/ids.ts";
import { type MicroEur, microEur } from "../../core/money.ts";
import { type Random, systemRandom } from "../../core/random.ts";
import { chargeableFunds, freeFunds, purseFor } from "./funds.ts";
import { backHolds, insufficientBalance, paidSeconds, writeHold } from "./hold.ts";
import { move, post } from "./ledger.ts";
import { monthIn } from "./plan-usage.ts";
import {
  type Account,
  type Balance,
  type Billing,
  type Charge,
  type Coverage,
  LOW_SECONDS,
  type Plan,
} from "./ports.ts";
import {
  coveredBy,
  coverSeconds,
  HOLD_BLOCK_SECONDS,
  holdAheadSeconds,
  MINIMUM_BILLABLE_SECONDS,
  rateCall,
} from "./rating.ts";
import type { BillingStores } from "./stores.ts";

interface BillingOptions {
  readonly database: Database;
  readonly stores: BillingStores;
  /** From the configuration; at least one. */
  readonly plans: readonly Plan[];
  readonly clock: Clock;
  readonly random?: Random;
}

/** What is known of the payer when a call is decided on. */
interface Payer {
  readonly plan: Plan;
  /** The calendar month it is now in the tenant's zone. */
  readonly month: string;
}

/** Throws RangeError without a plan. */
export function createBilling(options: BillingOptions): Billing {
  const { database, stores, plans, clock, random = systemRandom } = options;
  const firstPlan = plans[0];
  if (!firstPlan) throw new RangeError("billing needs at least one plan");

  const planNamed = (slug: string): Plan => plans.find((plan) => plan.slug === slug) ?? firstPlan;

  async function payerOf(queries: Queries, tenantId: number): Promise<Payer> {
    const account = await stores.accounts(queries).find(tenantId);
    return {
      plan: planNamed(account.planSlug),
      month: monthIn(account.timeZone, clock.now()),
    };
  }

  async function rateOf(queries: Queries, tenantId: number, callUuid: string, plan: Plan) {
    const snapshot = await stores.callRates(queries).rateOf(tenantId, callUuid);
    return snapshot ?? plan.overagePerMinute;
  }

  async function requireFunds(queries: Queries, tenantId: number): Promise<void> {
    const { plan, month } = await payerOf(queries, tenantId);
    const funds = freeFunds(await purseFor(stores, queries, tenantId, plan, month, null));
    const cover = coverSeconds(MINIMUM_BILLABLE_SECONDS, funds, plan.overagePerMinute);
    if (coveredBy(cover) < MINIMUM_BILLABLE_SECONDS) throw insufficientBalance();
  }

  async function hold(queries: Queries, tenantId: number, callUuid: string): Promise<void> {
    if (await stores.holds(queries).find(tenantId, callUuid)) return;
    if (await stores.ledger(queries).hasKey(tenantId, chargeKey(callUuid))) return; // has ended
    const { plan, month } = await payerOf(queries, tenantId);
    const rate = await rateOf(queries, tenantId, callUuid, plan);
    const funds = freeFunds(await purseFor(stores, queries, tenantId, plan, month, callUuid));
    const wantedSeconds = holdAheadSeconds(0, funds, rate, plan.maxConcurrentCalls);
    const cover = coverSeconds(wantedSeconds, funds, rate);
    if (coveredBy(cover) < MINIMUM_BILLABLE_SECONDS) throw insufficientBalance();
    await writeHold(stores, queries, tenantId, { callUuid, month }, cover, clock.now());
  }

  async function extend(
    queries: Queries,
    tenantId: number,
    callUuid: string,
    elapsedSeconds: number,
    whenLow?: (queries: Queries, secondsLeft: number) => Promise<void>,
  ): Promise<Coverage> {
    const held = await stores.holds(queries).find(tenantId, callUuid);
    // Never held, or settled while this was on its way.
    if (!held) return { coveredSeconds: 0, affordableSeconds: 0 };
    const { plan } = await payerOf(queries, tenantId);
    const rate = await rateOf(queries, tenantId, callUuid, plan);
    const { month } = held;
    const funds = freeFunds(await purseFor(stores, queries, tenantId, plan, month, callUuid));
    const elapsed = Math.ceil(elapsedSeconds);
    const aheadSeconds = holdAheadSeconds(elapsed, funds, rate, plan.maxConcurrentCalls);
    const cover = coverSeconds(elapsed + aheadSeconds, funds, rate);
    await writeHold(stores, queries, tenantId, held, cover, clock.now());
    const affordableMax = elapsed + HOLD_BLOCK_SECONDS + LOW_SECONDS;
    const affordableSeconds = coveredBy(coverSeconds(affordableMax, funds, rate));
    const secondsLeft = affordableSeconds - elapsedSeconds;
    if (secondsLeft <= LOW_SECONDS) await whenLow?.(queries, secondsLeft);
    return { coveredSeconds: coveredBy(cover), affordableSeconds };
  }

  async function heldSeconds(
    queries: Queries,
    tenantId: number,
    callUuid: string,
  ): Promise<number | null> {
    const held = await stores.holds(queries).find(tenantId, callUuid);
    if (!held) return null;
    const { plan } = await payerOf(queries, tenantId);
    const ratePerMinute = await rateOf(queries, tenantId, callUuid, plan);
    return held.planSeconds + paidSeconds(held.amount, ratePerMinute);
  }

  async function settle(
    queries: Queries,
    tenantId: number,
    callUuid: string,
    answeredMs: number,
    overagePerMinute: MicroEur,
  ): Promise<Charge> {
    const before = await settledCharge(queries, tenantId, callUuid);
    if (before) return before;
    const { plan, month: monthNow } = await payerOf(queries, tenantId);
    const held = await stores.holds(queries).find(tenantId, callUuid);
    const month = held?.month ?? monthNow;
    const purse = await purseFor(stores, queries, tenantId, plan, month, callUuid);
    const charge = rateCall(answeredMs, chargeableFunds(purse), overagePerMinute);
    await stores.holds(queries).release(tenantId, callUuid);
    if (charge.billableSeconds === 0) return charge;
    // Posted without entries too when the plan covers all: the key is what makes it happen once.
    await post(
      stores,
      queries,
      tenantId,
      {
        key: chargeKey(callUuid),
        kind: "charge",
        note: `Call of ${charge.billableSeconds} s: ${charge.includedSeconds} s from the plan, ${charge.overageSeconds} s overage`,
        createdAt: clock.now(),
      },
      move("wallet", "revenue", charge.cost),
    );
    if (charge.includedSeconds > 0)
      await stores.planUsage(queries).add(tenantId, month, charge.includedSeconds);
    const rateOfHeld = (uuid: string) => rateOf(queries, tenantId, uuid, plan);
    await backHolds(stores, queries, tenantId, purse, charge, rateOfHeld, clock.now());
    return charge;
  }

  /** The charge of a call that was settled before; null when it was not. */
  async function settledCharge(
    queries: Queries,
    tenantId: number,
    callUuid: string,
  ): Promise<Charge | null> {
    if (!(await stores.ledger(queries).hasKey(tenantId, chargeKey(callUuid)))) return null;
    const recorded = await stores.callRates(queries).chargeOf(tenantId, callUuid);
    if (recorded) return recorded;
    throw new AppError({
      code: "engine",
      publicMessage: "Something went wrong on our side.",
      internal: `call ${callUuid} is charged in the ledger but has no row`,
    });
  }

  async function balance(tenantId: number): Promise<Balance> {
    const queries = database.read;
    const { plan, month } = await payerOf(queries, tenantId);
    const purse = await purseFor(stores, queries, tenantId, plan, month, null);
    const free = freeFunds(purse);
    return {
      balance: purse.balance,
      availableBalance: free.money,
      availableIncludedSeconds: free.planSeconds,
      includedSecondsLeft: purse.planSecondsLeft,
      plan,
    };
  }

  async function account(tenantId: number): Promise<Account> {
    const queries = database.read;
    const { planSlug } = await stores.accounts(queries).find(tenantId);
    const money = await stores.wallet(queries).balance(tenantId);
    return { plan: planNamed(planSlug), balance: money };
  }

  async function credit(tenantId: number, amount: MicroEur, note: string): Promise<MicroEur> {
    return database.tx(async (queries) => {
      await stores.accounts(queries).find(tenantId);
      const key = `credit:${uuidV7(clock, random)}`;
      const transaction = { key, kind: "credit", note, createdAt: clock.now() } as const;
      const entries = move("credits", "wallet", microEur(amount));
      await post(stores, queries, tenantId, transaction, entries);
      return stores.wallet(queries).balance(tenantId);
    });
  }

  return {
    plans,
    planOf: async (queries, tenantId) => (await payerOf(queries, tenantId)).plan,
    balance,
    account,
    requireFunds,
    hold,
    extendHold: (tenantId, callUuid, elapsedSeconds, whenLow) =>
      database.tx((queries) => extend(queries, tenantId, callUuid, elapsedSeconds, whenLow)),
    heldSeconds,
    settle,
    credit,
  };
}

const chargeKey = (callUuid: string): string => `call:${callUuid}`;
