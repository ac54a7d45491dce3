/** A migration killed midway: the database is unchanged, and the next start migrates it. */
import { Database as Sqlite } from "bun:sqlite";
import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { migrate } from "../../../src/store/migration/migrate.ts";
import { migrations } from "../../../src/store/migration/migrations.ts";
import { tenants } from "../../../src/store/schema/index.ts";
import { openDatabase } from "../../../src/store/sqlite/database.ts";
import { fileProblems } from "../../../src/store/sqlite/integrity.ts";
import { insertTenant } from "../../support/store/stored-rows.ts";
import { tempDir } from "../../support/temp-dir.ts";

setDefaultTimeout(60_000);

const PROGRAM = fileURLToPath(new URL("../../support/store/migrate-process.ts", import.meta.url));
const ROWS = 400_000;
/** Rebuilds a table of many rows: long enough to be killed in. */
const LONG = {
  tag: "9999_long",
  createdAt: 1,
  sql: `CREATE TABLE copies (id INTEGER PRIMARY KEY, text TEXT NOT NULL);
--> statement-breakpoint
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS})
INSERT INTO copies SELECT i, hex(randomblob(40)) FROM n;
--> statement-breakpoint
CREATE INDEX copies_text ON copies (text);`,
};

test("killed at any moment of a migration, the database is the old or the new one, complete either way", async () => {
  const file = join(tempDir(), "linevoice.db");
  const database = openDatabase(file, 1);
  await insertTenant(database);
  await database.close();
  let rolledBack = 0;
  for (const afterMs of [5, 60, 150, 300, 450]) {
    const child = Bun.spawn([process.execPath, PROGRAM, file, JSON.stringify(LONG)], {
      stdin: "ignore",
      stdout: "pipe",
      stderr: "inherit",
    });
    const reader = child.stdout.getReader();
    await reader.read(); // it starts
    await Bun.sleep(afterMs);
    child.kill("SIGKILL");
    await child.exited;
    expect(fileProblems(file, "integrity_check")).toEqual([]);
    const look = new Sqlite(file);
    const tags = look.query("SELECT 1 FROM migrations WHERE tag = '9999_long'").all().length;
    const tables = look.query("SELECT 1 FROM sqlite_schema WHERE name = 'copies'").all().length;
    look.close();
    expect(tables).toBe(tags);
    if (tags === 1) break;
    rolledBack++;
  }
  expect(rolledBack).toBeGreaterThan(0);
  const stored = new Sqlite(file);
  migrate(stored, [...migrations, LONG], 2);
  expect(stored.query("SELECT count(*) AS n FROM copies").get()).toEqual({ n: ROWS });
  stored.run("DELETE FROM migrations WHERE tag = '9999_long'");
  stored.close();
  const opened = openDatabase(file, 3);
  expect(await opened.read.select().from(tenants)).toHaveLength(1);
  await opened.close();
});
