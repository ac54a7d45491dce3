/** Runs an operator's command through the running server, or directly on the data. */

import { reachable } from "../app/identity-composition.ts";
import { withOfflineServices } from "../app/offline-services.ts";
import type { AppSettings } from "../app/settings.ts";
import { settingsFromConfig } from "../app/settings-from-config.ts";
import { requireFile } from "../app/storage.ts";
import { systemClock as clock, sleep } from "../core/clock.ts";
import { AppError } from "../core/errors.ts";
import { systemRandom as random } from "../core/random.ts";
import { askServices, COMMAND_LINE } from "../http/contracts/ask.ts";
import type { InputOf, OperationName, OutputOf } from "../http/contracts/operations.ts";
import { type LoadedConfig, loadConfig } from "../ops/config/load.ts";
import { withMasterKey } from "../ops/config/master-key.ts";
import {
  DATA_DIR_WAIT_MS,
  DataDirBusy,
  type DataDirLock,
  lockDataDir,
} from "../ops/data-dir-lock.ts";
import { dropPrivilegesToOwnerOf } from "../ops/drop-privileges.ts";
import { hostPortText } from "../platform/config/formats.ts";
import type { Terminal } from "./usage.ts";
import { version } from "./version.ts";

/** Does not drop root: for commands that use files of the invoking user (invoker-file.ts). */
export const invokerConfig = (path: string | undefined, terminal: Terminal): LoadedConfig =>
  loadConfig({ path, env: terminal.env, cwd: terminal.cwd });

/** Loads the configuration. If root runs the command, it continues as the data's owner. */
export function configFor(path: string | undefined, terminal: Terminal): LoadedConfig {
  const loaded = invokerConfig(path, terminal);
  dropPrivilegesToOwnerOf(loaded.dataDir);
  return loaded;
}

/** Throws conflict with a remedy if the database is on a server. */
export function requireDatabaseFile({ storage }: LoadedConfig["config"], what: string): void {
  requireFile(storage.database === "file" ? null : storage.database, what);
}

const POLL_EVERY_MS = 50;

/**
 * Asks the running server, or opens the data directly if none runs. Waits up to 10 s while a server
 * starts or another command works. Throws AppError, ConfigInvalid, DataDirBusy.
 */
export async function operate<Name extends OperationName>(
  loaded: LoadedConfig,
  name: Name,
  input: InputOf<Name>,
): Promise<OutputOf<Name>> {
  const { createControlClient, NoServer } = await import("../control/client.ts");
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
    const { needsServer } = await import("../http/contracts/operations.ts");
    if (needsServer(name)) throw noServer();
    const { config, dataDir } = loaded;
    return await withMasterKey(loaded, random, (masterKey) => {
      const settings = settingsFromConfig(config, { version, masterKey, dataDir });
      const publicUrl = () => settings.http.publicUrl ?? reachable(listenUrl(settings.http));
      return withOfflineServices(settings, { clock, random, publicUrl }, (services) =>
        askServices(services, COMMAND_LINE)(name, input),
      );
    });
  } finally {
    lock.release();
  }
}

const listenUrl = ({ listen, tls }: AppSettings["http"]) =>
  `${tls ? "https" : "http"}://${hostPortText(listen)}`;

export const noServer = () =>
  new AppError({
    code: "unavailable",
    publicMessage:
      "No linevoice server is running with this data directory. Start one with `linevoice serve`.",
  });
