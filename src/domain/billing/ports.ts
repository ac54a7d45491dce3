/**
 * Billing as calls and the API see it (decisions.md 8). Functions that take `Queries` run inside the
 * caller's transaction, so that a charge and the call it belongs to commit together.
 */

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
