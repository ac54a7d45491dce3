import { expect, test } from "bun:test";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "../../..");

test("config/linevoice.toml and docs/configuration.md are what the schema says", () => {
  const check = Bun.spawnSync([process.execPath, "scripts/config-reference.ts", "--check"], {
    cwd: ROOT,
  });
  expect(check.stderr.toString()).toBe("");
  expect(check.exitCode).toBe(0);
});
