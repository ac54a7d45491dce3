/**
 * Syncs SQLite's write-ahead log outside of the committing thread (`PRAGMA synchronous = NORMAL` allows
 * that). One flush at a time: callers during a flush share the next one, since the running one may have
 * started before their COMMIT.
 *
 * The log is opened separately from SQLite. SQLite's locks are on the database and on the shared memory, so
 * closing this descriptor releases none of them.
 */
import { type FileHandle, open } from "node:fs/promises";

/** Keeps handles referenced: a garbage-collected handle ends the process with an error. */
const handles = new Set<FileHandle>();

export interface WalFlush {
  /** Resolves when all commits so far are on the disk; rejects with the disk's error. */
  flush(): Promise<void>;
  /** The last running or waiting flush; null if everything is on the disk. */
  pending(): Promise<void> | null;
  close(): Promise<void>;
}

export function walFlush(databasePath: string): WalFlush {
  let log: Promise<FileHandle> | null = null;
  let running: Promise<void> | null = null;
  let next: Promise<void> | null = null;

  async function sync(): Promise<void> {
    // SQLite creates the log with the first change.
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
