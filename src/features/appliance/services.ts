/**
 * Services shared by command line, dashboard and REST, called through http/contracts. A command without
 * a running server gets the same services on the opened store. Functions that need a server then throw
 * `unavailable`.
 */
import type { E164 } from "../../core/e164.ts";
import type { Backups } from "../../ops/backup/backups.ts";
import type { EngineTrial } from "../../ops/doctor/engine-trial.ts";
import type { AgentScenarios } from "../agent/agent-scenarios.ts";
import type { AgentSplits } from "../agent/agent-splits.ts";
import type { AgentVersions } from "../agent/agent-versions.ts";
import type { createAgents } from "../agent/agents.ts";
import type { Checkouts } from "../billing/checkout.ts";
import type { Statements } from "../billing/statement.ts";
import type { CallAnnotations } from "../call-log/call-annotations.ts";
import type { CallRecords } from "../call-log/call-records.ts";
import type { CallSearch } from "../call-log/call-search.ts";
import type { OperatorCalls } from "../call-log/calls.ts";
import type { Reports } from "../call-log/reports.ts";
import type { Campaigns } from "../campaign/campaigns.ts";
import type { ContactBook } from "../contact/contacts-csv.ts";
import type { Memories } from "../contact/memories.ts";
import type { Identity } from "../identity/identity.ts";
import type { ApiKeys } from "../key/api-keys.ts";
import type { Files } from "../knowledge/files.ts";
import type { DocumentImports } from "../knowledge/imports.ts";
import type { Sites } from "../knowledge/sites.ts";
import type { UnansweredQuestions } from "../knowledge/unanswered.ts";
import type { QueuedMails } from "../mail/operator-queue.ts";
import type { Numbers } from "../number/numbers.ts";
import type { ErasureReport } from "../privacy/erase-person.ts";
import type { FeatureSettings } from "../tenant/feature-settings.ts";
import type { createTenantSettings } from "../tenant/tenant-settings.ts";
import type { TenantAdmin } from "../tenant/tenants.ts";
import type { Tools } from "../tool/tools.ts";
import type { Trunks } from "../trunk/trunks.ts";
import type { Webhooks } from "../webhook/webhook-states.ts";
import type { LogEntry, LogQuestion } from "./log-reader.ts";
import type { Nodes } from "./nodes.ts";

export interface Services {
  readonly tenants: TenantAdmin;
  readonly tenantSettings: ReturnType<typeof createTenantSettings>;
  readonly apiKeys: ApiKeys;
  readonly identity: Identity;
  readonly trunks: Trunks;
  readonly tools: Tools;
  readonly contacts: ContactBook;
  readonly campaigns: Campaigns;
  readonly checkouts: Checkouts;
  readonly statements: Statements;
  readonly backups: Backups;
  readonly nodes: Nodes;
  readonly calls: OperatorCalls;
  readonly agents: ReturnType<typeof createAgents>;
  readonly agentVersions: AgentVersions;
  readonly agentScenarios: AgentScenarios;
  readonly agentSplits: AgentSplits;
  readonly files: Files;
  readonly documentImports: DocumentImports;
  readonly sites: Sites;
  readonly unanswered: UnansweredQuestions;
  readonly numbers: Numbers;
  /** The operator confirms a tenant's claim to a number. */
  confirmNumber(tenantId: number, numberE164: E164): Promise<void>;
  readonly callRecords: CallRecords;
  readonly callSearch: CallSearch;
  readonly callAnnotations: CallAnnotations;
  readonly reports: Reports;
  readonly featureSettings: FeatureSettings;
  readonly memories: Memories;
  readonly webhooks: Webhooks;
  readonly queuedMails: QueuedMails;
  /** Oldest first, at most `limit`. For one call, stored events are included. Throws not_found (call). */
  readLogs(question: LogQuestion): Promise<readonly LogEntry[]>;
  /** The operator confirms the wall clock. Returns its time in epoch milliseconds. */
  confirmClock(): number;
  /** One request to each part of the engine. Throws conflict while another trial runs. */
  readonly tryEngine: EngineTrial;
  /**
   * Erases all data of a tenant about a person's number; `dryRun` only counts. Throws conflict during a call
   * with that number.
   */
  erasePerson(tenantId: number, number: string, dryRun: boolean): Promise<ErasureReport>;
  /**
   * Re-encrypts every stored secret with this key. Calls continue. `purposes`: also replaces the root of
   * signed links, challenges and recovery codes, which invalidates older ones.
   */
  rotateMasterKey(
    next: Uint8Array,
    purposes: boolean,
  ): Promise<{ readonly sealed: number; readonly endedCodesOf: number }>;
}
