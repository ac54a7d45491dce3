/**
 * The checkpoint worker: copies SQLite's write-ahead log into the database file and syncs both, while others
 * read and write. If nobody writes, it also restarts the log. It replies to each message, even after a
 * failure.
 */
import { Database as Sqlite } from "bun:sqlite";
import type { CheckpointOrder } from "./wal-checkpoints.ts";

declare const self: Worker;

function copyLog({ path, isAlone }: CheckpointOrder): void {
  const sqlite = new Sqlite(path, { readwrite: true });
  try {
    const copy = sqlite.query<{ log: number; checkpointed: number }, []>(
      "PRAGMA wal_checkpoint(PASSIVE)",
    );
    const state = copy.get();
    if (isAlone && state?.log === state?.checkpointed) beginAnew(sqlite);
  } finally {
    sqlite.close();
  }
}

/**
 * Makes the first write into the copied log here, because that write syncs the log's header. Writing the same
 * number changes nothing.
 */
function beginAnew(sqlite: Sqlite): void {
  sqlite.run("PRAGMA synchronous = NORMAL");
  const version = sqlite.query<{ user_version: number }, []>("PRAGMA user_version").get();
  sqlite.run(`PRAGMA user_version = ${version?.user_version ?? 0}`);
}

self.onmessage = ({ data: order }: MessageEvent<CheckpointOrder>) => {
  try {
    copyLog(order);
  } catch {
    // If the disk fails, the next flush fails too and reports it to the writers. The next checkpoint retries.
  }
  self.postMessage(null);
};
