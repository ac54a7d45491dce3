/**
 * Drops privileges: a command run as root continues as the owner of the data. The service is unprivileged and
 * could not write to files created by root. Called once, after secrets were read and before the data is used.
 */
import { statSync } from "node:fs";
import { join } from "node:path";

const GROUP_OR_OTHERS_WRITE = 0o022;
const OPENED = ["linevoice.db", "linevoice.db-wal", "linevoice.db-shm", "revocations.journal"];

/** A data file of another owner without access for this process; null: none. */
export function foreignFileIn(dataDir: string): string | null {
  const user = process.geteuid?.();
  if (user === 0) return null;
  const isForeign = (file: string): boolean => {
    const found = statSync(file, { throwIfNoEntry: false });
    return found !== undefined && found.uid !== user && (found.mode & GROUP_OR_OTHERS_WRITE) === 0;
  };
  return OPENED.map((name) => join(dataDir, name)).find(isForeign) ?? null;
}

/** Command that root must run. */
export const givingBack = (dataDir: string, file: string): string =>
  `chown --reference=${dataDir} ${file}`;

/** Returns true if this process now runs as the directory's owner; false if nothing had to change. */
export function dropPrivilegesToOwnerOf(directory: string): boolean {
  // Inside asOwnerOf the effective user is already the owner.
  if (process.getuid?.() !== 0 || process.geteuid?.() !== 0) return false;
  const owner = statSync(directory, { throwIfNoEntry: false });
  if (!owner?.isDirectory() || owner.uid === 0) return false;
  process.setgroups?.([owner.gid]);
  process.setgid?.(owner.gid);
  process.setuid?.(owner.uid);
  return true;
}

/** Like `dropPrivilegesToOwnerOf`, for one task only: afterwards the process is root again. */
export async function asOwnerOf<Result>(
  directory: string,
  task: () => Promise<Result>,
): Promise<Result> {
  const owner = statSync(directory, { throwIfNoEntry: false });
  if (process.geteuid?.() !== 0 || !owner?.isDirectory() || owner.uid === 0) return await task();
  process.setegid?.(owner.gid);
  process.seteuid?.(owner.uid);
  try {
    return await task();
  } finally {
    process.seteuid?.(0);
    process.setegid?.(0);
  }
}
