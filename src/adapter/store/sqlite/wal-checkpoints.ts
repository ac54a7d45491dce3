/**
 * Keeps SQLite's write-ahead log short without the thread that commits: to copy the log into the database
 * file is to wait for the disk twice. A worker does it (checkpoint.worker.ts), which starts when it is first
 * needed. Commits go on meanwhile. The log begins anew only when all of it is copied, so that its end is
 * copied while transactions wait; a log that grew instead would wait for the file system's own locks.
 *
 * When it is several times as long as it should be (somebody reads an old state, the worker died), SQLite
 * copies it at a commit, as it would without a worker.
 */
import type { Database as Sqlite } from "bun:sqlite";
import { type Clock, within } from "../../../core/clock.ts";

export interface WalCheckpoints {
  /** Asks for a copy if enough is in the log. */
  afterCommit(): void;
  /** What a transaction waits for before it begins; null: nothing. */
  room(): Promise<unknown> | null;
  /** Waits for a copy that is under way, and ends the worker. */
  close(): Promise<void>;
}

/** To the worker. */
export interface CheckpointOrder {
  readonly path: string;
  /** Transactions wait meanwhile. */
  readonly isAlone: boolean;
}

/** 16 MB. With each copy a call waits, so that copies are to be seldom. */
const PAGES = 4000;
const PAGES_MAX = 4 * PAGES;
/** A call that rings waits as long at most: on a disk that is slower the log grows meanwhile. */
const ROOM_TIMEOUT_MS = 50;

/** `writer` and `reader` are all of this process that may write to the database at `path`. */
export function walCheckpoints(
  path: string,
  { writer, reader }: { readonly writer: Sqlite; readonly reader: Sqlite },
  spawn: () => Worker,
  clock: Clock,
): WalCheckpoints {
  for (const each of [writer, reader]) each.run(`PRAGMA wal_autocheckpoint = ${PAGES_MAX}`);
  const pragma = writer.query<{ log: number; checkpointed: number }, []>(
    "PRAGMA wal_checkpoint(NOOP)",
  );
  let worker: Worker | null = null;
  let running: Promise<void> | null = null;
  let isRoomWanted = false;
  /** Pages in the log when a copy was last asked for: where somebody reads an old state, none can be made. */
  let asked = 0;

  /** Pages in the log, and how many of them the file has not. */
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
