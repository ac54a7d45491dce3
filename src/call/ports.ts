/** Call operations for the API, the command line and the scheduler. Implemented in call/. */

import type { Queries } from "../core/database.ts";
import type { E164 } from "../core/e164.ts";

export interface CreateCallInput {
  readonly toNumber: E164;
  /** Null: the tenant's default caller ID. A number of another tenant falls back to it too. */
  readonly fromNumber: E164 | null;
  /** Null: the agent of `fromNumber`, else the tenant's only agent, else an error. */
  readonly agentId: number | null;
  /** Epoch ms, or null for at once. Checked against decisions 6 (past 60 s, 1 year). */
  readonly scheduleAtMs: number | null;
  /** The purpose to remember for the call. */
  readonly purpose?: CallPurpose | null;
  /** Runs in the transaction that stores the call, for data that must exist exactly when the call does. */
  readonly stored?: (queries: Queries, callUuid: string) => Promise<void>;
}

export interface CallPurpose {
  readonly reason: string;
  /** True if only a recognised caller may hear it. */
  readonly sensitive: boolean;
  readonly origin: "api" | "birthday" | "campaign";
}

export interface RequestedCall {
  readonly callUuid: string;
  readonly scheduleId: number;
  readonly fromNumber: string;
  readonly scheduledAtMs: number | null;
}

export interface CallService {
  /**
   * Stores a schedule entry, even for immediate calls, and returns. The call is dialled when due.
   * Throws AppError: valid_…_required, insufficient_balance, plan_limit_reached, destination_not_allowed,
   * not_found (foreign agent), unavailable (draining).
   */
  request(tenantId: number, input: CreateCallInput): Promise<RequestedCall>;
  /** Throws not_found, or conflict if the call is not live. */
  hangUp(tenantId: number, callUuid: string): Promise<void>;
  /**
   * `to`: E.164 or SIP URI. `briefing`: text that the person hears before the caller is connected (true: a
   * summary of the call). Throws not_found, conflict, destination_not_allowed.
   */
  transfer(
    tenantId: number,
    callUuid: string,
    to: string,
    announcement?: string | true | null,
  ): Promise<void>;
  /** Throws not_found, or conflict if the schedule is no longer pending. */
  cancelSchedule(tenantId: number, scheduleId: number): Promise<void>;
}

/** Why a tenant can place no calls now, to any number. */
export type Standstill = "suspended" | "no_trunk" | "daily_spend" | "insufficient_balance";
