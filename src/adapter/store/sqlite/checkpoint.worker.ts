/**
 * The checkpoint worker: copies SQLite's write-ahead log into the database file, and syncs both, while others
 * read and write. While nobody writes it also begins the log anew. Each message is answered when what could
 * be done is.
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

/** Whoever writes first into a log that was copied syncs its header. The same number again changes nothing. */
function beginAnew(sqlite: Sqlite): void {
  sqlite.run("PRAGMA synchronous = NORMAL");
  const version = sqlite.query<{ user_version: number }, []>("PRAGMA user_version").get();
  sqlite.run(`PRAGMA user_version = ${version?.user_version ?? 0}`);
}

self.onmessage = ({ data: order }: MessageEvent<CheckpointOrder>) => {
  try {
    copyLog(order);
  } catch {
    // A disk that fails: the next flush hears of it, too, and tells who wrote. It is tried again later.
  }
  self.postMessage(null);
};
