/** Creates the private data directory and opens the database, in a file or on a server. */
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../core/clock.ts";
import type { Database } from "../core/database.ts";
import { conflict } from "../core/errors.ts";
import { hex } from "../core/ids.ts";
import type { Random } from "../core/random.ts";
import { recordFirstVersions } from "../features/agent/agent-version-store.ts";
import { copyBeforeUpgrade } from "../ops/backup/before-upgrade.ts";
import { requireWholeDatabase } from "../ops/backup/whole-database.ts";
import { foreignFileIn, givingBack } from "../ops/drop-privileges.ts";
import { makeOnce } from "../platform/files/durable-file.ts";
import type { RemoteAddress } from "../store/libsql/database.ts";
import { openDatabase } from "../store/sqlite/database.ts";
import { spawnCheckpointWorker } from "../workers.ts";

export interface DataPaths {
  readonly database: string;
  readonly recordings: string;
  readonly outbox: string;
  /** Index derived from knowledge files. May be deleted while no server runs. */
  readonly knowledge: string;
  readonly controlSocket: string;
}

const PRIVATE = 0o700;
const NODE_ID_BYTES = 8;
const NODE_ID = /^[0-9a-f]{16}$/;

/** Throws conflict if a file there belongs to another user. */
export function prepareDataDir(dataDir: string): DataPaths {
  const paths = {
    database: join(dataDir, "linevoice.db"),
    recordings: join(dataDir, "recordings"),
    outbox: join(dataDir, "outbox"),
    knowledge: join(dataDir, "knowledge"),
    controlSocket: join(dataDir, "control.sock"),
  };
  for (const directory of [dataDir, paths.recordings, paths.outbox])
    mkdirSync(directory, { recursive: true, mode: PRIVATE });
  const foreign = foreignFileIn(dataDir);
  if (foreign !== null)
    throw conflict(
      `${foreign} belongs to another user. This happens if root copied it. Nothing was changed. Change its owner to the owner of the directory: ${givingBack(dataDir, foreign)}`,
    );
  return paths;
}

/**
 * The id of this data directory among the nodes of a shared store. It never changes, except if a
 * disk failure damages its file.
 */
export function nodeIdOf(dataDir: string, random: Random): string {
  const file = join(dataDir, "node-id");
  const read = () => (existsSync(file) ? readFileSync(file, "utf8").trim() : "");
  const known = read();
  if (NODE_ID.test(known)) return known;
  rmSync(file, { force: true });
  const made = hex(random.bytes(NODE_ID_BYTES));
  makeOnce(file, `${file}.${made}`, `${made}\n`);
  return read();
}

/**
 * Prepares a database file before it is opened. Returns the path of its safety copy, if it made
 * one.
 */
export function prepareDatabase(
  dataDir: string,
  databasePath: string,
  remote: RemoteAddress | null | undefined,
): string | null {
  if (remote) return null;
  requireWholeDatabase(dataDir, databasePath);
  return copyBeforeUpgrade(dataDir, databasePath);
}

/**
 * Opens and migrates the database, and creates the first version of agents from older releases.
 * Throws MigrationRejected, StoreUnreachable.
 */
export async function openStore(
  databasePath: string,
  remote: RemoteAddress | null | undefined,
  deps: { readonly node: string; readonly clock: Clock; readonly random: Random },
): Promise<Database> {
  const nowMs = deps.clock.now();
  let database: Database;
  if (remote) {
    // Loaded on demand: an appliance with a database file does not need the libSQL client.
    const { openRemoteDatabase } = await import("../store/libsql/database.ts");
    database = await openRemoteDatabase(remote, { ...deps, owner: deps.node });
  } else database = openDatabase(databasePath, nowMs, deps.clock, spawnCheckpointWorker);
  await recordFirstVersions(database, nowMs);
  return database;
}

/** Throws conflict if the database is on a server, because the operation needs a file. */
export function requireFile(remote: string | null, what: string): void {
  if (remote === null) return;
  throw conflict(
    `${what} works on a database file, but [storage] database is ${remote}. Use the backups of that libSQL server (a snapshot of its data directory, or its own backup command); copy the recordings and master.key in the data directory yourself.`,
  );
}
