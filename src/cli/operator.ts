/** The two ways of an operator's command: through the running server, or directly on the data. */

import { apiKeyStore } from "../adapter/store/api-key-store.ts";
import { billingStores } from "../adapter/store/billing-stores.ts";
import { mailStore } from "../adapter/store/mail-store.ts";
import { createOperator } from "../app/operator.ts";
import { createPayments } from "../app/payments.ts";
import { createPeople, reachable } from "../app/people.ts";
import { openRevocations } from "../app/revocations.ts";
import type { AppSettings } from "../app/settings.ts";
import { settingsFromConfig } from "../app/settings-from-config.ts";
import { nodeIdOf, openStore, prepareDataDir, requireFile } from "../app/storage.ts";
import { openVault } from "../app/vault.ts";
import { systemClock as clock, sleep } from "../core/clock.ts";
import { AppError } from "../core/errors.ts";
import { silentLog as log } from "../core/log.ts";
import { systemRandom as random } from "../core/random.ts";
import { createBilling } from "../domain/billing/billing.ts";
import { createApiKeys } from "../domain/tenant/api-keys.ts";
import { createControlClient, NoServer } from "../interface/control/client.ts";
import {
  type InputOf,
  type OperationName,
  type OutputOf,
  runOperation,
} from "../interface/control/operations.ts";
import { createBackups } from "../operations/backup/backups.ts";
import { copyBeforeUpgrade } from "../operations/backup/before-upgrade.ts";
import { type LoadedConfig, loadConfig } from "../operations/config/load.ts";
import { masterKeyOf } from "../operations/config/master-key.ts";
import {
  DATA_DIR_WAIT_MS,
  DataDirBusy,
  type DataDirLock,
  lockDataDir,
} from "../operations/ops/data-dir-lock.ts";
import { becomeOwnerOf } from "../operations/ops/data-owner.ts";
import { createUrlCheck } from "../platform/net/tenant-url.ts";
import type { Terminal } from "./usage.ts";
import { version } from "./version.ts";

/** Root stays root: for commands that touch files of the caller's (see callers-file.ts). */
export const invokerConfig = (path: string | undefined, terminal: Terminal): LoadedConfig =>
  loadConfig({ path, env: terminal.env, cwd: terminal.cwd });

/** From here on root acts as the data's owner. */
export function configFor(path: string | undefined, terminal: Terminal): LoadedConfig {
  const loaded = invokerConfig(path, terminal);
  becomeOwnerOf(loaded.dataDir);
  return loaded;
}

/** Throws conflict, with what to do instead, where the database is on a server. */
export function requireDatabaseFile({ storage }: LoadedConfig["config"], what: string): void {
  requireFile(storage.database === "file" ? null : storage.database, what);
}

const POLL_EVERY_MS = 50;

/**
 * Through the running server; where none runs, on the data itself. While a server is starting or another
 * command is at work, it waits, 10 s at most. Throws AppError, ConfigInvalid, DataDirBusy.
 */
export async function operate<Name extends OperationName>(
  loaded: LoadedConfig,
  name: Name,
  input: InputOf<Name>,
): Promise<OutputOf<Name>> {
  const until = clock.monotonic() + DATA_DIR_WAIT_MS;
  for (;;) {
    try {
      return await createControlClient(controlSocketOf(loaded)).ask(name, input);
    } catch (error) {
      if (!(error instanceof NoServer)) throw error;
    }
    try {
      return await directly(loaded, name, input, lockDataDir(loaded.dataDir, "command"));
    } catch (error) {
      if (!(error instanceof DataDirBusy) || clock.monotonic() >= until) throw error;
    }
    await sleep(clock, POLL_EVERY_MS);
  }
}

export const controlSocketOf = ({ dataDir }: LoadedConfig) => `${dataDir}/control.sock`;

async function directly<Name extends OperationName>(
  loaded: LoadedConfig,
  name: Name,
  input: InputOf<Name>,
  lock: DataDirLock,
): Promise<OutputOf<Name>> {
  try {
    if (name === "call.place" || name === "trunk.test") throw noServer();
    const paths = prepareDataDir(loaded.dataDir);
    const masterKey = masterKeyOf(loaded, random);
    const settings = settingsFromConfig(loaded.config, {
      version,
      masterKey,
      dataDir: loaded.dataDir,
    });
    const { remote = null } = settings.storage;
    if (!remote) copyBeforeUpgrade(loaded.dataDir, paths.database);
    const node = nodeIdOf(loaded.dataDir, random);
    const database = await openStore(paths.database, remote, { node, clock, random });
    const payments = createPayments(settings, {
      database,
      publicUrl: () => "",
      clock,
      random,
      log,
    });
    const apiKeys = createApiKeys({ database, records: apiKeyStore, clock, random, log });
    const vault = await openVault(database, masterKey, random);
    const revocations = await openRevocations({
      ...{ dataDir: loaded.dataDir, paths, database, vault, clock, random },
      shared: settings.storage.shared,
    });
    const identity = createPeople({
      ...{ database, vault, plans: settings.plans, clock, random, log },
      // The server sends what is queued when it starts.
      mails: {
        enqueue: (queries, tenantId, mail) =>
          mailStore(queries).enqueue(tenantId, mail, clock.now()),
        wake: () => undefined,
      },
      publicUrl: () => settings.http.publicUrl ?? reachable(listenUrl(settings.http)),
    });
    try {
      const operator = createOperator({
        database,
        identity,
        vault,
        billing: createBilling({
          database,
          stores: billingStores,
          plans: settings.plans,
          clock,
          random,
        }),
        checkouts: payments.checkouts,
        apiKeys,
        paths,
        backups: createBackups({
          dataDir: loaded.dataDir,
          databasePath: paths.database,
          clock,
          requireFile: () => requireFile(remote?.url ?? null, "A backup"),
        }),
        urlProblem: createUrlCheck(settings.httpClient.allowNetworks),
        clock,
        random,
        running: null,
      });
      return (await runOperation(operator, name, input)) as OutputOf<Name>;
    } finally {
      await identity.stop();
      await apiKeys.stop();
      revocations.close();
      await database.close();
    }
  } finally {
    lock.release();
  }
}

const listenUrl = ({ listen, tls }: AppSettings["http"]) =>
  `${tls ? "https" : "http"}://${listen.host.includes(":") ? `[${listen.host}]` : listen.host}:${listen.port}`;

export const noServer = () =>
  new AppError({
    code: "unavailable",
    publicMessage:
      "No linevoice server runs on this data directory. Start one with `linevoice serve`.",
  });
