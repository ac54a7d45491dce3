/** The services of operations/admin, connected to a running appliance or to the bare store. */

import type { EngineSettings } from "../adapter/engine/settings.ts";
import { agentStore } from "../adapter/store/agent/agent-store.ts";
import { toolStore } from "../adapter/store/agent/tool-store.ts";
import { quotaStore } from "../adapter/store/billing/quota-store.ts";
import { statementStore } from "../adapter/store/billing/statement-store.ts";
import { contactSearch } from "../adapter/store/contact/contact-search.ts";
import { contactStore } from "../adapter/store/contact/contact-store.ts";
import { fileStore } from "../adapter/store/knowledge/file-store.ts";
import { siteStore } from "../adapter/store/knowledge/site-store.ts";
import { unansweredStore } from "../adapter/store/knowledge/unanswered-store.ts";
import { numberClaimStore } from "../adapter/store/tenant/number-claim-store.ts";
import { numberStore } from "../adapter/store/tenant/number-store.ts";
import { tenantSettingsStore } from "../adapter/store/tenant/tenant-settings-store.ts";
import type { Clock } from "../core/clock.ts";
import type { Database } from "../core/database.ts";
import type { E164 } from "../core/e164.ts";
import type { Random } from "../core/random.ts";
import { createAgents } from "../domain/agent/agents.ts";
import type { Billing } from "../domain/billing/billing.ts";
import type { Checkouts } from "../domain/billing/checkout.ts";
import { createQuotas, type Quotas } from "../domain/billing/quotas.ts";
import { Statements } from "../domain/billing/statement.ts";
import type { CallService } from "../domain/call/ports.ts";
import type { Campaigns } from "../domain/campaign/campaigns.ts";
import { ContactBook } from "../domain/contact/contact-book.ts";
import type { Identity } from "../domain/identity/identity.ts";
import type { DocumentReader } from "../domain/knowledge/documents.ts";
import { Files } from "../domain/knowledge/files.ts";
import { DocumentImports } from "../domain/knowledge/imports.ts";
import type { KnowledgeIndex } from "../domain/knowledge/knowledge-index.ts";
import { Sites } from "../domain/knowledge/sites.ts";
import { UnansweredQuestions } from "../domain/knowledge/unanswered.ts";
import { confirmNumber } from "../domain/number/claims.ts";
import { Numbers } from "../domain/number/numbers.ts";
import type { RunRecords } from "../domain/rehearsal/rehearsals.ts";
import { type ScenarioReader, scenarioReaderHere } from "../domain/rehearsal/scenario-reader.ts";
import type { ApiKeys } from "../domain/tenant/api-keys.ts";
import { createTenantSettings } from "../domain/tenant/tenant-settings.ts";
import { Tools } from "../domain/tool/tools.ts";
import { createAgentScenarios } from "../operations/admin/agent-scenarios.ts";
import { createAgentSplits } from "../operations/admin/agent-splits.ts";
import { createAgentVersions } from "../operations/admin/agent-versions.ts";
import { createCallAnnotations } from "../operations/admin/call-annotations.ts";
import { createCallRecords } from "../operations/admin/call-records.ts";
import { createCallSearch } from "../operations/admin/call-search.ts";
import { createOperatorCalls } from "../operations/admin/calls.ts";
import { createFeatureSettings } from "../operations/admin/feature-settings.ts";
import { readLogs } from "../operations/admin/log-reader.ts";
import { createQueuedMails } from "../operations/admin/mail-queue.ts";
import { createMemories } from "../operations/admin/memories.ts";
import { createNodes, type RunningNodes } from "../operations/admin/nodes.ts";
import { createReports } from "../operations/admin/reports.ts";
import { serverNeeded } from "../operations/admin/server-needed.ts";
import type { Services } from "../operations/admin/services.ts";
import { createTenantAdmin } from "../operations/admin/tenants.ts";
import { createTrunks, type RunningTrunks } from "../operations/admin/trunks.ts";
import type { TurnFeed } from "../operations/admin/turn-feed.ts";
import { createWebhooks } from "../operations/admin/webhooks.ts";
import type { Backups } from "../operations/backup/backups.ts";
import type { EngineTrial } from "../operations/doctor/engine-trial.ts";
import type { ClockWatch } from "../operations/ops/clock-watch.ts";
import type { LogRing } from "../operations/ops/log-ring.ts";
import { erasePerson } from "../operations/privacy/erase-person.ts";
import { createUrlCheck, requireUrl, type UrlProblem } from "../platform/net/tenant-url.ts";
import { MASTER_KEY_BYTES, type Vault } from "../platform/secrets/vault.ts";
import { doNotCallListOf } from "./caller-services.ts";
import { rehearsalRuns } from "./rehearsal-runs.ts";
import type { AppSettings } from "./settings.ts";
import type { DataPaths } from "./storage.ts";
import { rotateMasterKey } from "./vault.ts";

/** Parts of a running server. */
interface RunningParts {
  readonly logs: LogRing;
  readonly calls: Pick<CallService, "request">;
  readonly turns: TurnFeed;
  readonly clockWatch: Pick<ClockWatch, "confirm">;
  readonly trunks: RunningTrunks;
  readonly nodes: RunningNodes;
}

interface ServiceParts {
  readonly database: Database;
  readonly identity: Identity;
  readonly vault: Vault;
  readonly billing: Billing;
  readonly apiKeys: ApiKeys;
  readonly checkouts: Checkouts;
  readonly campaigns: Campaigns;
  readonly backups: Backups;
  readonly paths: Pick<DataPaths, "recordings" | "outbox">;
  /** Missing if no server runs on this data directory. */
  readonly knowledgeIndex?: KnowledgeIndex;
  /** Missing if no server runs on this data directory. */
  readonly documentReader?: DocumentReader;
  readonly scenarioReader?: ScenarioReader;
  readonly clock: Clock;
  readonly random: Random;
  /** null if no server runs on this data directory. */
  readonly running: RunningParts | null;
}

type ServiceSettings = Readonly<
  Record<"httpClient" | "sip", { readonly allowNetworks: readonly string[] }>
> & { readonly callWorker: Pick<AppSettings["callWorker"], "engine"> } & Pick<
    AppSettings,
    "dataDir" | "trialMinutesPerDay"
  >;

export function createServices(
  { httpClient, sip, callWorker, dataDir, trialMinutesPerDay }: ServiceSettings,
  parts: ServiceParts,
): Services {
  const { database, identity, vault, billing, apiKeys, checkouts, clock, running } = parts;
  const quotas = createQuotas(billing, quotaStore);
  const rehearsals = rehearsalRuns(dataDir);
  const doNotCallList = doNotCallListOf(vault, database);
  const urlProblem = createUrlCheck(httpClient.allowNetworks);
  return {
    identity,
    apiKeys,
    checkouts,
    campaigns: parts.campaigns,
    backups: parts.backups,
    tenants: createTenantAdmin(parts),
    tenantSettings: createTenantSettings({ database, records: tenantSettingsStore }),
    trunks: createTrunks({
      database,
      vault,
      clock,
      allowNetworks: sip.allowNetworks,
      running: running?.trunks ?? null,
    }),
    ...resourceServices(parts, { quotas, urlProblem, rehearsals, doNotCallList }),
    reports: createReports({ database, billing, trialMinutesPerDay, clock }),
    statements: new Statements(database, statementStore),
    calls: createOperatorCalls({ database, clock, running }),
    nodes: createNodes({ database, clock, running: running?.nodes ?? null }),

    readLogs(question) {
      // Only log lines of calls are stored. All other lines are in the running server's memory.
      if (question.call === null && !running) throw serverNeeded();
      return readLogs(database, running?.logs ?? null, question);
    },

    confirmClock() {
      if (!running) throw serverNeeded();
      running.clockWatch.confirm();
      return clock.now();
    },

    tryEngine: engineTrialOnDemand(callWorker.engine, clock),

    erasePerson(tenantId, number, dryRun) {
      const { recordings: recordingsDir, outbox: outboxDir } = parts.paths;
      const files = { recordingsDir, outboxDir, eraseRehearsals: rehearsals.erase };
      const options = { database, clock, doNotCallList, ...files };
      return erasePerson(options, tenantId, number, dryRun);
    },

    rotateMasterKey(next, purposes) {
      const root = purposes ? parts.random.bytes(MASTER_KEY_BYTES) : null;
      return rotateMasterKey(database, vault, next, root);
    },
  };
}

interface SharedParts {
  readonly quotas: Quotas;
  readonly urlProblem: UrlProblem;
  readonly rehearsals: Pick<RunRecords, "list">;
  readonly doNotCallList: ReturnType<typeof doNotCallListOf>;
}

function resourceServices(
  { database, vault, billing, knowledgeIndex: index, clock, random, ...parts }: ServiceParts,
  { quotas, urlProblem, rehearsals, doNotCallList }: SharedParts,
) {
  const search = contactSearch(database.read);
  const { scenarioReader = scenarioReaderHere } = parts;
  const files = new Files({ database, records: fileStore, billing, quotas, clock, index });
  const agentVersions = createAgentVersions({
    database,
    billing,
    quotas,
    vault,
    urlProblem,
    rehearsals,
    clock,
    random,
  });
  return {
    files,
    documentImports: new DocumentImports(files, parts.documentReader ?? null),
    sites: new Sites({
      database,
      records: siteStore,
      files,
      clock,
      requireUrl: (url) => requireUrl(urlProblem, "url", url),
    }),
    unanswered: new UnansweredQuestions({ database, records: unansweredStore, files }),
    agents: createAgents({ database, records: agentStore, plans: billing, clock, urlProblem }),
    agentVersions,
    tools: new Tools({ database, records: toolStore, vault, quotas, clock, urlProblem }),
    contacts: new ContactBook({
      database,
      records: contactStore,
      search,
      doNotCallList,
      quotas,
      clock,
    }),
    callSearch: createCallSearch(database, search),
    agentScenarios: createAgentScenarios({ database, clock, scenarioReader }),
    agentSplits: createAgentSplits({ database, clock, versions: agentVersions }),
    numbers: new Numbers({ database, records: numberStore, billing, clock }),
    confirmNumber: (tenantId: number, numberE164: E164) =>
      confirmNumber({ database, records: numberClaimStore, clock }, tenantId, numberE164),
    callRecords: createCallRecords(database),
    callAnnotations: createCallAnnotations({ database, clock }),
    featureSettings: createFeatureSettings({ database, vault, urlProblem, clock }),
    webhooks: createWebhooks({ database, plans: billing, vault, clock, random, urlProblem }),
    memories: createMemories(database),
    queuedMails: createQueuedMails({ database, clock }),
  };
}

/**
 * Loaded on first use, because it imports code that otherwise only the workers need. One shared
 * instance, because only one trial runs at a time.
 */
function engineTrialOnDemand(engine: EngineSettings, clock: Clock): EngineTrial {
  let trial: EngineTrial | undefined;
  return async (request) => {
    const { createEngineTrial } = await import("../operations/doctor/engine-trial.ts");
    trial ??= createEngineTrial(engine, clock);
    return await trial(request);
  };
}
