/**
 * The embedded migrator. Drizzle's migrator runs with foreign keys on, so a table rebuild cascades and
 * deletes child rows. This one turns them off first and uses one immediate transaction. It rejects changed or
 * unknown migrations, and checks every foreign key before the commit.
 */
import type { Database } from "bun:sqlite";
import { createHash } from "node:crypto";

export interface Migration {
  readonly tag: string;
  readonly createdAt: number;
  readonly sql: string;
}

export interface MigrationStatus {
  readonly tag: string;
  readonly applied: boolean;
}

export class MigrationRejected extends Error {
  override readonly name = "MigrationRejected";
}

const UNRELEASED =
  "The database was made by an unreleased version after 0.1.0, which cannot be upgraded. Restore an older copy (backups/before-….db) or a backup of 0.1.0.";

/** Former migrations, `first` to `last`, that the current one at the index `by` replaced. */
const REPLACED = [
  {
    first: "0000_init",
    last: "0018_trunk-channels",
    by: 0,
    unfinished:
      "The database was made by a version before 0.1.0. Start linevoice 0.1.0 once, then this version.",
  },
  { first: "0001_after_0_1", last: "0028_campaign_results", by: 1, unfinished: UNRELEASED },
  { first: "0029_trial_days", last: "0034_scenario_calls", by: 2, unfinished: UNRELEASED },
] as const;

/** Entry in the target's migrations while a store is copied into it (store-copy.ts). */
export const UNFINISHED_COPY = "unfinished_copy";

const STATEMENT_BREAK = "--> statement-breakpoint";
/** The hash that the table `migrations` stores. */
export const hashOf = (migration: Migration): string =>
  createHash("sha256").update(migration.sql).digest("hex");

/** Statements of a migration, without those about foreign keys: the migrator turns them off, not the file. */
export const statementsOf = (migration: Migration): string[] =>
  migration.sql
    .split(STATEMENT_BREAK)
    .filter((statement) => statement.trim() && !/^\s*PRAGMA foreign_keys/i.test(statement));

function applied(db: Database): Map<string, string> {
  db.run(
    "CREATE TABLE IF NOT EXISTS migrations (tag TEXT PRIMARY KEY, hash TEXT NOT NULL, applied_at INTEGER NOT NULL)",
  );
  const rows = db
    .query<{ tag: string; hash: string }, []>("SELECT tag, hash FROM migrations")
    .all();
  return new Map(rows.map((row) => [row.tag, row.hash]));
}

/**
 * Translates the applied migrations to the current list: a database with all replaced ones has their
 * replacement. Throws MigrationRejected for a database with only some of them.
 */
export function withReplaced(
  done: ReadonlyMap<string, string>,
  list: readonly Migration[],
): ReadonlyMap<string, string> {
  const found = new Map(done);
  for (const { first, last, by, unfinished } of REPLACED) {
    const migration = list[by];
    if (!migration || !found.has(first)) continue;
    if (!found.has(last)) throw new MigrationRejected(unfinished);
    for (const tag of done.keys()) if (tag >= first && tag <= last) found.delete(tag);
    found.set(migration.tag, hashOf(migration));
  }
  return found;
}

/** Record that translation; they do nothing in a database without replaced migrations. */
export const replacedStatements = (list: readonly Migration[]) =>
  REPLACED.flatMap(({ first, last, by }) =>
    list.slice(by, by + 1).flatMap((migration) => [
      {
        sql: "DELETE FROM migrations WHERE tag >= ? AND tag < ? AND EXISTS (SELECT 1 FROM migrations WHERE tag = ?)",
        args: [first, last, last],
      },
      {
        sql: "UPDATE migrations SET tag = ?, hash = ? WHERE tag = ?",
        args: [migration.tag, hashOf(migration), last],
      },
    ]),
  );

/** Throws MigrationRejected if the database is newer than `list` or has other migrations. */
export function checkApplied(done: ReadonlyMap<string, string>, list: readonly Migration[]): void {
  const known = new Map(list.map((migration) => [migration.tag, migration]));
  for (const [tag, hash] of done) {
    if (tag === UNFINISHED_COPY)
      throw new MigrationRejected(
        `The copy of ${hash} into this database was not finished. Run \`linevoice store copy\` again.`,
      );
    const migration = known.get(tag);
    if (!migration)
      throw new MigrationRejected(
        `The database was written by a newer linevoice (migration ${tag} is unknown here). Install that version, or restore a backup made before the upgrade.`,
      );
    if (hashOf(migration) !== hash)
      throw new MigrationRejected(
        `Migration ${tag} differs from the one this database was made with.`,
      );
  }
}

/** True if it has no tables except the one of migrations. */
const isEmpty = (db: Database): boolean =>
  db.query("SELECT 1 FROM sqlite_schema WHERE tbl_name <> 'migrations'").get() === null &&
  db.query("SELECT 1 FROM migrations").get() === null;

export function migrationStatus(db: Database, list: readonly Migration[]): MigrationStatus[] {
  const done = withReplaced(applied(db), list);
  checkApplied(done, list);
  return list.map(({ tag }) => ({ tag, applied: done.has(tag) }));
}

/**
 * Applies the missing migrations, all or none. Returns their tags.
 * `schemaAfterAll`: statements that create the final schema in an empty database. Without it, all migrations
 * run one by one.
 */
export function migrate(
  db: Database,
  list: readonly Migration[],
  nowMs: number,
  schemaAfterAll: (() => string) | null = null,
): string[] {
  db.run("PRAGMA foreign_keys = OFF"); // no effect inside a transaction
  try {
    return db
      .transaction(() => {
        const done = withReplaced(applied(db), list);
        checkApplied(done, list);
        for (const { sql, args } of replacedStatements(list)) db.run(sql, args);
        const missing = list.filter(({ tag }) => !done.has(tag));
        const isWhole = schemaAfterAll !== null && isEmpty(db);
        if (isWhole) db.run(schemaAfterAll());
        for (const migration of missing) {
          if (!isWhole) for (const statement of statementsOf(migration)) db.run(statement);
          db.run("INSERT INTO migrations (tag, hash, applied_at) VALUES (?, ?, ?)", [
            migration.tag,
            hashOf(migration),
            nowMs,
          ]);
        }
        // This reads every row: with a million calls it would add seconds to the start.
        const broken = missing.length === 0 ? [] : db.query("PRAGMA foreign_key_check").all();
        if (broken.length > 0)
          throw new MigrationRejected(
            `The upgrade would leave ${broken.length} rows without their parent; nothing was changed.`,
          );
        return missing.map(({ tag }) => tag);
      })
      .immediate();
  } finally {
    db.run("PRAGMA foreign_keys = ON");
  }
}
