/**
 * The embedded migrator. Drizzle's own runs with foreign keys on, so that a table rebuild cascades
 * and loses the children; this one switches them off first, holds one immediate transaction,
 * refuses a changed or unknown migration, and checks every foreign key before it commits.
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
  override readonly name = "MigrationRefused";
}

const STATEMENT_BREAK = "--> statement-breakpoint";
/** What the table `migrations` remembers of one. */
export const hashOf = (migration: Migration): string =>
  createHash("sha256").update(migration.sql).digest("hex");

/** One by one; foreign keys are switched by the migrator, not by the file. */
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

/** Throws MigrationRefused for a database that is newer than `list`, or made with another one. */
export function checkApplied(done: ReadonlyMap<string, string>, list: readonly Migration[]): void {
  const known = new Map(list.map((migration) => [migration.tag, migration]));
  for (const [tag, hash] of done) {
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

export function migrationStatus(db: Database, list: readonly Migration[]): MigrationStatus[] {
  const done = applied(db);
  checkApplied(done, list);
  return list.map(({ tag }) => ({ tag, applied: done.has(tag) }));
}

/** Applies what is missing, all or nothing. Answers the tags applied. */
export function migrate(db: Database, list: readonly Migration[], nowMs: number): string[] {
  db.run("PRAGMA foreign_keys = OFF"); // no effect inside a transaction
  try {
    return db
      .transaction(() => {
        const done = applied(db);
        checkApplied(done, list);
        const missing = list.filter(({ tag }) => !done.has(tag));
        for (const migration of missing) {
          for (const statement of statementsOf(migration)) db.run(statement);
          db.run("INSERT INTO migrations (tag, hash, applied_at) VALUES (?, ?, ?)", [
            migration.tag,
            hashOf(migration),
            nowMs,
          ]);
        }
        const broken = db.query("PRAGMA foreign_key_check").all();
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
