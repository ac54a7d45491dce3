/**
 * `npm run soak -- mutants`: changes the domain in MUTANTS (150) places, one at a time, in a copy of the tree, and
 * runs the tests that can reach the changed file, nearest first. A change that no test notices is a survivor and
 * is named; more than 5 % of them end with 1. MUTANTS_SEED (1) chooses other places, MUTANTS_AT_ONCE (1) runs
 * several copies side by side (each in a network namespace of its own, as root), MUTANTS_ONLY (text) keeps files
 * whose path contains it.
 */
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createReach, type Reach } from "./reach.ts";
import { chooseSites, type Site, sitesOf } from "./sites.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const ROOMS =
  "agent,billing,call,campaign,contact,conversation,identity,knowledge,mail,number,privacy,retention,schedule,tenant,tool,webhook";
const SURVIVORS_SHARE_MAX = 0.05;
const STAGE_TIMEOUT_MS = 480_000;
const COPIED = ["src", "test", "scripts", "migrations", "config", "docs", "dist"];
const COPIED_FILES = ["package.json", "package-lock.json", "bunfig.toml", "tsconfig.json"];

const numberOf = (name: string, fallback: number) => Number(process.env[name] ?? fallback);
const atOnce = numberOf("MUTANTS_AT_ONCE", 1);

/** A copy of the tree that may be changed; dependencies are shared. */
function copyTree(): string {
  const directory = mkdtempSync(join(tmpdir(), "linevoice-mutants-"));
  for (const name of COPIED) cpSync(join(ROOT, name), join(directory, name), { recursive: true });
  for (const name of [...COPIED_FILES, "README.md", "CHANGELOG.md", "ARCHITECTURE.md"])
    cpSync(join(ROOT, name), join(directory, name));
  symlinkSync(join(ROOT, "node_modules"), join(directory, "node_modules"));
  mkdirSync(join(directory, "data"), { recursive: true });
  return directory;
}

/** True: a test failed, or did not end in time. */
async function isNoticed(directory: string, tests: readonly string[]): Promise<boolean> {
  if (tests.length === 0) return false;
  const command = [process.execPath, "test", ...tests, "--bail=1", "--timeout=60000"];
  const apart = ["unshare", "-n", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"];
  const child = Bun.spawn(atOnce > 1 ? [...apart, ...command] : command, {
    ...{ cwd: directory, stdout: "ignore", stderr: "ignore", env: process.env },
    timeout: STAGE_TIMEOUT_MS,
    killSignal: "SIGKILL",
  });
  return (await child.exited) !== 0;
}

/** null: nobody noticed; else the stage that did. */
async function judge(directory: string, site: Site, reach: Reach): Promise<number | null> {
  const path = join(directory, site.file);
  const text = await Bun.file(join(ROOT, site.file)).text();
  writeFileSync(path, text.slice(0, site.start) + site.after + text.slice(site.end));
  try {
    // Real audio on a busy machine can stumble by itself: what fails there must fail twice.
    for (const [stage, tests] of reach.stagesFor(site.file).entries())
      if (await isNoticed(directory, tests))
        if (stage < 2 || (await isNoticed(directory, tests))) return stage;
    return null;
  } finally {
    writeFileSync(path, text);
  }
}

async function chosenSites(): Promise<Site[]> {
  const only = process.env.MUTANTS_ONLY ?? "";
  const all: Site[] = [];
  for await (const file of new Bun.Glob(`src/{${ROOMS}}/**/*.ts`).scan({ cwd: ROOT }))
    if (file.includes(only) && !file.includes(".gen."))
      all.push(...sitesOf(file, await Bun.file(join(ROOT, file)).text()));
  all.sort((a, b) => a.file.localeCompare(b.file) || a.start - b.start);
  const count = numberOf("MUTANTS", 150);
  return chooseSites(all, { count, perFileMax: 4, seed: numberOf("MUTANTS_SEED", 1) });
}

const oneLine = (text: string) => text.replace(/\s+/g, " ").slice(0, 60);
const named = ({ file, line, before, after }: Site) =>
  `${file}:${line} ${oneLine(before)} → ${oneLine(after)}`;

/** Every change would count as noticed while a test fails by itself. */
async function assertGreen(reach: Reach, files: readonly string[]): Promise<void> {
  const quick = new Set(files.flatMap((file) => reach.stagesFor(file).slice(0, 2).flat()));
  const directory = copyTree();
  const red = await isNoticed(directory, [...quick].sort());
  rmSync(directory, { recursive: true, force: true });
  if (!red) return;
  console.error("Tests fail without any change. Run `npm test`, and repair them first.");
  process.exit(2);
}

const sites = await chosenSites();
const reach = await createReach(ROOT);
await assertGreen(
  reach,
  sites.map(({ file }) => file),
);
const waiting = [...sites];
const survivors: Site[] = [];
let done = 0;

async function lane(): Promise<void> {
  const directory = copyTree();
  try {
    for (let site = waiting.shift(); site; site = waiting.shift()) {
      const stage = await judge(directory, site, reach);
      if (stage === null) survivors.push(site);
      const outcome = stage === null ? "SURVIVED" : `noticed (stage ${stage + 1})`;
      console.log(`${++done}/${sites.length} ${outcome} ${named(site)}`);
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

await Promise.all(Array.from({ length: atOnce }, lane));
const share = sites.length === 0 ? 1 : survivors.length / sites.length;
for (const site of survivors) console.log(`survivor: ${site.kind} ${named(site)}`);
console.log(
  `${sites.length} places changed, ${survivors.length} not noticed (${(share * 100).toFixed(1)} %, at most 5 %)`,
);
process.exit(share <= SURVIVORS_SHARE_MAX ? 0 : 1);
