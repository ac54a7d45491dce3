/**
 * The services on a configuration file's data directory, as commands use them when no server runs.
 */
import { join } from "node:path";
import { withOfflineServices } from "../../../src/app/offline-services.ts";
import { settingsFromConfig } from "../../../src/app/settings-from-config.ts";
import { systemClock as clock } from "../../../src/core/clock.ts";
import { systemRandom as random } from "../../../src/core/random.ts";
import type { Services } from "../../../src/features/appliance/services.ts";
import { loadConfig } from "../../../src/ops/config/load.ts";
import { withMasterKey } from "../../../src/ops/config/master-key.ts";

export async function offlineServices<Result>(
  cwd: string,
  configFile: string,
  work: (services: Services) => Promise<Result>,
): Promise<Result> {
  const loaded = loadConfig({ path: join(cwd, configFile), env: {}, cwd });
  const { config, dataDir } = loaded;
  return await withMasterKey(loaded, random, (masterKey) => {
    const settings = settingsFromConfig(config, { version: "0.0.0-test", masterKey, dataDir });
    return withOfflineServices(settings, { clock, random, publicUrl: () => "" }, work);
  });
}
