/**
 * Root's commands act as the owner of the data: what root wrote there itself, the service, which
 * runs without privileges, could not write again. Called once, after secrets were read and before
 * the data is touched.
 */
import { statSync } from "node:fs";

/** True when this process now runs as the directory's owner; false when there was nothing to do. */
export function becomeOwnerOf(directory: string): boolean {
  // Inside asOwnerOf, this process is the owner already.
  if (process.getuid?.() !== 0 || process.geteuid?.() !== 0) return false;
  const owner = statSync(directory, { throwIfNoEntry: false });
  if (!owner?.isDirectory() || owner.uid === 0) return false;
  process.setgroups?.([owner.gid]);
  process.setgid?.(owner.gid);
  process.setuid?.(owner.uid);
  return true;
}

/** The same for one task only: afterwards this process is root again. */
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
