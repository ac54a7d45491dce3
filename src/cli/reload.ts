/**
 * SIGHUP: reads the configuration again. Keys that may change at run time take effect immediately;
 * the others are logged. An invalid file changes nothing.
 */

import { type Tuning, tuningOf } from "../app/settings.ts";
import { settingsFromConfig } from "../app/settings-from-config.ts";
import { describeError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import { ConfigInvalid } from "../ops/config/config-invalid.ts";
import { knownKeys } from "../ops/config/known-keys.ts";
import type { LoadedConfig } from "../ops/config/load.ts";
import { logConfigWarnings } from "../ops/config/open-secrets.ts";
import type { Config } from "../ops/config/schema.ts";
import { createLogger } from "../ops/logger.ts";

/** A certificate can be replaced at run time. Turning TLS on or off needs a restart. */
const CERTIFICATES: readonly string[] = [
  "server.tls_cert",
  "server.tls_key",
  "sip.tls_cert",
  "sip.tls_key",
];

/** Keys that take effect without a restart. */
const SAFE_KEYS: ReadonlySet<string> = new Set([
  "log.level",
  "log.format",
  "limits.requests_per_minute",
  "limits.concurrent_calls",
  "limits.daily_spend_eur",
  "limits.new_numbers_per_hour",
  "limits.new_countries_per_day",
  ...CERTIFICATES,
]);

interface Reload {
  /** The new configuration, for the next comparison. */
  readonly loaded: LoadedConfig;
  readonly applied: readonly string[];
  readonly needRestart: readonly string[];
}

interface ReloadOptions {
  /** Configuration at the start. */
  readonly started: LoadedConfig;
  /** Configuration of the last reload. */
  readonly before: LoadedConfig;
  readonly load: () => LoadedConfig;
  readonly retune: (tuning: Tuning) => void;
  readonly masterKey: Uint8Array;
  readonly version: string;
  readonly log: Log;
}

/** Returns null if the new configuration is invalid; nothing changes then. */
export function reloadConfig(options: ReloadOptions): Reload | null {
  const { started, before, load, masterKey, version, log } = options;
  try {
    const loaded = load();
    const { config, dataDir } = loaded;
    const settings = settingsFromConfig(config, { version, masterKey, dataDir });
    // The files of tls_cert and tls_key are read again even if their names are the same.
    options.retune(tuningOf(settings));
    const { level, format, personal_data: personalData } = config.log;
    createLogger({ level, format, personalData });
    const isSafe = (key: string) =>
      SAFE_KEYS.has(key) &&
      !(CERTIFICATES.includes(key) && isSet(key, started.config) !== isSet(key, config));
    const applied = changedKeys(before.config, config).filter(isSafe);
    const needRestart = changedKeys(started.config, config).filter((key) => !isSafe(key));
    log.info("config.reloaded", {
      applied: applied.join(" "),
      need_restart: needRestart.join(" "),
    });
    if (needRestart.length > 0) log.warn("config.restart_needed", { keys: needRestart.join(" ") });
    logConfigWarnings(loaded, log);
    return { loaded, applied, needRestart };
  } catch (error) {
    const problems =
      error instanceof ConfigInvalid ? error.problems.join(" ") : describeError(error);
    log.error("config.reload_refused", { problems });
    return null;
  }
}

const valueAt = (config: Config, path: readonly string[]): unknown =>
  path.reduce<unknown>((value, step) => (value as Record<string, unknown> | null)?.[step], config);

const isSet = (key: string, config: Config) => valueAt(config, key.split(".")) !== null;

function changedKeys(before: Config, after: Config): string[] {
  return knownKeys
    .filter(
      ({ path }) => JSON.stringify(valueAt(before, path)) !== JSON.stringify(valueAt(after, path)),
    )
    .map(({ name }) => name);
}
