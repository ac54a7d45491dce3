/** Files that are there as a whole or not at all, also after a power cut: fsync, rename, fsync of the directory. */
import { closeSync, fsyncSync, openSync, renameSync } from "node:fs";
import { dirname } from "node:path";

/** Flushes a file or a directory. */
export function flush(path: string): void {
  const handle = openSync(path, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Gives a finished file its name. Replaces what had it. */
export function moveDurably(from: string, to: string): void {
  flush(from);
  renameSync(from, to);
  flush(dirname(to));
}
