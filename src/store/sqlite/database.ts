/**
 * The database: one SQLite file in WAL mode, used through Drizzle. Two connections: `read` for single
 * statements, and one writer inside `tx`, so that transactions never share a connection. Runs on the main
 * thread only.
 *
 * Stores use Drizzle's asynchronous interface, so that the same code runs on a libSQL server
 * (libsql/database.ts). A `tx` body must await only its own queries, because it holds the only writer.
 */
import type { Database as Sqlite } from "bun:sqlite";
import { type Clock, yieldToEventLoop } from "../../core/clock.ts";
import type { Database, Queries } from "../../core/database.ts";
import { migrate } from "../migration/migrate.ts";
import { migrations, schemaAfterAll } from "../migration/migrations.ts";
import { revocationNotes } from "../migration/revocation-notes.ts";
import { queriesOf } from "./file-queries.ts";
import { GroupCommit } from "./group-commit.ts";
import { StatementCachingSqlite } from "./statement-cache.ts";
import { walCheckpoints } from "./wal-checkpoints.ts";
import { walFlush } from "./wal-flush.ts";

const BUSY_TIMEOUT_MS = 5000;

function connect(path: string): Sqlite {
  const sqlite = new StatementCachingSqlite(path, { create: true, strict: true });
  sqlite.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
  sqlite.run("PRAGMA journal_mode = WAL");
  sqlite.run("PRAGMA synchronous = FULL");
  sqlite.run("PRAGMA foreign_keys = ON");
  sqlite.run("PRAGMA temp_store = MEMORY");
  // Always on: a row that moves within its page leaves a copy, which an erasure cannot find later.
  sqlite.run("PRAGMA secure_delete = ON");
  return sqlite;
}

/**
 * Opens the file, creating and migrating it if necessary. Throws MigrationRejected for a newer database.
 *
 * Without a clock, background work is committed at once too. Without a worker, some commits copy the log into
 * the file.
 */
export function openDatabase(
  path: string,
  nowMs: number,
  clock: Clock | null = null,
  spawnCheckpointWorker: (() => Worker) | null = null,
): Database {
  const writer = connect(path);
  try {
    migrate(writer, migrations, nowMs, schemaAfterAll);
  } catch (error) {
    writer.close(true);
    throw error;
  }
  const reader = connect(path);
  const log = logOf(path, { writer, reader }, clock, spawnCheckpointWorker);
  // A COMMIT does not sync; the log's flush does. A checkpoint still syncs both files.
  writer.run("PRAGMA synchronous = NORMAL");
  const writes = new GroupCommit(writer, queriesOf(writer), clock, log);
  const commits = commitsSeenBy(reader, writes);

  return {
    read: queriesOf(reader),
    tx: (body, urgency) => writes.run(body, urgency),
    finish: (_queries, work) => work(),
    settled: () => log.pending()?.catch(() => undefined) ?? null,
    ...revocationNotes(),
    version: commits,
    async ping() {
      reader.query("SELECT count(*) FROM sqlite_schema").get();
    },
    async probeWrites() {
      if (writes.failure() === null) return;
      const version = writer.query<{ user_version: number }, []>("PRAGMA user_version");
      // Writing the same number writes a page without a change.
      await writes.run(async () => {
        writer.run(`PRAGMA user_version = ${version.get()?.user_version ?? 0}`);
      });
    },
    async close() {
      await writes.idle();
      await log.close();
      reader.close(true);
      try {
        writer.run("PRAGMA wal_checkpoint(TRUNCATE)");
      } catch {
        // The disk rejects writes. The log file next to the database contains the missing changes.
      }
      writer.close(true);
    },
  };
}

function logOf(
  path: string,
  connections: { readonly writer: Sqlite; readonly reader: Sqlite },
  clock: Clock | null,
  spawnCheckpointWorker: (() => Worker) | null,
) {
  const log = walFlush(path);
  if (!clock || !spawnCheckpointWorker) return log;
  const checkpoints = walCheckpoints(path, connections, spawnCheckpointWorker, clock);
  return {
    ...log,
    room: checkpoints.room,
    flush() {
      checkpoints.afterCommit();
      return log.flush();
    },
    async close() {
      await log.close();
      await checkpoints.close();
    },
  };
}

/**
 * The pragma counts commits of other connections; this connection's changes are added.
 *
 * It costs a seventh of a cached read. So it runs once per turn of the event loop, and after each of our
 * commits. A request that follows another process's commit is read in a later turn.
 */
function commitsSeenBy(reader: Sqlite, writes: Pick<GroupCommit<Queries>, "commits">) {
  const dataVersion = reader.query<{ data_version: number }, []>("PRAGMA data_version");
  const ownChanges = reader.query<{ n: number }, []>("SELECT total_changes() AS n");
  let seen: { readonly ours: number; readonly version: number } | null = null;
  const forget = () => {
    seen = null;
  };
  return () => {
    const ours = writes.commits;
    if (seen?.ours !== ours) {
      if (!seen) void yieldToEventLoop().then(forget);
      seen = { ours, version: dataVersion.get()?.data_version ?? 0 };
    }
    return seen.version + (ownChanges.get()?.n ?? 0);
  };
}
