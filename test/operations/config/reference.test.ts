import { expect, test } from "bun:test";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "../../..");

test("docs/configuration.md is what the schema and the commented file say", () => {
  const check = Bun.spawnSync([process.execPath, "scripts/config-reference.ts", "--check"], {
    cwd: ROOT,
  });
  expect(check.stderr.toString()).toBe("");
  expect(check.exitCode).toBe(0);
});
