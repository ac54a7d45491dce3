/** The services of features/appliance, connected to a running appliance or to the bare store. */

import type { CallService } from "../call/ports.ts";
import type { Clock } from "../core/clock.ts";
import type { Database } from "../core/database.ts";
import type { E164 } from "../core/e164.ts";
import type { Random } from "../core/random.ts";
import type { EngineSettings } from "../engine/settings.ts";
import { createAgentScenarios } from "../features/agent/agent-scenarios.ts";
import { createAgentSplits } from "../features/agent/agent-splits.ts";
import { agentStore } from "../features/agent/agent-store.ts";
import { createAgentVersions } from "../features/agent/agent-versions.ts";
import { createAgents } from "../features/agent/agents.ts";
import { readLogs } from "../features/appliance/log-reader.ts";
import { createNodes, type RunningNodes } from "../features/appliance/nodes.ts";
import { serverNeeded } from "../features/appliance/server-needed.ts";
import type { Services } from "../features/appliance/services.ts";
import type { Billing } from "../features/billing/billing.ts";
import type { Checkouts } from "../features/billing/checkout.ts";
import { quotaStore } from "../features/billing/quota-store.ts";
import { createQuotas, type Quotas } from "../features/billing/quotas.ts";
import { Statements } from "../features/billing/statement.ts";
import { statementStore } from "../features/billing/statement-store.ts";
import { createCallAnnotations } from "../features/call-log/call-annotations.ts";
import { createCallRecords } from "../features/call-log/call-records.ts";
import { createCallSearch } from "../features/call-log/call-search.ts";
import { createOperatorCalls } from "../features/call-log/calls.ts";
import { createReports } from "../features/call-log/reports.ts";
import type { TurnEvents } from "../features/call-log/turn-events.ts";
import type { Campaigns } from "../features/campaign/campaigns.ts";
import { contactSearch } from "../features/contact/contact-search-store.ts";
import { contactStore } from "../features/contact/contact-store.ts";
import { ContactBook } from "../features/contact/contacts-csv.ts";
import { createMemories } from "../features/contact/memories.ts";
import type { Identity } from "../features/identity/identity.ts";
import type { ApiKeys } from "../features/key/api-keys.ts";
import type { DocumentReader } from "../features/knowledge/documents.ts";
import { fileStore } from "../features/knowledge/file-store.ts";
import { Files } from "../features/knowledge/files.ts";
import { DocumentImports } from "../features/knowledge/imports.ts";
import type { KnowledgeIndex } from "../features/knowledge/knowledge-index.ts";
import { siteStore } from "../features/knowledge/site-store.ts";
import { Sites } from "../features/knowledge/sites.ts";
import { UnansweredQuestions } from "../features/knowledge/unanswered.ts";
import { unansweredStore } from "../features/knowledge/unanswered-store.ts";
import { createQueuedMails } from "../features/mail/operator-queue.ts";
import { confirmNumber } from "../features/number/claims.ts";
import { numberStore } from "../features/number/number-store.ts";
import { Numbers } from "../features/number/numbers.ts";
import { erasePerson } from "../features/privacy/erase-person.ts";
import type { RunRecords } from "../features/rehearsal/rehearsals.ts";
import { type ScenarioReader, scenarioReaderHere } from "../features/rehearsal/scenario-reader.ts";
import { createFeatureSettings } from "../features/tenant/feature-settings.ts";
import { numberClaimStore } from "../features/tenant/number-claim-store.ts";
import { createTenantSettings } from "../features/tenant/tenant-settings.ts";
import { tenantSettingsStore } from "../features/tenant/tenant-settings-store.ts";
import { createTenantAdmin } from "../features/tenant/tenants.ts";
import { toolStore } from "../features/tool/tool-store.ts";
import { Tools } from "../features/tool/tools.ts";
import { createTrunks, type RunningTrunks } from "../features/trunk/trunks.ts";
import { createWebhooks } from "../features/webhook/webhook-states.ts";
import type { Backups } from "../ops/backup/backups.ts";
import type { ClockSanity } from "../ops/clock-sanity.ts";
import type { EngineTrial } from "../ops/doctor/engine-trial.ts";
import type { LogRing } from "../ops/log-ring.ts";
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
  readonly turns: TurnEvents;
  readonly clockWatch: Pick<ClockSanity, "confirm">;
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
    const { createEngineTrial } = await import("../ops/doctor/engine-trial.ts");
    trial ??= createEngineTrial(engine, clock);
    return await trial(request);
  };
}
