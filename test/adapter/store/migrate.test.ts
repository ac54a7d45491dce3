import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { MigrationRejected, migrate, migrationStatus } from "../../../src/adapter/store/migrate.ts";
import { migrations } from "../../../src/adapter/store/migrations.gen.ts";

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

test("a migration that was changed after it ran is refused", () => {
  const db = filled();
  expect(() => migrate(db, [{ ...first, sql: `${first.sql} ` }], 0)).toThrow(MigrationRejected);
});

test("a migration that would orphan rows is refused", () => {
  const db = filled();
  const orphan = { tag: "0001_orphan", createdAt: 2, sql: "DELETE FROM p;" };
  expect(() => migrate(db, [first, orphan], 0)).toThrow(MigrationRejected);
  expect(db.query("SELECT count(*) AS n FROM p").get()).toEqual({ n: 1 });
});

test("the product's own migrations apply to an empty database, and ledger rows are only added", () => {
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
