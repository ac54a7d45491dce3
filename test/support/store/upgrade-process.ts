/**
 * Upgrades a data directory's database as a start does: first the copy, then the migrations. Kills
 * itself with SIGKILL at the given statement.
 */
import { Database } from "bun:sqlite";
import { join } from "node:path";
import { copyBeforeUpgrade } from "../../../src/ops/backup/before-upgrade.ts";
import { migrate } from "../../../src/store/migration/migrate.ts";
import { migrations } from "../../../src/store/migration/migrations.ts";

const [dataDir = "", killedAt = ""] = process.argv.slice(2);
const file = join(dataDir, "linevoice.db");
const die = () => process.kill(process.pid, "SIGKILL");
let statements = 0;

const run = Database.prototype.run;
Database.prototype.run = function counted(this: Database, ...args: Parameters<typeof run>) {
  if (++statements === Number(killedAt)) die();
  return run.apply(this, args);
} as typeof run;

copyBeforeUpgrade(dataDir, file);
migrate(new Database(file, { readwrite: true }), migrations, 1);
// All statements have run; the last change is only in the write-ahead log.
process.stdout.write("over");
die();
