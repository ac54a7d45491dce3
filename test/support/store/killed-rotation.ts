/**
 * Rotates the master key and replaces the purposes' root in a separate process, and kills itself
 * with SIGKILL before or after the commit. Arguments: database file, step. Keys as in the test.
 */

import { openVault, rotateMasterKey } from "../../../src/app/vault.ts";
import { systemClock } from "../../../src/core/clock.ts";
import type { Database } from "../../../src/core/database.ts";
import { systemRandom } from "../../../src/core/random.ts";
import { openDatabase } from "../../../src/store/sqlite/database.ts";

const [file = "", step = ""] = process.argv.slice(2);
const keyOf = (fill: number) => new Uint8Array(32).fill(fill);
const database = openDatabase(file, systemClock.now());
const killed: Database = {
  ...database,
  async tx(body) {
    const result = await database.tx(async (queries) => {
      const made = await body(queries);
      if (step === "before the commit") process.kill(process.pid, "SIGKILL");
      return made;
    });
    process.kill(process.pid, "SIGKILL");
    return result;
  },
};
const vault = await openVault(database, keyOf(1), systemRandom);
await rotateMasterKey(killed, vault, keyOf(2), keyOf(9));
