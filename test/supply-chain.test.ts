/**
 * Packages from the registry: every package of the lock file is pinned to its bytes, and none runs a script.
 */
import { expect, test } from "bun:test";
import { join } from "node:path";
import manifest from "../package.json" with { type: "json" };
import lock from "../package-lock.json" with { type: "json" };

const ROOT = join(import.meta.dir, "..");

interface Locked {
  readonly integrity?: string;
  readonly link?: boolean;
}

test("every locked package has its integrity", () => {
  const entries = Object.entries(lock.packages as Record<string, Locked>);
  const unpinned = entries.filter(
    ([path, entry]) => path !== "" && !entry.link && !entry.integrity,
  );
  expect(unpinned).toEqual([]);
});

test("packages run no scripts on installation, and ours do not depend on hooks", async () => {
  expect(await Bun.file(join(ROOT, ".npmrc")).text()).toContain("ignore-scripts=true");
  // With ignore-scripts npm runs no pre and post scripts.
  const scripts: Record<string, string> = manifest.scripts;
  expect(Object.keys(scripts).filter((name) => /^(?:pre|post)\w/.test(name))).toEqual([]);
  for (const name of ["build", "start", "demo", "test", "lint", "release", "bench"])
    expect({ name, script: scripts[name] }).toEqual({
      name,
      script: expect.stringMatching(/^node scripts\/bootstrap\.mjs (--offline )?&& /),
    });
});
