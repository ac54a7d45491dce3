/** A directory of the test's own, removed afterwards. */
import { afterAll } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Removed when the test file is done. */
export function tempDir(): string {
  const directory = mkdtempSync(join(tmpdir(), "linevoice-"));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
