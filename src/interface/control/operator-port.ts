/**
 * What the operator may do from the command line (appliance.md 4), whichever way the command takes:
 * over the control socket of the running server, or directly on the data directory. Plain data in
 * and out. Methods throw AppError with a message that says how to fix it.
 */

import type { TrunkCheck, TrunkCheckResult } from "../../adapter/sip/trunk-checks.ts";
import type { Statements } from "../../domain/billing/statement.ts";
import type { RegistrationStatus, TrunkTransport } from "../../domain/call/sip-port.ts";
import type { KeyLimits, KeyScope } from "../../domain/tenant/key-limits.ts";
import type { BackupSummary } from "../../operations/backup/backups.ts";
import type { ErasureReport } from "../../operations/privacy/erase-person.ts";
import type { ContactPort } from "./contact-port.ts";
import type { PeoplePort } from "./people-port.ts";
import type { ToolPort } from "./tool-port.ts";

export interface TenantSummary {
  readonly id: number;
  readonly name: string;
  readonly email: string;
  readonly plan: string;
  readonly suspended: boolean;
  readonly balance_eur: number;
  readonly created_at: string;
}

/** What protects a tenant from toll fraud (decisions.md 9, 12). */
export interface DialingSummary {
  readonly tenant_id: number;
  /** null: the country of the caller id. */
  readonly allowed_prefixes: readonly string[] | null;
  /** null: none. */
  readonly short_numbers: readonly string[] | null;
  readonly calls_per_minute_max: number;
  /** null: `[limits] daily_spend_eur`. */
  readonly daily_spend_max_eur: number | null;
}

export interface TrunkSummary {
  readonly id: number;
  readonly tenant_id: number;
  readonly server: string;
  readonly port: number;
  readonly transport: TrunkTransport;
  readonly username: string;
  readonly caller_id: string;
  readonly register: boolean;
  /** Calls that the carrier carries at once; null: not stated. */
  readonly channels: number | null;
  /** Addresses and networks that calls come from besides the server's. */
  readonly extra_networks: readonly string[];
  /** `unknown` when no server runs on the data directory. */
  readonly status: RegistrationStatus["name"] | "unknown";
  readonly last_code: number | null;
  readonly explanation: string | null;
  readonly next_attempt_at: string | null;
}

export interface TrunkDraft {
  readonly tenant: number;
  readonly server: string;
  readonly port: number;
  readonly transport: TrunkTransport;
  readonly username: string;
  readonly password: string;
  readonly realm: string | null;
  readonly outbound_proxy: string | null;
  readonly caller_id: string;
  readonly register: boolean;
  readonly channels: number | null;
  /** Addresses and networks (CIDR) that calls come from besides the server's. Missing: none. */
  readonly extra_networks?: readonly string[];
}

/** Registration and OPTIONS side by side, each with its result and its remedy. */
export interface TrunkTest {
  readonly trunk: TrunkSummary;
  /** The worst of the checks; `unknown` counts as no worse than `ok`. */
  readonly result: Exclude<TrunkCheckResult, "unknown">;
  readonly checks: readonly TrunkCheck[];
  /** Final code of OPTIONS; null: no answer. */
  readonly options_code: number | null;
  readonly round_trip_ms: number | null;
  /** `host:port` on this machine, in our Contact, and as the far end sees it. */
  readonly local_address: string;
  readonly advertised_address: string;
  readonly seen_as: string | null;
  readonly codecs: readonly string[] | null;
}

export interface CreatedKey {
  readonly id: number;
  readonly label: string;
  readonly prefix: string;
  /** null: all. */
  readonly scopes: readonly KeyScope[] | null;
  readonly expires_at: string | null;
  readonly networks: readonly string[] | null;
  /** Shown once. */
  readonly secret: string;
  readonly created_at: string;
}

/** A payment by bank transfer. */
export interface CheckoutSummary {
  readonly id: string;
  readonly tenant_id: number;
  readonly kind: "topup" | "plan" | "crm_bridge" | "retention";
  /** The plan's slug, or the number of retention blocks. */
  readonly item: string | null;
  readonly amount_eur: number;
  readonly status: "open" | "paid" | "expired" | "cancelled";
  readonly created_at: string;
  readonly expires_at: string;
}

/** One step of a followed call. */
export type CallProgress =
  | { readonly type: "status"; readonly status: string; readonly ended_reason: string | null }
  | {
      readonly type: "turn";
      readonly speaker: "agent" | "customer";
      readonly text: string;
      readonly start_ms: number;
      readonly latency_ms: number | null;
    };

/** A log line, or a stored fact of a call in its place in time. Without personal data. */
export interface ShownLogLine {
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly layer: "log" | "call" | "sip" | "media" | "turn" | "tool" | "webhook" | "billing";
  readonly level: "info" | "warn" | "error";
  readonly text: string;
  readonly fields: Readonly<Record<string, string | number | boolean | null>>;
}

export interface OperatorPort {
  /** Oldest first, at most `limit`. Of a call also what is stored. Throws not_found (call). */
  readLogs(question: {
    readonly call: string | null;
    readonly level: "info" | "warn" | "error";
    readonly limit: number;
  }): Promise<readonly ShownLogLine[]>;
  readonly people: PeoplePort;
  /** A tenant's month, in pages (billing/statement.ts). */
  readonly statements: Statements;
  readonly tools: ToolPort;
  readonly contacts: ContactPort;
  createTenant(draft: {
    readonly name: string;
    readonly email: string;
    /** null: the first configured plan. */
    readonly plan: string | null;
  }): Promise<TenantSummary>;
  listTenants(): Promise<readonly TenantSummary[]>;
  /** From now on, without payment; the month that has begun keeps what it has. Throws valid_plan_required. */
  setPlan(tenantId: number, plan: string): Promise<TenantSummary>;
  setSuspended(tenantId: number, suspended: boolean): Promise<TenantSummary>;
  /** Changes what is given, answers all. Throws not_found. */
  setDialing(
    tenantId: number,
    changes: Partial<Omit<DialingSummary, "tenant_id">>,
  ): Promise<DialingSummary>;
  /** Throws not_found (tenant), plan_limit_reached, `valid_…_required`. */
  createKey(tenantId: number, label: string, limits: KeyLimits): Promise<CreatedKey>;
  /**
   * Seals every stored secret anew under this key (base64). Calls go on. `purposes`: replaces the root of
   * signed links, challenges and recovery codes too, which ends those made before.
   */
  rotateMasterKey(
    next: string,
    purposes: boolean,
  ): Promise<{ readonly sealed: number; readonly people_without_recovery_codes: number }>;
  setTrunk(draft: TrunkDraft): Promise<TrunkSummary>;
  listTrunks(): Promise<readonly TrunkSummary[]>;
  /** Some 18 s at most; `calls` false: without the test call to nobody. Needs the running server. */
  testTrunk(trunkId: number, options?: { readonly calls: boolean }): Promise<TrunkTest>;
  credit(tenantId: number, eur: number, note: string): Promise<{ readonly balance_eur: number }>;
  /** Online. `null`: into the backups directory. Throws conflict for a file that exists. */
  createBackup(to: string | null): Promise<BackupSummary>;
  /** What waits for a bank transfer, newest first. */
  listCheckouts(): Promise<readonly CheckoutSummary[]>;
  /** The money has arrived. Once; again it only answers. Throws not_found, conflict. */
  confirmCheckout(id: string): Promise<CheckoutSummary>;
  /** Everything a tenant has about a person's number; `dryRun` only counts. Throws conflict while one calls. */
  erasePerson(tenantId: number, number: string, dryRun: boolean): Promise<ErasureReport>;
  /** Asks for a call now with an agent, whose tenant it belongs to. Needs the running server. */
  placeCall(
    agentId: number,
    to: string,
  ): Promise<{ readonly tenant_id: number; readonly call_uuid: string }>;
  /** Ends when the call has ended or the signal aborts. Needs the running server. */
  followCall(tenantId: number, callUuid: string, signal: AbortSignal): AsyncIterable<CallProgress>;
}
