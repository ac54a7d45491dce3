/**
 * Root's commands act as the owner of the data: what root wrote there itself, the service, which
 * runs without privileges, could not write again. Called once, after secrets were read and before
 * the data is touched.
 */
import { statSync } from "node:fs";

/** True when this process now runs as the directory's owner; false when there was nothing to do. */
export function becomeOwnerOf(directory: string): boolean {
  if (process.getuid?.() !== 0) return false;
  const owner = statSync(directory, { throwIfNoEntry: false });
  if (!owner?.isDirectory() || owner.uid === 0) return false;
  process.setgroups?.([owner.gid]);
  process.setgid?.(owner.gid);
  process.setuid?.(owner.uid);
  return true;
}
