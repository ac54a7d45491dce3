/**
 * Migrations on a libSQL server, once among all nodes: a lease in the database decides which node runs them;
 * the others wait. All missing migrations run in one transaction with foreign keys off. The keys are checked
 * before the commit. Each migration's row is inserted first, so that a node with an expired lease fails
 * instead of applying a migration twice.
 */
import type { Client, InStatement } from "@libsql/client/http";
import { type Clock, sleep } from "../../core/clock.ts";
import { describeError } from "../../core/errors.ts";
import {
  checkApplied,
  hashOf,
  type Migration,
  MigrationRejected,
  replacedStatements,
  statementsOf,
  withReplaced,
} from "../migration/migrate.ts";
import { forgetMarks, MARKS_TABLE } from "./commit-marks.ts";

const LEASE_MS = 60_000;
const WAIT_MS_MAX = 120_000;
const POLL_EVERY_MS = 200;

const TABLES = [
  "CREATE TABLE IF NOT EXISTS migrations (tag TEXT PRIMARY KEY, hash TEXT NOT NULL, applied_at INTEGER NOT NULL)",
  "CREATE TABLE IF NOT EXISTS migration_lock (id INTEGER PRIMARY KEY CHECK (id = 1), owner TEXT NOT NULL, lease_until INTEGER NOT NULL)",
  MARKS_TABLE,
];

/** Fails ("malformed JSON") if a row has no parent. */
const PARENTS_ARE_THERE =
  "SELECT CASE WHEN EXISTS (SELECT 1 FROM pragma_foreign_key_check) THEN json('rows without their parent') END";

interface RemoteMigration {
  readonly clock: Clock;
  /** Name of this node. */
  readonly owner: string;
}

/** Returns the tags that this node applied. Throws MigrationRejected. */
export async function migrateRemote(
  client: Client,
  list: readonly Migration[],
  { clock, owner }: RemoteMigration,
): Promise<string[]> {
  await client.batch([...TABLES, forgetMarks(clock.now())], "write");
  const until = clock.monotonic() + WAIT_MS_MAX;
  while ((await missingOf(client, list)).length > 0) {
    if (await lock(client, owner, clock.now())) {
      try {
        return await apply(client, list, clock.now());
      } finally {
        await unlock(client, owner);
      }
    }
    if (clock.monotonic() >= until)
      throw new MigrationRejected("Another node has been migrating the database for two minutes.");
    await sleep(clock, POLL_EVERY_MS);
  }
  return [];
}

async function missingOf(client: Client, list: readonly Migration[]): Promise<Migration[]> {
  const { rows } = await client.execute("SELECT tag, hash FROM migrations");
  const stored = new Map(rows.map((row) => [String(row.tag), String(row.hash)]));
  const done = withReplaced(stored, list);
  checkApplied(done, list);
  return list.filter(({ tag }) => !done.has(tag));
}

async function lock(client: Client, owner: string, nowMs: number): Promise<boolean> {
  const { rows } = await client.execute({
    sql: `INSERT INTO migration_lock (id, owner, lease_until) VALUES (1, ?, ?)
      ON CONFLICT (id) DO UPDATE SET owner = excluded.owner, lease_until = excluded.lease_until
      WHERE lease_until <= ? RETURNING owner`,
    args: [owner, BigInt(nowMs + LEASE_MS), BigInt(nowMs)],
  });
  return rows.length > 0;
}

async function unlock(client: Client, owner: string): Promise<void> {
  await client.execute({
    sql: "UPDATE migration_lock SET lease_until = 0 WHERE id = 1 AND owner = ?",
    args: [owner],
  });
}

async function apply(client: Client, list: readonly Migration[], nowMs: number): Promise<string[]> {
  const missing = await missingOf(client, list);
  if (missing.length === 0) return [];
  const added = missing.flatMap((migration): InStatement[] => [
    {
      sql: "INSERT INTO migrations (tag, hash, applied_at) VALUES (?, ?, ?)",
      args: [migration.tag, hashOf(migration), BigInt(nowMs)],
    },
    ...statementsOf(migration),
  ]);
  try {
    await client.migrate([...replacedStatements(list), ...added, PARENTS_ARE_THERE]);
  } catch (error) {
    throw new MigrationRejected(
      `The database could not be upgraded (${describeError(error)}); nothing was changed.`,
      { cause: error },
    );
  }
  return missing.map(({ tag }) => tag);
}
