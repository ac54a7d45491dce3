/**
 * The checkpoint worker: copies SQLite's write-ahead log into the database file, and syncs both, while others
 * read and write. Each message, the path of a database, is answered when what could be copied is.
 */
import { Database as Sqlite } from "bun:sqlite";

declare const self: Worker;

function copyLog(path: string): void {
  const sqlite = new Sqlite(path, { readwrite: true });
  try {
    sqlite.run("PRAGMA wal_checkpoint(PASSIVE)");
  } finally {
    sqlite.close();
  }
}

self.onmessage = ({ data: path }: MessageEvent<string>) => {
  try {
    copyLog(path);
  } catch {
    // A disk that fails: the next flush hears of it, too, and tells who wrote. It is tried again later.
  }
  self.postMessage(null);
};
