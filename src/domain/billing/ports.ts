/**
 * Billing as calls and the API see it (decisions.md 8). Functions that take `Queries` run inside the
 * caller's transaction, so that a charge and the call it belongs to commit together.
 */

import type { Queries } from "../../core/database.ts";
import type { MicroEur } from "../../core/money.ts";

/** Rows and bytes that a tenant may keep. */
export interface PlanQuotas {
  readonly contacts: number;
  readonly tools: number;
  readonly campaigns: number;
  /** Calls for later that are not dialled yet. */
  readonly schedules: number;
  readonly knowledgeBytes: number;
}

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
  readonly quotas: PlanQuotas;
}

/** What a tenant has, without counting what is free of it: two reads instead of nine. */
export interface Account {
  readonly plan: Plan;
  readonly balance: MicroEur;
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

/** How far a live call's money goes, in whole seconds from its answer. */
export interface Coverage {
  /** Held for the call: when fewer than were asked for, money runs out then. */
  readonly coveredSeconds: number;
  /** What plan and wallet would pay as of now; looked at up to 120 s ahead. */
  readonly affordableSeconds: number;
}

/** So long before its money ends the tenant is told (decisions.md 8). */
export const LOW_SECONDS = 60;

export interface Billing {
  readonly plans: readonly Plan[];
  /** The tenant's plan; the first configured one where its slug is gone. */
  planOf(queries: Queries, tenantId: number): Promise<Plan>;
  balance(tenantId: number): Promise<Balance>;
  account(tenantId: number): Promise<Account>;
  /** Throws insufficient_balance unless the 15-second minimum can be paid. */
  requireFunds(queries: Queries, tenantId: number): Promise<void>;
  /**
   * Holds a call's first 60 s, or 15 s where less is left than 60 s for each call that the plan allows
   * at once. Throws insufficient_balance when not even 15 s are left. Idempotent per call.
   */
  hold(queries: Queries, tenantId: number, callUuid: string): Promise<void>;
  /**
   * Makes the hold cover `elapsedSeconds` + 60 s, or + 15 s where little is left. `whenLow` runs in the same transaction when the funds
   * reach for 60 s more or less; not for a call without a hold.
   */
  extendHold(
    tenantId: number,
    callUuid: string,
    elapsedSeconds: number,
    whenLow?: (queries: Queries, secondsLeft: number) => Promise<void>,
  ): Promise<Coverage>;
  /**
   * Seconds from its answer that a call's hold pays: it follows what was really talked, 15 to 60 s ahead.
   * null: it holds nothing.
   */
  heldSeconds(queries: Queries, tenantId: number, callUuid: string): Promise<number | null>;
  /**
   * Charges once (key `call:<uuid>`) and releases the hold. The charge takes the plan seconds that are
   * left, whichever call holds them, then the wallet (decisions.md 12). 0 ms: never answered, nothing charged.
   */
  settle(
    queries: Queries,
    tenantId: number,
    callUuid: string,
    answeredMs: number,
    overagePerMinute: MicroEur,
  ): Promise<Charge>;
  /** The operator's manual wallet entry; may be negative. Answers the new balance. */
  credit(tenantId: number, amount: MicroEur, note: string): Promise<MicroEur>;
}
