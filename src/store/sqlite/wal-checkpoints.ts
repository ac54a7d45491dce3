/**
 * Keeps SQLite's write-ahead log short without blocking the committing thread: copying the log into the
 * database file waits for the disk twice. A worker does it (checkpoint.worker.ts), started when first needed.
 * Commits continue meanwhile.
 *
 * The log restarts only after all of it is copied, so its end is copied while transactions wait. If the log
 * grew instead, writes would wait for the file system's locks.
 *
 * If the log is several times too long (a reader uses an old state, or the worker died), SQLite copies it at
 * a commit, as without a worker.
 */
import type { Database as Sqlite } from "bun:sqlite";
import { type Clock, within } from "../../core/clock.ts";

export interface WalCheckpoints {
  /** Starts a copy if the log is long enough. */
  afterCommit(): void;
  /** Promise to await before a transaction; null if none. */
  room(): Promise<unknown> | null;
  /** Waits for the running copy, then ends the worker. */
  close(): Promise<void>;
}

/** Message to the worker. */
export interface CheckpointOrder {
  readonly path: string;
  /** True if transactions wait meanwhile. */
  readonly isAlone: boolean;
}

/** Log pages (16 MB) before a copy. Each copy delays calls, so copies should be rare. */
const PAGES = 4000;
const PAGES_MAX = 4 * PAGES;
/** Maximum delay of a ringing call. On a slower disk the log grows meanwhile. */
const ROOM_TIMEOUT_MS = 50;

/** `writer` and `reader` must be all connections of this process that may write to the database at `path`. */
export function walCheckpoints(
  path: string,
  { writer, reader }: { readonly writer: Sqlite; readonly reader: Sqlite },
  spawn: () => Worker,
  clock: Clock,
): WalCheckpoints {
  for (const each of [writer, reader]) each.run(`PRAGMA wal_autocheckpoint = ${PAGES_MAX}`);
  const noop = "PRAGMA wal_checkpoint(NOOP)";
  const pragma = writer.query<{ log: number; checkpointed: number }, []>(noop);
  let worker: Worker | null = null;
  let running: Promise<void> | null = null;
  let isRoomWanted = false;
  /** Pages in the log at the last copy. While a reader uses an old state, another copy would be useless. */
  let asked = 0;

  function state(): { readonly log: number; readonly left: number } {
    const { log, checkpointed } = pragma.get() ?? { log: 0, checkpointed: 0 };
    return { log, left: log - checkpointed };
  }

  function copy(isAlone: boolean): Promise<void> {
    const done = Promise.withResolvers<void>();
    worker ??= spawn();
    worker.onmessage = () => done.resolve();
    worker.onerror = () => {
      worker = null;
      done.resolve();
    };
    worker.postMessage({ path, isAlone } satisfies CheckpointOrder);
    running = done.promise.finally(() => {
      running = null;
    });
    return running;
  }

  return {
    afterCommit() {
      if (running) return;
      const { log, left } = state();
      if (log < asked) asked = 0;
      if (Math.min(left, log - asked) < PAGES) return;
      asked = log;
      void copy(false).then(() => {
        isRoomWanted = worker !== null;
      });
    },
    room() {
      if (!isRoomWanted) return null;
      isRoomWanted = false;
      return within(clock, ROOM_TIMEOUT_MS, copy(true));
    },
    async close() {
      await running;
      worker?.terminate();
    },
  };
}
