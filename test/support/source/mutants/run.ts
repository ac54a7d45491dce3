/**
 * `npm run soak -- mutants`: changes the domain in MUTANTS (150) places, one at a time, in a copy of the tree, and
 * runs the test files that run the changed line, the likeliest first, until one fails. A failure counts when the same
 * test file passes without the change right after, and fails with it again; one that does not end with the change is
 * named. A change that no test notices is a survivor and is named; more than 5 % of them end with 1. MUTANTS_SEED (1)
 * chooses other places, MUTANTS_AT_ONCE (1) runs several copies side by side, MUTANTS_ONLY (text) keeps files whose
 * path contains it. What was seen is kept in `dist/mutants`: a run that was stopped goes on where it was, and a place
 * is asked again only when its file or the test that noticed it has changed, or when nobody noticed it.
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
/** The domain, and what decides beside it: payments and mail, addresses that may be called, privacy. */
const CHANGED = /^src\/(domain|adapter\/(mail|payments)|platform\/net|operations\/privacy)\//;
const SURVIVORS_SHARE_MAX = 0.05;
const KEPT = join(ROOT, "dist/mutants");
const RESULTS = join(KEPT, "results.jsonl");

const numberOf = (name: string, fallback: number) => Number(process.env[name] ?? fallback);
const atOnce = numberOf("MUTANTS_AT_ONCE", 1);

const textOf = (file: string) => readFileSync(join(ROOT, file), "utf8");

// ── what was seen before ──────────────────────────────────────────────────────────────────────────

const noticedSchema = z.object({ key: z.string(), test: z.string(), testHash: z.string() });

/** The same change of the same file. */
const keyOf = ({ file, start, after }: Site) =>
  Bun.hash(`${textOf(file)}\0${start}\0${after}`).toString(36);
const testHashOf = (test: string) => Bun.hash(textOf(test)).toString(36);

/** Key of a place → the test that noticed it and still stands as it stood. */
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

/** A file that takes longer than this does not end at all. `seconds`: what it takes without a change. */
const limitFor = (seconds: number) => 30 + 4 * seconds;

/** True: the test fails with the change, and only with it. */
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
  // On a busy machine a test can fail by itself: it must pass without the change, and fail again with it. How long it
  // may take is measured on the machine as it is now: what is slow for others' sake has noticed nothing.
  if ((await runChanged(limitFor(seconds))).passed) return false;
  const unchanged = await tree.run(test, { limitSeconds: limitFor(seconds) });
  if (!unchanged.passed) return false;
  const again = await runChanged(limitFor(Math.max(seconds, unchanged.seconds)));
  if (again.isTimedOut) console.log(`  does not end with the change: ${test}`);
  return !again.passed;
}

/** null: nobody noticed; else the test that did. */
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

// A copy is removed at the exit.
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
