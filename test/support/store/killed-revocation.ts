/**
 * Revokes an API key in a separate process and kills itself with SIGKILL: either before the journal
 * is written, or after it is on disk and before the database commits. Arguments: data directory,
 * key's id, step.
 */
import { join } from "node:path";
import { openRevocations } from "../../../src/app/revocations.ts";
import { systemClock as clock } from "../../../src/core/clock.ts";
import { silentLog as log } from "../../../src/core/log.ts";
import { systemRandom as random } from "../../../src/core/random.ts";
import { apiKeyStore } from "../../../src/features/key/api-key-store.ts";
import { ApiKeys } from "../../../src/features/key/api-keys.ts";
import { createVault } from "../../../src/platform/secrets/vault.ts";
import { openDatabase } from "../../../src/store/sqlite/database.ts";

const [dataDir = "", keyId = "", step = ""] = process.argv.slice(2);
const database = openDatabase(join(dataDir, "linevoice.db"), clock.now());
const vault = createVault(new Uint8Array(32).fill(7));
await openRevocations({
  dataDir,
  database,
  vault,
  clock,
  random,
  shared: false,
  paths: { recordings: dataDir, outbox: dataDir },
});
const { note } = database.revocations;
const apiKeys = new ApiKeys({
  records: apiKeyStore,
  clock,
  random,
  log,
  database: {
    ...database,
    revocations: {
      async note(queries, revocations) {
        if (step === "before the journal") process.kill(process.pid, "SIGKILL");
        await note(queries, revocations);
        process.kill(process.pid, "SIGKILL");
      },
    },
  },
});
await apiKeys.revoke(1, Number(keyId));
