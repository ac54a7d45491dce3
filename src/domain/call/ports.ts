/** What the API, the command line and the scheduler may ask of calls. Implemented in call/. */

import type { Queries } from "../../core/database.ts";
import type { E164 } from "../../core/e164.ts";

export interface CreateCallInput {
  readonly toNumber: E164;
  /** null: the tenant's default caller id. A number that is not the tenant's falls back to it too. */
  readonly fromNumber: E164 | null;
  /** null: the agent of `fromNumber`'s number, else the tenant's only agent, else an error. */
  readonly agentId: number | null;
  /** Epoch ms, or null for at once. Checked against decisions 6 (past 60 s, 1 year). */
  readonly scheduleAtMs: number | null;
  /** Why it is placed, for the memory of it. */
  readonly purpose?: CallPurpose | null;
  /** In the transaction that stores the call: what else must be true exactly when the call exists. */
  readonly stored?: (queries: Queries, callUuid: string) => Promise<void>;
}

export interface CallPurpose {
  readonly reason: string;
  /** Told only to a caller who was recognised. */
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
   * Stores a schedule entry (immediate ones too) and answers; dialling happens when it is due.
   * Throws AppError: valid_…_required, insufficient_balance, plan_limit_reached,
   * destination_not_allowed, not_found (foreign agent), unavailable (draining).
   */
  request(tenantId: number, input: CreateCallInput): Promise<RequestedCall>;
  /** Throws not_found, or conflict when the call is not live. */
  hangUp(tenantId: number, callUuid: string): Promise<void>;
  /**
   * `to`: E.164 or SIP URI. `briefing`: the person hears it before the caller is put through (true: a
   * summary of the call). Throws not_found, conflict, destination_not_allowed.
   */
  transfer(
    tenantId: number,
    callUuid: string,
    to: string,
    announcement?: string | true | null,
  ): Promise<void>;
  /** Cancels a pending schedule. Throws not_found, or conflict when it is no longer pending. */
  cancelSchedule(tenantId: number, scheduleId: number): Promise<void>;
}

/** Why a tenant can place no call now, whoever is called. */
export type Standstill = "suspended" | "no_trunk" | "daily_spend" | "insufficient_balance";
