/**
 * Billing as calls and the API see it (decisions.md 8). Functions that take `Queries` run inside the
 * caller's transaction, so that a charge and the call it belongs to commit together.
 */
import type { MicroEur } from "../core/money.ts";
import type { Queries } from "../store/database.ts";

export interface Plan {
  readonly slug: string;
  readonly name: string;
  readonly includedMinutes: number;
  readonly pricePerMonth: MicroEur;
  readonly overagePerMinute: MicroEur;
  readonly maxConcurrentCalls: number;
  readonly maxAgents: number;
  readonly maxNumbers: number;
  readonly maxFiles: number;
  readonly maxWebhooks: number;
}

export interface Balance {
  readonly balance: MicroEur;
  /** Balance and plan seconds that no live call holds. */
  readonly availableBalance: MicroEur;
  readonly availableIncludedSeconds: number;
  readonly includedSecondsLeft: number;
  readonly plan: Plan;
}

export interface Charge {
  readonly billableSeconds: number;
  readonly includedSeconds: number;
  readonly overageSeconds: number;
  readonly overagePerMinute: MicroEur;
  readonly cost: MicroEur;
}

export interface Billing {
  readonly plans: readonly Plan[];
  /** The tenant's plan; the first configured one where its slug is gone. */
  planOf(queries: Queries, tenantId: number): Promise<Plan>;
  balance(tenantId: number): Promise<Balance>;
  /** Throws insufficient_balance unless the 15-second minimum can be paid. */
  requireFunds(queries: Queries, tenantId: number): Promise<void>;
  /**
   * Holds a call's first 60 s (or what is there, at least the 15 s minimum; else throws
   * insufficient_balance). Idempotent per call.
   */
  hold(queries: Queries, tenantId: number, callUuid: string): Promise<void>;
  /**
   * Makes the hold cover `elapsedSeconds` + 60. Answers how many seconds from answer are covered
   * in all: when fewer than asked for, money runs out then.
   */
  extendHold(
    tenantId: number,
    callUuid: string,
    elapsedSeconds: number,
  ): Promise<{ coveredSeconds: number }>;
  /** Charges once (key `call:<uuid>`) and releases the hold. 0 ms: never answered, nothing charged. */
  settle(
    queries: Queries,
    tenantId: number,
    callUuid: string,
    talkMs: number,
    overagePerMinute: MicroEur,
  ): Promise<Charge>;
  /** The operator's manual wallet entry; may be negative. Answers the new balance. */
  credit(tenantId: number, amount: MicroEur, note: string): Promise<MicroEur>;
}
