/**
 * Databases of released versions, filled by those programs (test/support/store/filled-database.ts).
 */
import { Database } from "bun:sqlite";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const DIRECTORY = join(import.meta.dir, "../../fixtures/databases");

export const FILLED_VERSIONS = readdirSync(DIRECTORY).map((name) => name.replace(/\.sql$/, ""));

const textOf = (version: string) => readFileSync(join(DIRECTORY, `${version}.sql`), "utf8");

/** The master key of its secrets. */
export function masterKeyOf(version: string): Uint8Array {
  const [, key = ""] = /^-- master key: (\S+)$/m.exec(textOf(version)) ?? [];
  return new Uint8Array(Buffer.from(key, "base64"));
}

/** `path`: a new file, or `:memory:`. The caller closes the database. */
export function filledBy(version: string, path: string): Database {
  const db = new Database(path, { create: true, readwrite: true });
  db.run("PRAGMA foreign_keys = OFF");
  db.run("PRAGMA journal_mode = WAL");
  db.transaction(() => db.exec(textOf(version)))();
  db.run("PRAGMA foreign_keys = ON");
  return db;
}
