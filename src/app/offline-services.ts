/** The services for an operator's command on a data directory without a running server. */

import type { Clock } from "../core/clock.ts";
import type { Database } from "../core/database.ts";
import { silentLog as log } from "../core/log.ts";
import type { Random } from "../core/random.ts";
import type { Services } from "../features/appliance/services.ts";
import { Billing } from "../features/billing/billing.ts";
import { billingStores } from "../features/billing/billing-stores.ts";
import { quotaStore } from "../features/billing/quota-store.ts";
import { createQuotas } from "../features/billing/quotas.ts";
import { campaignStore } from "../features/campaign/campaign-store.ts";
import { Campaigns } from "../features/campaign/campaigns.ts";
import type { Identity } from "../features/identity/identity.ts";
import { apiKeyStore } from "../features/key/api-key-store.ts";
import { ApiKeys } from "../features/key/api-keys.ts";
import { mailStore } from "../features/mail/mail-store.ts";
import { createBackups } from "../ops/backup/backups.ts";
import { copyBeforeUpgrade } from "../ops/backup/before-upgrade.ts";
import type { Vault } from "../platform/secrets/vault.ts";
import { createPeople } from "./identity-composition.ts";
import { createPayments } from "./payments.ts";
import { openRevocations } from "./revocations.ts";
import { createServices } from "./services.ts";
import type { AppSettings } from "./settings.ts";
import { type DataPaths, nodeIdOf, openStore, prepareDataDir, requireFile } from "./storage.ts";
import { openVault } from "./vault.ts";

interface OfflineDependencies {
  readonly clock: Clock;
  readonly random: Random;
  /** Base URL of one-time links. */
  readonly publicUrl: () => string;
}

interface OpenedData {
  readonly database: Database;
  readonly vault: Vault;
  readonly paths: DataPaths;
}

/**
 * Opens the data, runs `work` on its services, and closes it. The caller must hold the directory's
 * lock.
 */
export async function withOfflineServices<Result>(
  settings: AppSettings,
  deps: OfflineDependencies,
  work: (services: Services) => Promise<Result>,
): Promise<Result> {
  const { clock, random } = deps;
  const { dataDir, storage } = settings;
  const paths = prepareDataDir(dataDir);
  const { remote = null } = storage;
  if (!remote) copyBeforeUpgrade(dataDir, paths.database);
  const node = nodeIdOf(dataDir, random);
  const database = await openStore(paths.database, remote, { node, clock, random });
  const vault = await openVault(database, settings.masterKey, random);
  const revocations = await openRevocations({
    dataDir,
    paths,
    database,
    vault,
    clock,
    random,
    shared: storage.shared,
  });
  const opened = { database, vault, paths };
  const apiKeys = new ApiKeys({ database, records: apiKeyStore, clock, random, log });
  const identity = identityOf(settings, opened, deps);
  try {
    return await work(servicesOf(settings, opened, deps, { apiKeys, identity }));
  } finally {
    await identity.stop();
    await apiKeys.stop();
    revocations.close();
    await database.close();
  }
}

const identityOf = (
  { plans }: AppSettings,
  { database, vault }: OpenedData,
  { clock, random, publicUrl }: OfflineDependencies,
): Identity =>
  createPeople({
    database,
    vault,
    plans,
    clock,
    random,
    log,
    publicUrl,
    // The server sends queued mail when it starts.
    mails: {
      enqueue: (queries, tenantId, mail) => mailStore(queries).enqueue(tenantId, mail, clock.now()),
      wake: () => undefined,
    },
  });

function servicesOf(
  settings: AppSettings,
  { database, vault, paths }: OpenedData,
  { clock, random }: OfflineDependencies,
  people: { readonly apiKeys: ApiKeys; readonly identity: Identity },
): Services {
  const { dataDir, plans, storage } = settings;
  const billing = new Billing({ database, stores: billingStores, plans, clock, random });
  const payments = createPayments(settings, { database, clock, random, log, publicUrl: () => "" });
  return createServices(settings, {
    ...people,
    database,
    vault,
    billing,
    paths,
    clock,
    random,
    checkouts: payments.checkouts,
    // The server's runner finds a campaign started here within 15 s. Only the server knows
    // the call limits.
    campaigns: new Campaigns({
      database,
      records: campaignStore,
      clock,
      quotas: createQuotas(billing, quotaStore),
      standstill: async () => null,
      refusals: async () => () => null,
      wake: () => undefined,
    }),
    backups: createBackups({
      dataDir,
      databasePath: paths.database,
      clock,
      requireFile: () => requireFile(storage.remote?.url ?? null, "A backup"),
    }),
    running: null,
  });
}
