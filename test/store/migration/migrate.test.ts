import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import {
  MigrationRejected,
  migrate,
  migrationStatus,
} from "../../../src/store/migration/migrate.ts";
import { migrations, schemaAfterAll } from "../../../src/store/migration/migrations.ts";
import { fillAs010, type SchemaItem, schemaOf010 } from "../../support/store/database-of-0.1.0.ts";
import { filledBy } from "../../support/store/filled-by.ts";
import { replacedMigrations } from "../../support/store/replaced-migrations.ts";

const BREAK = "--> statement-breakpoint";
const first = {
  tag: "0000_first",
  createdAt: 1,
  sql: `CREATE TABLE p (id INTEGER PRIMARY KEY, a TEXT);${BREAK}CREATE TABLE c (id INTEGER PRIMARY KEY, pid INTEGER REFERENCES p (id) ON DELETE CASCADE);`,
};
const rebuild = {
  tag: "0001_rebuild",
  createdAt: 2,
  sql: `PRAGMA foreign_keys=OFF;${BREAK}CREATE TABLE new_p (id INTEGER PRIMARY KEY, a TEXT NOT NULL);${BREAK}INSERT INTO new_p SELECT * FROM p;${BREAK}DROP TABLE p;${BREAK}ALTER TABLE new_p RENAME TO p;${BREAK}PRAGMA foreign_keys=ON;`,
};

function filled(): Database {
  const db = new Database(":memory:");
  db.run("PRAGMA foreign_keys = ON");
  migrate(db, [first], 0);
  db.run("INSERT INTO p VALUES (1, 'x')");
  db.run("INSERT INTO c VALUES (1, 1)");
  return db;
}

test("rebuilding a parent table keeps its children", () => {
  const db = filled();
  expect(migrate(db, [first, rebuild], 0)).toEqual(["0001_rebuild"]);
  expect(db.query("SELECT count(*) AS n FROM c").get()).toEqual({ n: 1 });
  expect(db.query("PRAGMA foreign_keys").get()).toEqual({ foreign_keys: 1 });
});

test("a second run changes nothing", () => {
  const db = filled();
  expect(migrate(db, [first], 0)).toEqual([]);
});

test("a failing migration leaves the database as it was", () => {
  const db = filled();
  const broken = { tag: "0001_broken", createdAt: 2, sql: `DROP TABLE c;${BREAK}SELECT nonsense;` };
  expect(() => migrate(db, [first, broken], 0)).toThrow();
  expect(db.query("SELECT count(*) AS n FROM c").get()).toEqual({ n: 1 });
  expect(migrationStatus(db, [first])).toEqual([{ tag: "0000_first", applied: true }]);
});

test("a database newer than the binary is refused", () => {
  const db = filled();
  migrate(db, [first, rebuild], 0);
  expect(() => migrate(db, [first], 0)).toThrow(MigrationRejected);
});

test("a migration changed after it ran is refused", () => {
  const db = filled();
  expect(() => migrate(db, [{ ...first, sql: `${first.sql} ` }], 0)).toThrow(MigrationRejected);
});

test("a migration that would orphan rows is refused", () => {
  const db = filled();
  const orphan = { tag: "0001_orphan", createdAt: 2, sql: "DELETE FROM p;" };
  expect(() => migrate(db, [first, orphan], 0)).toThrow(MigrationRejected);
  expect(db.query("SELECT count(*) AS n FROM p").get()).toEqual({ n: 1 });
});

test("without a migration no row is read, however many there are", () => {
  const db = filled();
  db.run("PRAGMA foreign_keys = OFF");
  db.run("INSERT INTO c VALUES (2, 77)");
  expect(migrate(db, [first], 0)).toEqual([]);
});

test("the product's migrations apply to an empty database, and ledger rows cannot be changed", () => {
  const db = new Database(":memory:");
  migrate(db, migrations, 0);
  db.run(
    "INSERT INTO tenants (name, email, plan, time_zone, webhook_secret_sealed, webhook_secret_prefix, created_at) VALUES ('a', 'a@example.com', 'p', 'UTC', 's', 'p', 0)",
  );
  db.run(
    "INSERT INTO ledger_transactions (tenant_id, key, kind, note, created_at) VALUES (1, 'k', 'credit', 'n', 0)",
  );
  db.run(
    "INSERT INTO ledger_entries (transaction_id, tenant_id, account, amount) VALUES (1, 1, 'wallet', 5)",
  );
  expect(() => db.run("UPDATE ledger_entries SET amount = 6")).toThrow("only added");
  expect(() => db.run("DELETE FROM ledger_entries")).toThrow("only added");
});

/** Tables, indexes and triggers with their text, sorted by name. */
function schemaOf(db: Database): SchemaItem[] {
  const rows = db
    .query<SchemaItem, []>(
      "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' AND tbl_name <> 'migrations'",
    )
    .all();
  return rows.sort((a, b) => (a.type + a.name).localeCompare(b.type + b.name));
}

/** All rows by table, without sqlite_schema; a word index by its shadow tables. */
function rowsOf(db: Database): Record<string, unknown[]> {
  const tables = db
    .query<{ name: string }, []>(
      "SELECT name FROM pragma_table_list WHERE type IN ('table', 'shadow') AND name <> 'sqlite_schema' AND name <> 'sqlite_temp_schema' ORDER BY name",
    )
    .all();
  return Object.fromEntries(
    tables.map(({ name }) => [name, db.query(`SELECT * FROM ${name}`).all()]),
  );
}

test("an empty database gets the final schema of all migrations directly, with their rows", () => {
  const [led, begun] = [new Database(":memory:"), new Database(":memory:")];
  const tags = migrations.map(({ tag }) => tag);
  expect(migrate(led, migrations, 7)).toEqual(tags);
  let asked = 0;
  const schema = () => {
    asked += 1;
    return schemaAfterAll();
  };
  expect(migrate(begun, migrations, 7, schema)).toEqual(tags);
  expect(schemaOf(begun)).toEqual(schemaOf(led));
  expect(rowsOf(begun)).toEqual(rowsOf(led));
  expect(Object.keys(rowsOf(led)).length).toBeGreaterThan(70);
  expect(migrate(begun, migrations, 8, schema)).toEqual([]);
  expect(asked).toBe(1);
});

test("a database with a table, or with a migration, runs its missing migrations", () => {
  const other = new Database(":memory:");
  other.run("CREATE TABLE kept (id INTEGER PRIMARY KEY)");
  const never = () => {
    throw new Error("not empty");
  };
  expect(migrate(other, [first], 0, never)).toEqual([first.tag]);
  expect(migrate(filled(), [first, rebuild], 0, never)).toEqual([rebuild.tag]);
});

function databaseOf010(): Database {
  const db = new Database(":memory:");
  fillAs010(db);
  return db;
}

const tagsOf = (db: Database) =>
  db.query<{ tag: string }, []>("SELECT tag FROM migrations ORDER BY tag").all();

test("the baseline gives the schema of the 19 migrations of 0.1.0, triggers included", () => {
  const db = new Database(":memory:");
  migrate(db, migrations.slice(0, 1), 0);
  expect(schemaOf(db)).toEqual(schemaOf010);
  expect(schemaOf010.filter(({ type }) => type === "trigger").length).toBeGreaterThan(5);
});

test("a database of 0.1.0 has the baseline: it is upgraded without loss", () => {
  const db = databaseOf010();
  expect(migrationStatus(db, migrations)[0]).toEqual({ tag: "0000_baseline", applied: true });
  expect(migrate(db, migrations, 1)).toEqual(migrations.slice(1).map(({ tag }) => tag));
  expect(tagsOf(db)).toEqual(migrations.map(({ tag }) => ({ tag })));
  expect(db.query("SELECT name FROM tenants").all()).toEqual([{ name: "a" }]);
  const made = new Database(":memory:");
  migrate(made, migrations, 0);
  expect(schemaOf(db)).toEqual(schemaOf(made));
  expect(migrate(db, migrations, 2)).toEqual([]);
});

test("hourly sums count cached tokens from the first call with them, and lose them with it", () => {
  const db = databaseOf010();
  const call = (uuid: string, createdAt: number, more = "", values = "") =>
    db.run(
      `INSERT INTO calls (call_uuid, tenant_id, direction, status, from_number, to_number, recording_status, overage_rate, cost, created_at, llm_input_tokens${more})
       VALUES ('${uuid}', 1, 'inbound', 'completed', '1', '2', 'none', 0, 0, ${createdAt}, 900${values})`,
    );
  const sums = () =>
    db
      .query<{ hour: number; cached: number }, []>(
        "SELECT hour, llm_cached_input_tokens AS cached FROM call_rollups ORDER BY hour",
      )
      .all();
  call("before", 0);
  migrate(db, migrations, 1);
  call("known", 3_600_000, ", llm_cached_input_tokens", ", 640");
  call("other", 3_600_001, ", llm_cached_input_tokens", ", 60");
  expect(sums()).toEqual([
    { hour: 0, cached: 0 },
    { hour: 1, cached: 700 },
  ]);
  const days = "SELECT day, calls, llm_cached_input_tokens AS cached FROM call_days";
  expect(db.query(days).all()).toEqual([{ day: 0, calls: 3, cached: 700 }]);
  expect(db.query("SELECT hour, calls FROM call_hours").values()).toEqual([
    [0, 1],
    [1, 2],
  ]);
  call("new", 7_200_000);
  db.run("UPDATE calls SET llm_cached_input_tokens = 5 WHERE call_uuid = 'new'");
  db.run("DELETE FROM calls WHERE call_uuid IN ('before', 'known')");
  expect(sums()).toEqual([
    { hour: 1, cached: 60 },
    { hour: 2, cached: 5 },
  ]);
});

/** A filled database of 0.1.0, with a number that the upgrade confirms and one that it does not. */
function filled010(): Database {
  const db = filledBy("0.1.0", ":memory:");
  db.run("INSERT INTO phone_numbers SELECT 2, 1, '+37052000002', NULL, NULL, 1, 0");
  db.run(
    "UPDATE call_memories SET outcome = 'We spoke: of x.' WHERE id = (SELECT min(id) FROM call_memories)",
  );
  return db;
}

/** Without random values, the search index's count of its settings, and the migrations. */
function carriedRowsOf(db: Database): Record<string, unknown[]> {
  const { migrations: _, search_index_data: _changes, search_queue = [], ...rows } = rowsOf(db);
  return {
    ...rows,
    search_queue: search_queue.map((row) => ({ ...Object(row), revision: 0 })),
  };
}

test("a filled database of 0.1.0 gets the same rows and schema as from the replaced migrations", () => {
  const [former, now] = [filled010(), filled010()];
  expect(migrate(former, replacedMigrations, 1)).toHaveLength(34);
  expect(migrate(now, migrations, 1)).toEqual(migrations.slice(1).map(({ tag }) => tag));
  expect(schemaOf(now)).toEqual(schemaOf(former));
  const [rows, expected] = [carriedRowsOf(now), carriedRowsOf(former)];
  expect(Object.keys(rows)).toEqual(Object.keys(expected));
  for (const [table, found] of Object.entries(expected))
    expect([table, rows[table]]).toEqual([table, found]);
  for (const table of ["call_memories", "call_rollups", "call_days", "call_hours", "search_queue"])
    expect([table, expected[table]?.length]).not.toEqual([table, 0]);
});

/** The migrations after 0.1.0 that exist today, and one that follows. */
const CURRENT = migrations.slice(0, 3);
const NEXT = { tag: "0003_next", createdAt: 2, sql: "CREATE TABLE next (id INTEGER)" };

test.each([
  ["all replaced migrations", 35, []],
  ["the 28 replaced migrations after 0.1.0", 29, ["0002_trials_and_claims"]],
])("a database with %s runs none of them again", (_, count, missing) => {
  const [db, expected] = [filled010(), filled010()];
  migrate(db, replacedMigrations.slice(0, count), 1);
  migrate(expected, replacedMigrations, 1);
  expect(tagsOf(db)).toHaveLength(count);
  const pending = migrationStatus(db, CURRENT).filter(({ applied }) => !applied);
  expect(pending.map(({ tag }) => tag)).toEqual(missing);
  expect(migrate(db, CURRENT, 2)).toEqual(missing);
  expect(tagsOf(db)).toEqual(CURRENT.map(({ tag }) => ({ tag })));
  expect([schemaOf(db), carriedRowsOf(db)]).toEqual([schemaOf(expected), carriedRowsOf(expected)]);
  expect(migrate(db, [...CURRENT, NEXT], 3)).toEqual([NEXT.tag]);
  expect(migrate(db, [...CURRENT, NEXT], 4)).toEqual([]);
});

test("a database with only some of the replaced migrations, or a later one, is refused unchanged", () => {
  for (const count of [2, 28, 30, 34]) {
    const db = databaseOf010();
    migrate(db, replacedMigrations.slice(0, count), 1);
    expect(() => migrate(db, migrations, 2)).toThrow("Restore an older copy");
    expect(tagsOf(db)).toHaveLength(count);
  }
  const db = databaseOf010();
  migrate(db, replacedMigrations, 1);
  db.run("INSERT INTO migrations VALUES ('0035_later', 'x', 1)");
  expect(() => migrate(db, migrations, 2)).toThrow("migration 0035_later is unknown here");
  expect(tagsOf(db)).toHaveLength(36);
});

test("a database from before 0.1.0 is refused with instructions", () => {
  const db = databaseOf010();
  db.run("DELETE FROM migrations WHERE tag = '0018_trunk-channels'");
  expect(() => migrate(db, migrations, 1)).toThrow("Start linevoice 0.1.0 once, then this version");
  expect(tagsOf(db)).toHaveLength(18);
});

/**
 * Changes that a node of the previous release does not notice, because it names the columns that it writes.
 */
const ADDITION =
  /^(CREATE (UNIQUE )?INDEX|CREATE (VIRTUAL )?TABLE|CREATE (TRIGGER|VIEW)|DROP (INDEX|TRIGGER)|INSERT INTO|UPDATE|ALTER TABLE \S+ ADD\b)/;

test("migrations since 0.1.0 only add, so that nodes of the previous release can run at the same time", () => {
  for (const { tag, sql } of migrations.slice(1))
    for (const statement of sql.split(BREAK).map((each) => each.trim().replace(/^(--.*\n)+/, ""))) {
      // A rebuilt table keeps its columns, as the next test checks.
      const [, dropped] = /^DROP TABLE (\S+?);?$/.exec(statement) ?? [];
      if (dropped !== undefined && sql.includes(`CREATE TABLE ${dropped} `)) continue;
      // No released version has a view.
      if (statement.startsWith("DROP VIEW ")) continue;
      expect([tag, statement]).toEqual([tag, expect.stringMatching(ADDITION)]);
      // Old nodes do not write it, so it needs a default.
      if (/^ALTER TABLE .* NOT NULL/.test(statement)) expect(statement).toContain(" DEFAULT ");
    }
});

test("0.1.0 has no view", () => {
  const views = "SELECT name FROM sqlite_schema WHERE type = 'view'";
  expect(databaseOf010().query(views).all()).toEqual([]);
});

test("no trigger writes money, plan seconds, deliveries or holds", () => {
  const db = new Database(":memory:");
  migrate(db, migrations, 1);
  const triggers = db
    .query<{ name: string; sql: string }, []>(
      "SELECT name, sql FROM sqlite_schema WHERE type IN ('trigger', 'view')",
    )
    .all();
  expect(triggers.length).toBeGreaterThan(10);
  const written =
    /(INTO|UPDATE|FROM) `?(wallets|ledger_entries|ledger_transactions|plan_usage|outbox|events|holds|calls)`?\s/i;
  for (const { name, sql } of triggers) {
    const [, body = sql] = /\bBEGIN\b(.*)/s.exec(sql) ?? [];
    const writes = body.match(/\b(INSERT INTO|UPDATE|DELETE FROM) `?\w+`?/g) ?? [];
    expect([name, writes.filter((each) => written.test(`${each} `))]).toEqual([name, []]);
  }
});

test("every column of 0.1.0 still exists, unchanged", () => {
  const db = databaseOf010();
  const columns = () =>
    db
      .query<{ name: string; type: string }, []>(
        `SELECT t.name || '.' || c.name AS name, lower(c.type) || c."notnull" || c.pk AS type
          FROM sqlite_schema t, pragma_table_info(t.name) c
          WHERE t.type = 'table' AND t.name <> 'migrations' AND t.name NOT GLOB 'sqlite_*'`,
      )
      .all()
      .map(({ name, type }) => `${name} ${type}`);
  const before = columns();
  migrate(db, migrations, 1);
  expect(before.length).toBeGreaterThan(100);
  expect(columns()).toEqual(expect.arrayContaining(before));
});

test("a row as a node of 0.1.0 writes it is accepted by the newest schema", () => {
  const db = databaseOf010();
  const columns = db
    .query<{ name: string; type: string; notnull: number; dflt_value: unknown }, []>(
      "SELECT name, type, \"notnull\", dflt_value FROM pragma_table_info('calls') WHERE pk = 0",
    )
    .all()
    .filter(({ notnull, dflt_value }) => notnull === 1 && dflt_value === null);
  migrate(db, migrations, 1);
  const values = columns.map(({ name, type }) => {
    if (name === "tenant_id") return "(SELECT min(id) FROM tenants)";
    return type.toUpperCase() === "INTEGER" ? "1" : "'x'";
  });
  db.run(
    `INSERT INTO calls (${columns.map(({ name }) => name).join(", ")}) VALUES (${values.join(", ")})`,
  );
  expect(db.query("PRAGMA foreign_key_check").all()).toEqual([]);
});
