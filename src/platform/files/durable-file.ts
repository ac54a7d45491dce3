/**
 * Writes files atomically, even across a power failure: fsync the file, rename it, fsync the
 * directory.
 */
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";

const PRIVATE_FILE = 0o600;

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

/**
 * Writes a private file (0600) unless it exists. After a crash there is a whole file or none. If
 * two writers race, one wins. `draft`: a path in the same directory that nobody else uses.
 */
export function makeOnce(path: string, draft: string, text: string): void {
  writeFileSync(draft, text, { flag: "wx", mode: PRIVATE_FILE });
  chmodSync(draft, PRIVATE_FILE);
  try {
    flush(draft);
    linkSync(draft, path);
    flush(dirname(path));
  } catch (error) {
    if (!existsSync(path)) throw error;
  } finally {
    rmSync(draft);
  }
}
