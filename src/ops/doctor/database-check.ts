/** Checks the database of a running server in a worker, because a large one takes long. */
import { existsSync } from "node:fs";
import { spawnDatabaseWorker } from "../../workers.ts";
import { runDatabaseJob } from "../backup/run-database-job.ts";
import { type Check, failed, ok, skipped } from "./check.ts";

export const databaseInWorker: Check = {
  name: "database",
  async run({ databasePath, clock }) {
    if (!existsSync(databasePath)) return skipped("There is no database file on this machine.");
    const job = { type: "integrity", database: databasePath } as const;
    const [damage] = await runDatabaseJob<"integrity">(spawnDatabaseWorker, job, clock);
    return damage === undefined
      ? ok("The file is intact. To check the ledger too: linevoice doctor")
      : failed(`It is damaged: ${damage}`, "Stop the server, then: linevoice restore FILE");
  },
};
