/**
 * Finds the test files that run a line of the program. Each test file runs once without changes,
 * and its coverage is stored in `dist/mutants`; it is measured again if it or a loaded file has
 * changed. A test file that fails without changes is listed and skipped.
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { copyTree, type Tree } from "./tree.ts";
import type { Place } from "./uses.ts";

const measuredSchema = z.object({
  test: z.string(),
  /** Hash of the test's text and the loaded files. */
  hash: z.string(),
  passed: z.boolean(),
  failed: z.string().nullable().default(null),
  seconds: z.number(),
  /** Lines that ran by loaded file, as `3-17 20-21`. */
  lines: z.record(z.string(), z.string()),
});
type Measured = z.infer<typeof measuredSchema>;

export interface ReachingTest {
  readonly test: string;
  /** Duration on the unchanged tree. */
  readonly seconds: number;
}

export interface Reach {
  /** Whether a test without real audio runs one of these lines. */
  isQuick(places: readonly Place[]): boolean;
  /**
   * Tests that run one of these lines, the likeliest and fastest first. Tests with real audio only
   * if there is no other.
   */
  testsFor(places: readonly Place[]): Promise<ReachingTest[]>;
}

/** These test the compiled program or the pages, which a changed source does not affect. */
const OUTSIDE = /^test\/(binary|browser|dashboard|cli|peer)\//;
/**
 * Slow, because they run in real time (speech or SIP timers). Used only if no other test runs the
 * line.
 */
const WITH_AUDIO = /^test\/(scenario|(sip|media\/rtp|engine\/speech))\//;
/** Long-running tests. Faster tests check the same. */
const SOAKS = /(conversation-soak|simulation|storm|killed|disk-|torture|loss|mutated)\b/;
const MEASURE_LIMIT_SECONDS = 240;

const hashOf = (text: string) => Bun.hash(text).toString(36);

async function filesOf(root: string, pattern: string): Promise<string[]> {
  return (await Array.fromAsync(new Bun.Glob(pattern).scan({ cwd: root }))).sort();
}

function hashOfLoaded(root: string, test: string, lines: Measured["lines"]): string {
  const files = [test, ...Object.keys(lines).sort()].map((file) => join(root, file));
  return hashOf(
    files.map((file) => (existsSync(file) ? readFileSync(file, "utf8") : "")).join("\0"),
  );
}

/** Parses `SF:file`, then `DA:line,count` for each line with code. */
function linesOfLcov(text: string): Record<string, string> {
  const lines: Record<string, string> = {};
  let [file, first, last] = ["", 0, 0];
  const close = () => {
    if (last > 0) lines[file] = `${lines[file] ? `${lines[file]} ` : ""}${first}-${last}`;
    [first, last] = [0, 0];
  };
  for (const row of text.split("\n")) {
    const [, line, count] = /^DA:(\d+),(\d+)$/.exec(row) ?? [];
    const at = Number(line);
    if (last > 0 && (count === undefined || count === "0" || at !== last + 1)) close();
    if (row.startsWith("SF:")) {
      file = row.slice(3);
      lines[file] = "";
    }
    if (count === undefined || count === "0") continue;
    [first, last] = [first || at, at];
  }
  close();
  return lines;
}

const holds = (ranges: string | undefined, line: number): boolean =>
  ranges?.split(" ").some((range) => {
    const [first = 0, last = 0] = range.split("-").map(Number);
    return first <= line && line <= last;
  }) ?? false;

async function measure(tree: Tree, test: string): Promise<Measured> {
  const coverageTo = join(tree.directory, "coverage");
  const limits = { limitSeconds: MEASURE_LIMIT_SECONDS, coverageTo };
  const report = join(coverageTo, "lcov.info");
  // A second attempt, because a busy machine can make a test fail.
  let run = await tree.run(test, limits);
  if (!run.passed) run = await tree.run(test, limits);
  const lines = existsSync(report) ? linesOfLcov(readFileSync(report, "utf8")) : {};
  rmSync(coverageTo, { recursive: true, force: true });
  return { test, hash: hashOfLoaded(tree.directory, test, lines), lines, ...run };
}

/** One line of JSON each; the last entry of a test counts. */
function readMeasured(path: string): Map<string, Measured> {
  const rows = existsSync(path) ? readFileSync(path, "utf8").split("\n").filter(Boolean) : [];
  return new Map(
    rows.map((row) => measuredSchema.parse(JSON.parse(row))).map((row) => [row.test, row]),
  );
}

/** Measures the tests that `kept` does not contain. */
async function measureAll(
  root: string,
  kept: string,
  tests: readonly string[],
): Promise<Measured[]> {
  const known = readMeasured(kept);
  mkdirSync(dirname(kept), { recursive: true });
  const tree = copyTree(root);
  try {
    const all: Measured[] = [];
    for (const test of tests) {
      const before = known.get(test);
      const isKnown = before?.passed && before.hash === hashOfLoaded(root, test, before.lines);
      const row = isKnown ? before : await measure(tree, test);
      if (row !== before) appendFileSync(kept, `${JSON.stringify(row)}\n`);
      if (!row.passed)
        console.log(
          `left out, it fails without any change: ${test} (${row.failed ?? "broke off"})`,
        );
      all.push(row);
    }
    return all.filter(({ passed }) => passed);
  } finally {
    tree.remove();
  }
}

const reaching = (measured: readonly Measured[], places: readonly Place[]): Measured[] =>
  measured.filter(({ lines }) => places.some((place) => holds(lines[place.file], place.line)));

/** Sort key; smaller runs first: tests of the same room or name, then the faster ones. */
function rankOf({ test, seconds }: Measured, file: string): number {
  const words = file.replace(/\.ts$/, "").split(/[/-]/).slice(1);
  const near = words.filter((word) => test.split(/[/.-]/).includes(word)).length;
  return (seconds + 0.5) / 4 ** near;
}

/** `root`: the project's folder; `kept`: file for measurements between runs. */
export async function createReach(root: string, kept: string): Promise<Reach> {
  const tests = (await filesOf(root, "test/*/**/*.test.ts")).filter(
    (test) => !OUTSIDE.test(test) && !SOAKS.test(test),
  );
  const keepsPace = (test: string) =>
    WITH_AUDIO.test(test) && readFileSync(join(root, test), "utf8").includes("/support/");
  const measured = (isSlow: boolean) =>
    measureAll(
      root,
      kept,
      tests.filter((test) => keepsPace(test) === isSlow),
    );
  const quick = await measured(false);
  let slow: Promise<Measured[]> | undefined;
  const isQuick = (places: readonly Place[]) => reaching(quick, places).length > 0;
  return {
    isQuick,
    async testsFor(places) {
      const file = places[0]?.file ?? "";
      if (!isQuick(places)) slow ??= measured(true);
      const asked = isQuick(places) ? quick : ((await slow) ?? []);
      return reaching(asked, places).sort((a, b) => rankOf(a, file) - rankOf(b, file));
    },
  };
}
