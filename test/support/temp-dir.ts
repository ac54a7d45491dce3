/** Temporary directories for tests, removed when the test process ends. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { atTheEnd } from "./at-the-end.ts";

const made: string[] = [];
atTheEnd(() => {
  for (const directory of made) rmSync(directory, { recursive: true, force: true });
});

/** May be called anywhere, also in hooks. */
export function tempDir(): string {
  const directory = mkdtempSync(join(tmpdir(), "linevoice-"));
  made.push(directory);
  return directory;
}
