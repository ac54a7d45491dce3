/**
 * The demo's data directory: empty for every run. Data of an earlier run is deleted; a directory
 * with anything else is rejected and not touched.
 */
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

export const DEFAULT_DATA_DIR = "data/demo";
const MARKER = "made-by-linevoice-demo";

export class DataDirInUse extends Error {
  override readonly name = "DataDirInUse";
}

/** Returns the absolute path of the empty, marked directory. */
export function freshDataDir(path: string): string {
  const directory = resolve(path);
  const marker = join(directory, MARKER);
  const content = existsSync(directory) ? readdirSync(directory) : [];
  if (content.length > 0 && !existsSync(marker))
    throw new DataDirInUse(
      `${directory} contains other files. Give an empty directory with --data-dir.`,
    );
  for (const name of content) rmSync(join(directory, name), { recursive: true, force: true });
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  writeFileSync(marker, "The demo empties this directory each time it starts.\n");
  return directory;
}
