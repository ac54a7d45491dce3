/**
 * The compiled program, rebuilt if a source changed. `npm test` has already built it and passes its
 * path.
 */
import { expect } from "bun:test";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "../../..");
const { TEST_PROGRAM: built } = process.env;

export const BUILD_LIMIT_MS = 180_000;

/** Returns the path, `dist/linevoice`. `dist/SHA256SUMS` is in the same directory. */
export async function builtBinary(): Promise<string> {
  if (built) return built;
  const build = Bun.spawn([process.execPath, "scripts/build.ts", "--if-changed"], {
    cwd: ROOT,
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
  });
  const complaint = await new Response(build.stderr).text();
  expect({ exit: await build.exited, complaint }).toMatchObject({ exit: 0 });
  return join(ROOT, "dist/linevoice");
}
