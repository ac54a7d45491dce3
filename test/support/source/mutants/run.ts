/**
 * `npm run soak -- mutants`: changes the domain in MUTANTS (150) places, one at a time, in a copy
 * of the tree. For each, runs the test files that reach the changed line, the likeliest first,
 * until one fails. A failure counts if the same test file then passes without the change and fails
 * again with it. Changes that make a test hang are listed.
 *
 * A change that no test notices is a survivor. All survivors are listed; more than 5 % give exit
 * status 1. MUTANTS_SEED (1) selects other places, MUTANTS_AT_ONCE (1) runs several copies in
 * parallel, MUTANTS_ONLY (text) selects files by path. Results are stored in `dist/mutants`, so a
 * stopped run continues. A place is repeated only if its file or the noticing test has changed, or
 * if it survived.
 */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { generateSources } from "../../../../scripts/generate.ts";
import { staleEquivalents } from "./equivalent.ts";
import { createReach, type ReachingTest } from "./reach.ts";
import { chooseSites, type Site, sitesOf } from "./sites.ts";
import { copyTree, type Tree } from "./tree.ts";
import { createUses } from "./uses.ts";

const ROOT = fileURLToPath(new URL("../../../..", import.meta.url));
/** The domain, and other code with rules: payments, mail, network address checks, privacy. */
const CHANGED = /^src\/(features|call|conversation|platform\/net)\//;
const SURVIVORS_SHARE_MAX = 0.05;
const KEPT = join(ROOT, "dist/mutants");
const RESULTS = join(KEPT, "results.jsonl");

const numberOf = (name: string, fallback: number) => Number(process.env[name] ?? fallback);
const atOnce = numberOf("MUTANTS_AT_ONCE", 1);

const textOf = (file: string) => readFileSync(join(ROOT, file), "utf8");

// ── earlier results ───────────────────────────────────────────────────────────────────────────────

const noticedSchema = z.object({ key: z.string(), test: z.string(), testHash: z.string() });

/** Identifies a change of a file's content. */
const keyOf = ({ file, start, after }: Site) =>
  Bun.hash(`${textOf(file)}\0${start}\0${after}`).toString(36);
const testHashOf = (test: string) => Bun.hash(textOf(test)).toString(36);

/** The test that noticed each change, by key, if the test has not changed since. */
function readNoticed(): Map<string, string> {
  const rows = existsSync(RESULTS) ? readFileSync(RESULTS, "utf8").split("\n").filter(Boolean) : [];
  return new Map(
    rows
      .map((row) => noticedSchema.parse(JSON.parse(row)))
      .filter(({ test, testHash }) => existsSync(join(ROOT, test)) && testHashOf(test) === testHash)
      .map(({ key, test }) => [key, test]),
  );
}

function keepNoticed(site: Site, test: string): void {
  const row = { key: keyOf(site), test, testHash: testHashOf(test) };
  appendFileSync(RESULTS, `${JSON.stringify(row)}\n`);
}

// ── one place ─────────────────────────────────────────────────────────────────────────────────────

/**
 * Time limit of a test file, after which it counts as hanging. `seconds`: its duration without a
 * change.
 */
const limitFor = (seconds: number) => 30 + 4 * seconds;

/** True if the test fails only with the change. */
async function isNoticedBy(
  tree: Tree,
  site: Site,
  { test, seconds }: ReachingTest,
): Promise<boolean> {
  const path = join(tree.directory, site.file);
  const text = textOf(site.file);
  const changed = text.slice(0, site.start) + site.after + text.slice(site.end);
  const runChanged = async (limitSeconds: number) => {
    writeFileSync(path, changed);
    const run = await tree.run(test, { limitSeconds });
    writeFileSync(path, text);
    return run;
  };
  // On a busy machine a test can fail by itself, so it must pass without the change and fail again
  // with it. The time limit is measured again at the present load, so that slowness does not count
  // as a failure.
  if ((await runChanged(limitFor(seconds))).passed) return false;
  const unchanged = await tree.run(test, { limitSeconds: limitFor(seconds) });
  if (!unchanged.passed) return false;
  const again = await runChanged(limitFor(Math.max(seconds, unchanged.seconds)));
  if (again.isTimedOut) console.log(`  does not end with the change: ${test}`);
  return !again.passed;
}

/** Returns the test that noticed the change; null if none did. */
async function judge(
  tree: Tree,
  site: Site,
  tests: readonly ReachingTest[],
): Promise<string | null> {
  for (const test of tests) if (await isNoticedBy(tree, site, test)) return test.test;
  return null;
}

// ── which places, and who can notice them ─────────────────────────────────────────────────────────

async function readSources(): Promise<Map<string, string>> {
  const files = await Array.fromAsync(new Bun.Glob("src/**/*.ts").scan({ cwd: ROOT }));
  return new Map(files.sort().map((file) => [file, textOf(file)]));
}

function chosenSites(sources: ReadonlyMap<string, string>): Site[] {
  const only = process.env.MUTANTS_ONLY ?? "";
  const all = [...sources]
    .filter(([file]) => CHANGED.test(file) && file.includes(only) && !file.includes(".gen."))
    .flatMap(([file, text]) => sitesOf(file, text));
  const stale = only === "" ? staleEquivalents() : [];
  for (const entry of stale) console.error(`equivalent.ts names a line that is gone: ${entry}`);
  if (stale.length > 0) process.exit(2);
  const count = numberOf("MUTANTS", 150);
  return chooseSites(all, { count, perFileMax: 4, seed: numberOf("MUTANTS_SEED", 1) });
}

const oneLine = (text: string) => text.replace(/\s+/g, " ").slice(0, 60);
const named = ({ file, line, before, after }: Site) =>
  `${file}:${line} ${oneLine(before)} → ${oneLine(after)}`;

// ── all places ────────────────────────────────────────────────────────────────────────────────────

// The copy is removed on exit.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(130));
await generateSources();
const sources = await readSources();
const sites = chosenSites(sources);
const uses = createUses(sources);
const reach = await createReach(ROOT, join(KEPT, "measured.jsonl"));
const isQuick = (site: Site) => reach.isQuick(uses.placesOf(site));
const noticed = readNoticed();
const waiting = [...sites.filter(isQuick), ...sites.filter((site) => !isQuick(site))];
const survivors: string[] = [];
let done = 0;

async function lane(): Promise<void> {
  const tree = copyTree(ROOT);
  try {
    for (let site = waiting.shift(); site; site = waiting.shift()) {
      const before = noticed.get(keyOf(site));
      const tests = before === undefined ? await reach.testsFor(uses.placesOf(site)) : [];
      const test = before ?? (await judge(tree, site, tests));
      if (test === null)
        survivors.push(`${site.kind} ${named(site)} (${tests.length} tests run it)`);
      else if (before === undefined) keepNoticed(site, test);
      const outcome = test === null ? "SURVIVED" : `noticed by ${test}${before ? " before" : ""}:`;
      console.log(`${++done}/${sites.length} ${outcome} ${named(site)}`);
    }
  } finally {
    tree.remove();
  }
}

await Promise.all(Array.from({ length: atOnce }, lane));
const share = sites.length === 0 ? 1 : survivors.length / sites.length;
for (const survivor of survivors) console.log(`survivor: ${survivor}`);
console.log(
  `${sites.length} places changed, ${survivors.length} not noticed (${(share * 100).toFixed(1)} %, at most 5 %)`,
);
process.exit(share <= SURVIVORS_SHARE_MAX ? 0 : 1);
