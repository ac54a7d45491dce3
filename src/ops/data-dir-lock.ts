/**
 * One process on a data directory: flock(2) on `<data>/linevoice.lock`, which the kernel drops when the
 * process dies, however it dies. The file holds the owner's pid, for the message.
 */
import { dlopen, FFIType } from "bun:ffi";
import { closeSync, ftruncateSync, mkdirSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";

export interface DataDirLock {
  /** Idempotent. */
  release(): void;
}

export class DataDirBusy extends Error {
  override readonly name = "DataDirBusy";
  constructor(dataDir: string, pid: string) {
    super(
      `${dataDir} is in use by another linevoice${pid ? ` (pid ${pid})` : ""}. Stop that one first, or give this one another [storage] data_dir.`,
    );
  }
}

const LOCK_EX_NB = 2 | 4;

/** Throws DataDirBusy. */
export function lockDataDir(dataDir: string): DataDirLock {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const path = join(dataDir, "linevoice.lock");
  const file = openSync(path, "a+", 0o600);
  const libc = dlopen("libc.so.6", {
    flock: { args: [FFIType.i32, FFIType.i32], returns: FFIType.i32 },
  });
  const refused = libc.symbols.flock(file, LOCK_EX_NB) !== 0;
  libc.close();
  if (refused) {
    closeSync(file);
    throw new DataDirBusy(dataDir, readFileSync(path, "utf8").trim());
  }
  ftruncateSync(file, 0);
  writeSync(file, `${process.pid}\n`);
  let held = true;
  return {
    release() {
      if (held) closeSync(file);
      held = false;
    },
  };
}
