/**
 * Meters trials of agents with a paid engine: chats, web calls and rehearsals. They are not calls. Each company
 * has free minutes per day. After these, the wallet pays for each started minute at the plan's overage price.
 *
 * A minute is a minute of use, or `TOKENS_PER_MINUTE` tokens of the language model if that is more. A trial is
 * checked before it begins and charged after. A charge takes only money without a hold, so a trial never makes
 * the wallet negative.
 */
import { dayText, wallClock } from "../../core/calendar.ts";
import type { Clock } from "../../core/clock.ts";
import type { Database, Queries } from "../../core/database.ts";
import { AppError } from "../../core/errors.ts";
import { type MicroEur, microEur, priceOfSeconds } from "../../core/money.ts";
import { freeMoney } from "./available-funds.ts";
import type { Billing } from "./billing.ts";
import { costOfGoods, type GoodsPrices } from "./cost-of-goods.ts";
import { move, post } from "./ledger.ts";
import type { BillingStores } from "./stores.ts";

export interface TrialUse {
  /** Duration, ms. */
  readonly durationMs: number;
  readonly llmInputTokens: number;
  readonly llmOutputTokens: number;
  /** Tokens of knowledge searches. Default: 0. */
  readonly embeddingTokens?: number;
  readonly ttsCharacters: number;
  readonly sttSeconds: number;
}

/** Sums of one company. */
export interface TrialSums extends Omit<TrialUse, "durationMs"> {
  readonly seconds: number;
  readonly costOfGoods: MicroEur;
  /** Money paid by the wallet. */
  readonly charged: MicroEur;
}

/** Implemented by store/billing/trial-store.ts. A day is in the tenant's zone, e.g. `2026-11-21`. */
export interface TrialStore {
  isSuspended(tenantId: number): Promise<boolean>;
  day(
    tenantId: number,
    day: string,
  ): Promise<{ readonly seconds: number; readonly boughtSeconds: number }>;
  add(tenantId: number, day: string, use: Omit<TrialSums, "charged">): Promise<void>;
  buy(tenantId: number, day: string, seconds: number, charged: MicroEur): Promise<void>;
  /** From the first to the last day, inclusive. */
  sums(tenantId: number, firstDay: string, lastDay: string): Promise<TrialSums>;
}

/** Admits and counts trials. */
export interface TrialMeter {
  /**
   * Throws insufficient_balance if the day's free minutes are used and the wallet cannot pay a minute. Throws
   * plan_limit_reached if the tenant is suspended.
   */
  require(tenantId: number): Promise<void>;
  record(tenantId: number, use: TrialUse): Promise<void>;
}

/** For free engines. */
export const UNMETERED: TrialMeter = {
  require: async () => undefined,
  record: async () => undefined,
};

/** About the number of tokens per minute of a normal call. */
const TOKENS_PER_MINUTE = 10_000;

interface TrialOptions {
  readonly database: Database;
  readonly stores: BillingStores;
  readonly records: (queries: Queries) => TrialStore;
  readonly billing: Pick<Billing, "planOf">;
  readonly prices: GoodsPrices;
  /** Free minutes per company and day. */
  readonly freeMinutes: number;
  readonly clock: Clock;
}

export class Trials implements TrialMeter {
  constructor(private readonly options: TrialOptions) {}

  async require(tenantId: number): Promise<void> {
    const { database, stores, records } = this.options;
    const { read } = database;
    if (await records(read).isSuspended(tenantId)) throw suspended();
    const { used, allowed, minutePrice } = await this.#today(read, tenantId);
    if (used < allowed || minutePrice === 0) return;
    if ((await freeMoney(stores(read), tenantId)) < minutePrice)
      throw noMoney(this.options.freeMinutes);
  }

  async record(tenantId: number, use: TrialUse): Promise<void> {
    const { database, records } = this.options;
    const { durationMs, ...counters } = use;
    const { stt, llm, tts } = costOfGoods(use, 0, this.options.prices);
    const seconds = secondsOf(use);
    await database.tx(async (queries) => {
      const { day } = await this.#today(queries, tenantId);
      const goods = microEur(stt + llm + tts);
      await records(queries).add(tenantId, day, { ...counters, seconds, costOfGoods: goods });
      await this.#charge(queries, tenantId);
    });
  }

  async #today(queries: Queries, tenantId: number) {
    const { stores, records, billing, clock, freeMinutes } = this.options;
    const { timeZone } = await stores(queries).accounts.find(tenantId);
    const { overagePerMinute } = await billing.planOf(queries, tenantId);
    const day = dayText(wallClock(timeZone, clock.now()));
    const { seconds, boughtSeconds } = await records(queries).day(tenantId, day);
    const allowed = freeMinutes * 60 + boughtSeconds;
    return { day, used: seconds, allowed, boughtSeconds, minutePrice: overagePerMinute };
  }

  async #charge(queries: Queries, tenantId: number): Promise<void> {
    const { stores, records, clock } = this.options;
    const { day, used, allowed, boughtSeconds, minutePrice } = await this.#today(queries, tenantId);
    if (used <= allowed) return;
    const books = stores(queries);
    const seconds = Math.ceil((used - allowed) / 60) * 60;
    const price = priceOfSeconds(seconds, minutePrice);
    const charged = microEur(Math.min(price, await freeMoney(books, tenantId)));
    // The rest of a minute is bought only if the wallet could pay for it.
    await records(queries).buy(tenantId, day, charged < price ? used - allowed : seconds, charged);
    if (charged === 0) return;
    await post(
      books,
      tenantId,
      {
        key: `trial:${tenantId}:${day}:${boughtSeconds}`,
        kind: "trial",
        note: `Trying agents: ${seconds / 60} min`,
        createdAt: clock.now(),
      },
      move("wallet", "revenue", charged),
    );
  }
}

/** Started seconds, at least one. */
export function secondsOf({ durationMs, llmInputTokens, llmOutputTokens }: TrialUse): number {
  const tokens = llmInputTokens + llmOutputTokens;
  return Math.max(1, Math.ceil(durationMs / 1000), Math.ceil((tokens * 60) / TOKENS_PER_MINUTE));
}

export const suspended = () =>
  new AppError({
    code: "plan_limit_reached",
    reason: "suspended",
    publicMessage: "This account is suspended. Ask the operator to resume it.",
  });

const noMoney = (freeMinutes: number) =>
  new AppError({
    code: "insufficient_balance",
    reason: "trial_minutes",
    params: { minutes: freeMinutes },
    publicMessage: `Today's ${freeMinutes} free trial minutes are used up, and the wallet cannot pay for another minute. Top up the wallet, or continue tomorrow.`,
  });
