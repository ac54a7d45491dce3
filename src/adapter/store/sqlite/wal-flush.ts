/**
 * Writes SQLite's write-ahead log to the disk outside of the thread that commits (`PRAGMA synchronous =
 * NORMAL` leaves that to us). One flush at a time: whoever asks while one runs shares the next one, since
 * the running one may have begun before their COMMIT.
 *
 * The log is opened beside SQLite: its locks are on the database and on the shared memory, so that this
 * descriptor loses none of them.
 */
import { type FileHandle, open } from "node:fs/promises";

/** A handle that nothing refers to ends the process with an error when it is collected. */
const handles = new Set<FileHandle>();

export interface WalFlush {
  /** Resolves when all that is committed now is on the disk; rejects with the disk's error. */
  flush(): Promise<void>;
  /** The last flush that is under way or waits; null: all that can be read is on the disk. */
  pending(): Promise<void> | null;
  close(): Promise<void>;
}

export function walFlush(databasePath: string): WalFlush {
  let log: Promise<FileHandle> | null = null;
  let running: Promise<void> | null = null;
  let next: Promise<void> | null = null;

  async function sync(): Promise<void> {
    // SQLite makes the log with the first change.
    log ??= open(`${databasePath}-wal`, "r").then(
      (handle) => {
        handles.add(handle);
        return handle;
      },
      (error) => {
        log = null;
        throw error;
      },
    );
    await (await log).datasync();
  }

  function begin(): Promise<void> {
    const begun = sync().finally(() => {
      if (running === begun) running = null;
    });
    running = begun;
    return begun;
  }

  function follow(before: Promise<void>): Promise<void> {
    const own = () => {
      next = null;
      return begin();
    };
    return before.then(own, own);
  }

  return {
    flush() {
      if (running === null) return begin();
      next ??= follow(running);
      return next;
    },
    pending: () => next ?? running,
    async close() {
      const handle = await log;
      log = null;
      if (!handle || !handles.delete(handle)) return;
      await handle.close();
    },
  };
}
