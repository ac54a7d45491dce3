/**
 * Allows one process per data directory: flock(2) on `<data>/linevoice.lock`, which the kernel releases when
 * the process ends for any reason. The file contains the owner's pid and its type (server or command).
 *
 * A process waits if a command holds the lock: commands are short, and a server must not fail to start
 * because of one.
 */
import { dlopen, FFIType } from "bun:ffi";
import {
  closeSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { type Clock, sleep, systemClock } from "../core/clock.ts";

type DataDirUser = "server" | "command";

export interface DataDirLock {
  /** Idempotent. */
  release(): void;
}

export class DataDirBusy extends Error {
  override readonly name = "DataDirBusy";
  constructor(
    dataDir: string,
    pid: string,
    /** Null: the owner has not written it yet. */
    readonly user: DataDirUser | null,
  ) {
    super(
      `${dataDir} is in use by another linevoice${pid ? ` (pid ${pid})` : ""}. Stop that one first, or give this one another [storage] data_dir.`,
    );
  }
}

const ownerIn = (dataDir: string) => {
  const [pid = "", user] = readFileSync(join(dataDir, LOCK_FILE), "utf8").trim().split(" ");
  return { pid, user: user === "server" || user === "command" ? user : null } as const;
};

/** Null: no server runs on the directory. */
export function serverPid(dataDir: string): number | null {
  if (!existsSync(join(dataDir, LOCK_FILE))) return null;
  const { pid, user } = ownerIn(dataDir);
  return user === "server" ? Number(pid) : null;
}

const LOCK_FILE = "linevoice.lock";
const LOCK_EX_NB = 2 | 4;

/** Tries once. Throws DataDirBusy, or a clear Error if the disk is full. */
export function lockDataDir(dataDir: string, user: DataDirUser): DataDirLock {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const file = openSync(join(dataDir, LOCK_FILE), "a+", 0o600);
  const libc = dlopen("libc.so.6", {
    flock: { args: [FFIType.i32, FFIType.i32], returns: FFIType.i32 },
  });
  const refused = libc.symbols.flock(file, LOCK_EX_NB) !== 0;
  libc.close();
  if (refused) {
    closeSync(file);
    const { pid, user: owner } = ownerIn(dataDir);
    throw new DataDirBusy(dataDir, pid, owner);
  }
  try {
    ftruncateSync(file, 0);
    writeSync(file, `${process.pid} ${user}\n`);
  } catch (cause) {
    closeSync(file);
    if (!(cause instanceof Error && "code" in cause && cause.code === "ENOSPC")) throw cause;
    const message = `The disk of ${dataDir} is full. Free up space: du -xh ${dataDir} | sort -h | tail`;
    throw new Error(message, { cause });
  }
  let held = true;
  return {
    release() {
      if (!held) return;
      held = false;
      ftruncateSync(file, 0);
      closeSync(file);
    },
  };
}

/** Maximum wait of a server for a command, and of a command for a starting server. */
export const DATA_DIR_WAIT_MS = 10_000;
const POLL_EVERY_MS = 50;

/** Waits at most 10 s for a command that holds the lock, never for a server. Throws DataDirBusy. */
export async function awaitDataDir(
  dataDir: string,
  user: DataDirUser,
  clock: Clock = systemClock,
): Promise<DataDirLock> {
  const until = clock.monotonic() + DATA_DIR_WAIT_MS;
  for (;;) {
    try {
      return lockDataDir(dataDir, user);
    } catch (error) {
      if (!(error instanceof DataDirBusy)) throw error;
      if (error.user === "server" || clock.monotonic() >= until) throw error;
    }
    await sleep(clock, POLL_EVERY_MS);
  }
}
