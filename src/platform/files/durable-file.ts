/**
 * Writes files atomically, even across a power failure: fsync the file, rename it, fsync the
 * directory.
 */
import { closeSync, fsyncSync, openSync, renameSync } from "node:fs";
import { dirname } from "node:path";

/** Flushes a file or a directory to disk (fsync). */
export function flush(path: string): void {
  const handle = openSync(path, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Renames a finished file. Replaces an existing target. */
export function moveDurably(from: string, to: string): void {
  flush(from);
  renameSync(from, to);
  flush(dirname(to));
}
