/** Inputs and results of billing (decisions 8). */

import type { MicroEur } from "../../core/money.ts";

/** Rows and bytes that a tenant may store. */
export interface PlanQuotas {
  readonly contacts: number;
  readonly tools: number;
  readonly campaigns: number;
  /** Scheduled calls that wait to be dialled. */
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

/** Plan and balance only: two queries instead of nine. */
export interface Account {
  readonly plan: Plan;
  readonly balance: MicroEur;
}

export interface Balance {
  readonly balance: MicroEur;
  /** Balance minus the holds of live calls. */
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

/** How long a live call's money lasts, in whole seconds from its answer. */
export interface Coverage {
  /** Seconds held for the call. Fewer than requested means that the money ends then. */
  readonly coveredSeconds: number;
  /** Seconds that plan and wallet can pay now, up to 120 s ahead. */
  readonly affordableSeconds: number;
}

/** The tenant is notified this long before the money ends (decisions 8). */
export const LOW_SECONDS = 60;
