/**
 * `npm test`: build, lint, types and every test in parallel, and one summary line. A failed step
 * counts as a failed test, so that the summary shows it.
 */
import { mkdir, rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { generateSources } from "./generate.ts";
import { pacedSuites, type Suite, yieldingSuites } from "./test-suites.ts";

const PACED_LANES = 2;
const YIELDING_LANES = 1;
/** Low priority, in favour of the suites with real-time audio. */
const GIVING_WAY = ["nice", "-n", "10"];
/**
 * Only for tests that hang: low-priority suites may stall for long, and no test measures time with
 * it.
 */
const TIMEOUT = "--timeout=180000";

const root = fileURLToPath(new URL("..", import.meta.url));
const bun = process.execPath;
/**
 * One checker thread: four would each check many of the same files. GOGC: with a small heap, Go
 * collects garbage too often.
 */
const CHECKING_TYPES = [
  ...["env", "GOGC=800", `${root}node_modules/.bin/tsc`],
  ...["--noEmit", "--singleThreaded"],
];
/** `--times` lists the test files at the end, the longest first. */
const only = process.argv.slice(2).filter((argument) => argument !== "--times");
const toldTimes = process.argv.includes("--times");

/**
 * The compiled program, if it is built first. A selection of files runs immediately from source, or
 * builds what it needs.
 */
const program = only.length > 0 ? {} : { TEST_PROGRAM: `${root}dist/linevoice` };

/** While several processes run, the output of each is held back until it ends. */
let together = false;

/** Description of a process's end; null for exit status 0. */
async function run(label: string, command: string[], extra = {}): Promise<string | null> {
  const env = { ...process.env, ...program, ...extra };
  if (!together) {
    console.error(`── ${label}`);
    const child = Bun.spawn(command, { cwd: root, env, stdout: "inherit", stderr: "inherit" });
    await child.exited;
    return endOf(child);
  }
  const began = performance.now();
  const child = Bun.spawn(command, { cwd: root, env, stdout: "pipe", stderr: "pipe" });
  const words = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  await child.exited;
  const seconds = Math.round((performance.now() - began) / 1_000);
  const processor = Math.round(Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1e6);
  console.error(`── ${label} (${seconds} s, ${processor} s of a processor)\n${words.join("")}`);
  return endOf(child);
}

function endOf({ signalCode, exitCode }: Bun.Subprocess): string | null {
  if (signalCode !== null) return String(signalCode);
  return exitCode === 0 ? null : `status ${exitCode}`;
}

interface Tally {
  passed: number;
  failed: number;
  skipped: number;
}

const fileTimes: { readonly label: string; readonly file: string; readonly seconds: number }[] = [];

function keepTimes(label: string, report: string): void {
  for (const [, file = "", seconds] of report.matchAll(
    /<testsuite name="([^"]+)" file="\1"[^>]*? time="([\d.]+)"/g,
  ))
    fileTimes.push({ label, file, seconds: Number(seconds) });
}

/** Reads the totals of bun's JUnit report, and which files failed. */
async function tallyOf(
  label: string,
  report: string,
): Promise<(Tally & { failedFiles: string[] }) | null> {
  const file = Bun.file(report);
  if (!(await file.exists())) return null;
  const text = await file.text();
  keepTimes(label, text);
  const head = /<testsuites[^>]*>/.exec(text)?.[0] ?? "";
  const number = (name: string) => Number(new RegExp(`\\b${name}="(\\d+)"`).exec(head)?.[1] ?? 0);
  const failed = number("failures") + number("errors");
  const skipped = number("skipped");
  const cases = text.matchAll(/<testcase [^>]*\bfile="([^"]+)"[^>]*>\s*<(?:failure|error)/g);
  const failedFiles = [...new Set([...cases].map((match) => match[1] ?? ""))];
  return { failed, skipped, failedFiles, passed: number("tests") - failed - skipped };
}

/** A suite that failed while others were running, to be repeated alone. */
interface FailedSuite {
  readonly label: string;
  /**
   * The failed files. All files if the suite did not finish, or if something failed outside its
   * tests.
   */
  readonly files: readonly string[];
  readonly isWhole: boolean;
  /** Its contribution to the total. */
  readonly tally: Tally;
  readonly env: Suite["env"];
}

/** With more failed suites or files than this, load is not the cause. */
const AGAIN_MAX = 8;
const failedSuites: FailedSuite[] = [];
/** Names of the final failures, printed before the summary line. */
const red: string[] = [];

async function testSuite({ label, files, env }: Suite, yielding = false): Promise<Tally> {
  const report = `${root}dist/junit-${label}.xml`;
  await rm(report, { force: true });
  const reporter = ["--reporter=junit", `--reporter-outfile=${report}`];
  const priority = yielding ? GIVING_WAY : [];
  const command = [...priority, bun, "test", ...files, TIMEOUT, ...reporter];
  const end = await run(`tests: ${label}`, command, env);
  const read = await tallyOf(label, report);
  if (!read || end?.startsWith("SIG")) {
    red.push(`${label}, which ended by ${end ?? "itself"}${read ? "" : " without a report"}`);
    return { ...NOTHING, failed: 1 };
  }
  const { failedFiles, ...counts } = read;
  const isEmpty = counts.passed + counts.failed === 0;
  if (end === null && !isEmpty && counts.failed === 0) return counts;
  const isWhole = failedFiles.length === 0;
  const tally = { ...counts, failed: Math.max(1, counts.failed) };
  failedSuites.push({ label, files: isWhole ? files : failedFiles, isWhole, tally, env });
  return tally;
}

const NOTHING: Tally = { passed: 0, failed: 0, skipped: 0 };
const total: Tally = { ...NOTHING };
const add = (tally: Tally) => {
  total.passed += tally.passed;
  total.failed += tally.failed;
  total.skipped += tally.skipped;
};
async function step(label: string, command: string[]): Promise<void> {
  const end = await run(label, command);
  if (end !== null) red.push(label);
  add(end === null ? { ...NOTHING, passed: 1 } : { ...NOTHING, failed: 1 });
}

/**
 * Two lanes run the real-time audio suites, one lane the others. A lane without audio suites left
 * takes from the others. More lanes would take CPU time from callers and the recogniser, so that
 * conversations run late. During the build, only suites without the compiled program run.
 */
async function everySuite(built: Promise<void>): Promise<void> {
  const paced = [...pacedSuites];
  const yielding = [...yieldingSuites];
  const lane = async (isPaced: boolean) => {
    if (isPaced) await built;
    for (;;) {
      const first = isPaced ? paced.shift() : undefined;
      const next = first ?? yielding.shift();
      if (!next) return;
      if (!next.isWithoutProgram) await built;
      add(await testSuite(next, first === undefined));
    }
  };
  const lanes = Array.from({ length: PACED_LANES + YIELDING_LANES }, (_, at) => at < PACED_LANES);
  await Promise.all(lanes.map(lane));
}

/**
 * Suites share two CPUs with real-time audio, so load can make one fail. A failed suite is repeated
 * alone, and that result counts. Each repetition is listed, so that the run does not look clean.
 */
async function askAgain(): Promise<void> {
  const suites = failedSuites.splice(0);
  const isAccident =
    suites.length <= AGAIN_MAX &&
    suites.flatMap(({ files, isWhole }) => (isWhole ? [] : files)).length <= AGAIN_MAX;
  for (const { label, files, isWhole, tally, env } of suites) {
    const name = isWhole ? `${label}, outside its tests` : files.join(", ");
    const again = isAccident ? await testSuite({ label: "again", files, env }) : null;
    if (!again || again.failed > 0 || again.skipped > 0) {
      red.push(name);
      continue;
    }
    total.failed -= tally.failed;
    total.passed += isWhole ? again.passed - tally.passed : tally.failed;
    console.error(`Failed beside other suites, passed alone: ${name}`);
  }
}

await mkdir(`${root}dist`, { recursive: true });
await generateSources();
if (only.length > 0) {
  add(await testSuite({ label: "selected", files: only }));
} else {
  together = true;
  await Promise.all([
    step("lint", [...GIVING_WAY, `${root}node_modules/.bin/biome`, "check", "."]),
    step("types", [...GIVING_WAY, ...CHECKING_TYPES]),
    everySuite(step("build", [bun, "scripts/build.ts", "--if-changed"])),
  ]);
  together = false;
  await askAgain();
}
if (toldTimes)
  for (const { label, file, seconds } of fileTimes.sort((a, b) => b.seconds - a.seconds))
    console.error(`${seconds.toFixed(1).padStart(7)} s  ${file} (${label})`);
for (const name of red) console.error(`Failed: ${name}`);
if (total.skipped > 0) {
  console.error(`${total.skipped} tests were skipped: a peer is missing (see the notes above).`);
  if (process.env.CI) add({ passed: 0, failed: 1, skipped: 0 });
}
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed > 0 ? 1 : 0);
