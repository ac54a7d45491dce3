/**
 * Migrates a database file with one migration more than the product has. Reports when it starts.
 */
import { Database as Sqlite } from "bun:sqlite";
import { migrate } from "../../../src/store/migration/migrate.ts";
import { migrations } from "../../../src/store/migration/migrations.ts";

const [file = "", extra = ""] = process.argv.slice(2);
const sqlite = new Sqlite(file, { readwrite: true });
sqlite.run("PRAGMA journal_mode = WAL");
process.stdout.write("begins\n");
await Bun.sleep(0);
migrate(sqlite, [...migrations, JSON.parse(extra)], 2);
