/** The copy before an upgrade, on real files. */
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { copyBeforeUpgrade } from "../../../src/ops/backup/before-upgrade.ts";
import { MigrationRejected, migrate } from "../../../src/store/migration/migrate.ts";
import { tempDir } from "../../support/temp-dir.ts";

const FIRST = { tag: "0000_first", createdAt: 1, sql: "CREATE TABLE p (id INTEGER PRIMARY KEY)" };
const SECOND = { tag: "0001_second", createdAt: 2, sql: "ALTER TABLE p ADD COLUMN a TEXT" };

/** A data directory whose database has the first migration and one row. */
function old() {
  const dataDir = tempDir();
  const path = join(dataDir, "linevoice.db");
  const db = new Database(path, { create: true });
  db.run("PRAGMA journal_mode = WAL");
  migrate(db, [FIRST], 0);
  db.run("INSERT INTO p VALUES (7)");
  db.close();
  return { dataDir, path };
}

const rowsOf = (path: string, sql: string) => {
  const db = new Database(path, { readonly: true });
  try {
    return db.query(sql).all();
  } finally {
    db.close();
  }
};

test("the old database is copied completely, privately, before missing migrations are applied", () => {
  const { dataDir, path } = old();
  const copy = copyBeforeUpgrade(dataDir, path, [FIRST, SECOND]);
  expect(copy).toBe(join(dataDir, "backups/before-0001_second.db"));
  expect(statSync(copy ?? "").mode & 0o777).toBe(0o600);
  const db = new Database(path);
  expect(migrate(db, [FIRST, SECOND], 0)).toEqual(["0001_second"]);
  db.close();
  expect(rowsOf(copy ?? "", "SELECT * FROM p")).toEqual([{ id: 7 }]);
  expect(rowsOf(path, "SELECT * FROM p")).toEqual([{ id: 7, a: null }]);
});

test("without missing migrations, or without a database, nothing is copied", () => {
  const { dataDir, path } = old();
  expect(copyBeforeUpgrade(dataDir, path, [FIRST])).toBeNull();
  const empty = tempDir();
  expect(copyBeforeUpgrade(empty, join(empty, "linevoice.db"), [FIRST])).toBeNull();
  writeFileSync(join(empty, "linevoice.db"), "");
  expect(copyBeforeUpgrade(empty, join(empty, "linevoice.db"), [FIRST])).toBeNull();
  expect(existsSync(join(dataDir, "backups"))).toBe(false);
});

test("a repeated attempt replaces its copy instead of filling the disk", () => {
  const { dataDir, path } = old();
  copyBeforeUpgrade(dataDir, path, [FIRST, SECOND]);
  const db = new Database(path);
  db.run("INSERT INTO p VALUES (8)");
  db.close();
  const copy = copyBeforeUpgrade(dataDir, path, [FIRST, SECOND]) ?? "";
  expect(readdirSync(join(dataDir, "backups"))).toEqual(["before-0001_second.db"]);
  expect(rowsOf(copy, "SELECT count(*) AS n FROM p")).toEqual([{ n: 2 }]);
});

test("a database of a newer version is refused, its file untouched and not copied", () => {
  const { dataDir, path } = old();
  const db = new Database(path);
  migrate(db, [FIRST, SECOND], 0);
  db.run("PRAGMA wal_checkpoint(TRUNCATE)");
  db.close();
  const before = readFileSync(path);
  expect(() => copyBeforeUpgrade(dataDir, path, [FIRST])).toThrow(MigrationRejected);
  expect(readFileSync(path).equals(before)).toBe(true);
  expect(existsSync(join(dataDir, "backups"))).toBe(false);
});

test("if no copy can be made, nothing is upgraded, and the error says so", () => {
  const { dataDir, path } = old();
  mkdirSync(join(dataDir, "backups/before-0001_second.db/in-the-way"), { recursive: true });
  expect(() => copyBeforeUpgrade(dataDir, path, [FIRST, SECOND])).toThrow(
    /but the copy to .* failed/,
  );
  expect(rowsOf(path, "SELECT tag FROM migrations")).toEqual([{ tag: "0000_first" }]);
});
