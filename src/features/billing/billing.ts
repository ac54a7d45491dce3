/**
 * Billing: holds during a call, one charge at its end, and the operator's credits.
 *
 * Every decision about money runs in the database's only write transaction, so concurrent calls are decided one
 * after the other. A call draws on the plan month in which it began, at the overage rate stored in its row. The
 * call decides when to extend its hold and what to say when funds end. It writes the charge into its row in the
 * same transaction as `settle`.
 */
import type { Clock } from "../../core/clock.ts";
import type { Database, Queries } from "../../core/database.ts";
import { AppError } from "../../core/errors.ts";
import { uuidV7 } from "../../core/ids.ts";
import { type MicroEur, microEur, microToEur } from "../../core/money.ts";
import { type Random, systemRandom } from "../../core/random.ts";
import { availableFundsOf, chargeableFunds, freeFunds } from "./available-funds.ts";
import { extendHolds, insufficientBalance, paidSeconds, writeHold } from "./hold.ts";
import { move, post, postSettlement } from "./ledger.ts";
import { monthIn } from "./plan-usage.ts";
import {
  type Account,
  type Balance,
  type Charge,
  type Coverage,
  LOW_SECONDS,
  type Plan,
} from "./ports.ts";
import {
  type Cover,
  coveredBy,
  coverSeconds,
  HOLD_BLOCK_SECONDS,
  holdAheadSeconds,
  MINIMUM_BILLABLE_SECONDS,
  rateCall,
  writtenOff,
} from "./rating.ts";
import type { AccountStatus, BillingStores, Books, Hold } from "./stores.ts";

interface BillingOptions {
  readonly database: Database;
  readonly stores: BillingStores;
  /** From the configuration; at least one. */
  readonly plans: readonly Plan[];
  readonly clock: Clock;
  readonly random?: Random;
}

/** Methods that take `Queries` run inside the caller's transaction. */
export class Billing {
  readonly plans: readonly Plan[];
  readonly #firstPlan: Plan;

  /** Throws RangeError without a plan. */
  constructor(private readonly options: BillingOptions) {
    const [first] = options.plans;
    if (!first) throw new RangeError("billing needs at least one plan");
    this.plans = options.plans;
    this.#firstPlan = first;
  }

  /** The first configured plan if no plan has this slug. */
  planNamed(slug: string): Plan {
    return this.plans.find((plan) => plan.slug === slug) ?? this.#firstPlan;
  }

  async planOf(queries: Queries, tenantId: number): Promise<Plan> {
    const { planSlug } = await this.options.stores(queries).accounts.find(tenantId);
    return this.planNamed(planSlug);
  }

  async balance(tenantId: number): Promise<Balance> {
    const accountStatus = await this.#accountStatus(this.options.database.read, tenantId, null);
    const { plan, available } = this.#drawOf(accountStatus, null);
    const free = freeFunds(available);
    return {
      balance: available.balance,
      availableBalance: free.money,
      availableIncludedSeconds: free.planSeconds,
      includedSecondsLeft: available.planSecondsLeft,
      plan,
    };
  }

  async account(tenantId: number): Promise<Account> {
    const { database, stores } = this.options;
    const plan = await this.planOf(database.read, tenantId);
    return { plan, balance: await stores(database.read).wallet.balance(tenantId) };
  }

  /** The operator's manual wallet entry; may be negative. Returns the new balance. */
  credit(tenantId: number, amount: MicroEur, note: string): Promise<MicroEur> {
    const { database, stores, clock, random = systemRandom } = this.options;
    return database.tx(async (queries) => {
      const books = stores(queries);
      await books.accounts.find(tenantId);
      const key = `credit:${uuidV7(clock, random)}`;
      const transaction = { key, kind: "credit", note, createdAt: clock.now() } as const;
      const entries = move("credits", "wallet", microEur(amount));
      await post(books, tenantId, transaction, entries);
      return books.wallet.balance(tenantId);
    });
  }

  /** Throws insufficient_balance unless the 15-second minimum can be paid. */
  async requireFunds(queries: Queries, tenantId: number): Promise<void> {
    const { plan, available } = this.#drawOf(
      await this.#accountStatus(queries, tenantId, null),
      null,
    );
    requireMinimum(
      coverSeconds(MINIMUM_BILLABLE_SECONDS, freeFunds(available), plan.overagePerMinute),
    );
  }

  /**
   * Holds a call's first 60 s. Holds only 15 s if the funds cannot pay 60 s for every concurrent call of the
   * plan. Throws insufficient_balance if not even 15 s are left. Idempotent per call.
   *
   * `known`: the account as read in this transaction. Returns the account with the hold.
   */
  async hold(
    queries: Queries,
    tenantId: number,
    callUuid: string,
    known?: AccountStatus,
  ): Promise<AccountStatus> {
    const { stores, clock } = this.options;
    const books = stores(queries);
    const accountStatus = known ?? (await this.#accountStatus(queries, tenantId, callUuid));
    const hasEnded = accountStatus.isCharged;
    if (hasEnded || holdOf(accountStatus, callUuid)) return accountStatus;
    const { plan, month, rate, available } = this.#drawOf(accountStatus, callUuid);
    const funds = freeFunds(available);
    const wantedSeconds = holdAheadSeconds(0, funds, rate, plan.maxConcurrentCalls);
    const cover = coverSeconds(wantedSeconds, funds, rate);
    requireMinimum(cover);
    const hold = await writeHold(books, tenantId, { callUuid, month }, cover, clock.now());
    return { ...accountStatus, holds: [...accountStatus.holds, hold] };
  }

  /**
   * Makes the hold cover `elapsedSeconds` + 60 s, or + 15 s if little is left. If the funds pay at
   * most 60 s more, `whenLow` runs in the same transaction. Does nothing for a call without a hold.
   */
  extendHold(
    tenantId: number,
    callUuid: string,
    elapsedSeconds: number,
    whenLow?: (queries: Queries, secondsLeft: number) => Promise<void>,
  ): Promise<Coverage> {
    const { database, stores, clock } = this.options;
    return database.tx(async (queries) => {
      const books = stores(queries);
      const accountStatus = await this.#accountStatus(queries, tenantId, callUuid);
      const held = holdOf(accountStatus, callUuid);
      // Never held, or settled in the meantime.
      if (!held) return { coveredSeconds: 0, affordableSeconds: 0 };
      const { plan, rate, available } = this.#drawOf(accountStatus, callUuid);
      const funds = freeFunds(available);
      const elapsed = Math.ceil(elapsedSeconds);
      const aheadSeconds = holdAheadSeconds(elapsed, funds, rate, plan.maxConcurrentCalls);
      const cover = coverSeconds(elapsed + aheadSeconds, funds, rate);
      await writeHold(books, tenantId, held, cover, clock.now());
      const affordableMax = elapsed + HOLD_BLOCK_SECONDS + LOW_SECONDS;
      const affordableSeconds = coveredBy(coverSeconds(affordableMax, funds, rate));
      const secondsLeft = affordableSeconds - elapsedSeconds;
      if (secondsLeft <= LOW_SECONDS) await whenLow?.(queries, secondsLeft);
      return { coveredSeconds: coveredBy(cover), affordableSeconds };
    });
  }

  /** Seconds since the answer that a call's hold pays: its talk time plus 15 to 60 s. Null without a hold. */
  async heldSeconds(queries: Queries, tenantId: number, callUuid: string): Promise<number | null> {
    const accountStatus = await this.#accountStatus(queries, tenantId, callUuid);
    const held = holdOf(accountStatus, callUuid);
    if (!held) return null;
    const { rate } = this.#drawOf(accountStatus, callUuid);
    return held.planSeconds + paidSeconds(held.amount, rate);
  }

  /**
   * Charges once (key `call:<uuid>`) and releases the hold. The charge takes the remaining plan seconds, even
   * if other calls hold them, then the wallet (decisions 12). 0 ms means never answered: nothing is charged.
   */
  async settle(
    queries: Queries,
    tenantId: number,
    callUuid: string,
    answeredMs: number,
    overagePerMinute: MicroEur,
    known?: AccountStatus,
  ): Promise<Charge> {
    const { stores, clock } = this.options;
    const books = stores(queries);
    const accountStatus = known ?? (await this.#accountStatus(queries, tenantId, callUuid));
    if (accountStatus.isCharged) return await this.#settledCharge(books, tenantId, callUuid);
    const { plan, month, available } = this.#drawOf(accountStatus, callUuid);
    const charge = rateCall(answeredMs, chargeableFunds(available), overagePerMinute);
    if (charge.billableSeconds === 0) {
      if (holdOf(accountStatus, callUuid)) await books.holds.release(tenantId, callUuid);
      return charge;
    }
    await this.#postCharge(books, tenantId, { callUuid, month }, charge);
    const rateOfHeld = (uuid: string) => this.#rateOf(books, tenantId, uuid, plan);
    await extendHolds(books, tenantId, available, charge, rateOfHeld, clock.now());
    return charge;
  }

  /** Posts even without entries (the plan covers all): the key makes the charge happen once. */
  async #postCharge(
    books: Books,
    tenantId: number,
    call: { readonly callUuid: string; readonly month: string },
    charge: Charge,
  ): Promise<void> {
    await postSettlement(books, tenantId, {
      ...call,
      includedSeconds: charge.includedSeconds,
      key: chargeKey(call.callUuid),
      note: noteOf(charge),
      createdAt: this.options.clock.now(),
      entries: move("wallet", "revenue", charge.cost),
    });
  }

  /** The charge of a settled call. */
  async #settledCharge(books: Books, tenantId: number, callUuid: string): Promise<Charge> {
    const recorded = await books.callRates.chargeOf(tenantId, callUuid);
    if (recorded) return recorded;
    throw new AppError({
      code: "engine",
      publicMessage: "Something went wrong on our side.",
      internal: `call ${callUuid} is charged in the ledger but has no row`,
    });
  }

  #accountStatus(
    queries: Queries,
    tenantId: number,
    callUuid: string | null,
  ): Promise<AccountStatus> {
    const call = callUuid === null ? null : { uuid: callUuid, chargeKey: chargeKey(callUuid) };
    return this.options.stores(queries).accounts.accountStatus(tenantId, call);
  }

  /** The rate when the call began. */
  async #rateOf(books: Books, tenantId: number, callUuid: string, plan: Plan) {
    const snapshot = await books.callRates.rateOf(tenantId, callUuid);
    return snapshot ?? plan.overagePerMinute;
  }

  /**
   * Funds and rate of a call. The month is that of its hold; without a hold, the current month in the tenant's
   * zone.
   */
  #drawOf(accountStatus: AccountStatus, callUuid: string | null) {
    const plan = this.planNamed(accountStatus.planSlug);
    const held = callUuid === null ? undefined : holdOf(accountStatus, callUuid);
    const month = held?.month ?? monthIn(accountStatus.timeZone, this.options.clock.now());
    const rate = accountStatus.rate ?? plan.overagePerMinute;
    return { plan, month, rate, available: availableFundsOf(accountStatus, plan, month, callUuid) };
  }
}

const holdOf = ({ holds }: AccountStatus, callUuid: string): Hold | undefined =>
  holds.find((hold) => hold.callUuid === callUuid);

function requireMinimum(cover: Cover): void {
  if (coveredBy(cover) < MINIMUM_BILLABLE_SECONDS) throw insufficientBalance();
}

/** Key of a call's charge in the ledger. */
export const chargeKey = (callUuid: string): string => `call:${callUuid}`;

function noteOf(charge: Charge): string {
  const { billableSeconds, includedSeconds, overageSeconds } = charge;
  const lost = writtenOff(charge);
  const end = lost > 0 ? `, ${microToEur(lost)} EUR written off` : "";
  return `Call of ${billableSeconds} s: ${includedSeconds} s from the plan, ${overageSeconds} s overage${end}`;
}
