/**
 * `npm test`: lint, types, build, then every test, and one closing line. A step that fails counts
 * as a failed test, so that nothing red can hide behind a green number.
 */
import { fileURLToPath } from "node:url";
import { generateSources } from "./generate.ts";
import { pacedSuites, type Suite, yieldingSuites } from "./test-suites.ts";

const PACED_LANES = 2;
const YIELDING_LANES = 2;
/** To what runs beside it and keeps the pace of speech. */
const GIVING_WAY = ["nice", "-n", "10"];
/** For what hangs: what gives way may stand still for long, and no test proves a pace by it. */
const TIMEOUT = "--timeout=180000";

const root = fileURLToPath(new URL("..", import.meta.url));
const bun = process.execPath;
const only = process.argv.slice(2);

/** While several run at once, each one's words are held back until it has ended. */
let together = false;

async function run(label: string, command: string[], extra = {}): Promise<boolean> {
  const env = { ...process.env, TEST_PROGRAM: `${root}dist/linevoice`, ...extra };
  if (!together) {
    console.error(`── ${label}`);
    const child = Bun.spawn(command, { cwd: root, env, stdout: "inherit", stderr: "inherit" });
    return (await child.exited) === 0;
  }
  const began = performance.now();
  const child = Bun.spawn(command, { cwd: root, env, stdout: "pipe", stderr: "pipe" });
  const words = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  const seconds = Math.round((performance.now() - began) / 1_000);
  console.error(`── ${label} (${seconds} s)\n${words.join("")}`);
  return (await child.exited) === 0;
}

interface Tally {
  passed: number;
  failed: number;
  skipped: number;
}

/** Reads the totals of bun's JUnit report, and which files failed. */
async function tallyOf(report: string): Promise<(Tally & { failedFiles: string[] }) | null> {
  const file = Bun.file(report);
  if (!(await file.exists())) return null;
  const text = await file.text();
  const head = /<testsuites[^>]*>/.exec(text)?.[0] ?? "";
  const number = (name: string) => Number(new RegExp(`\\b${name}="(\\d+)"`).exec(head)?.[1] ?? 0);
  const failed = number("failures") + number("errors");
  const skipped = number("skipped");
  const cases = text.matchAll(/<testcase [^>]*\bfile="([^"]+)"[^>]*>\s*<(?:failure|error)/g);
  const failedFiles = [...new Set([...cases].map((match) => match[1] ?? ""))];
  return { failed, skipped, failedFiles, passed: number("tests") - failed - skipped };
}

/** A suite that failed beside the others, to be asked again when nothing runs beside it. */
interface FailedSuite {
  readonly files: readonly string[];
  readonly failed: number;
  readonly env: Suite["env"];
}

/** More than this is no accident of the load. */
const AGAIN_MAX = 8;
const failedSuites: FailedSuite[] = [];

async function testSuite({ label, files, env }: Suite, yielding = false): Promise<Tally> {
  const report = `${root}dist/junit-${label}.xml`;
  const reporter = ["--reporter=junit", `--reporter-outfile=${report}`];
  const priority = yielding ? GIVING_WAY : [];
  const command = [...priority, bun, "test", ...files, TIMEOUT, ...reporter];
  const green = await run(`tests: ${label}`, command, env);
  const tally = await tallyOf(report);
  if (!tally || tally.passed + tally.failed === 0) return { passed: 0, failed: 1, skipped: 0 };
  if (!green && tally.failed === 0) return { ...tally, failed: 1 };
  if (tally.failed > 0) failedSuites.push({ files: tally.failedFiles, failed: tally.failed, env });
  return tally;
}

const total: Tally = { passed: 0, failed: 0, skipped: 0 };
const add = (tally: Tally) => {
  total.passed += tally.passed;
  total.failed += tally.failed;
  total.skipped += tally.skipped;
};
const step = async (label: string, command: string[]) =>
  add(
    (await run(label, command))
      ? { passed: 1, failed: 0, skipped: 0 }
      : { passed: 0, failed: 1, skipped: 0 },
  );

/**
 * Real audio takes two lanes, and what gives way to it two more; a lane with no real audio left takes from the others.
 * So no processor is idle while there is work, and the end is not one long suite alone.
 */
async function everySuite(): Promise<void> {
  const paced = [...pacedSuites];
  const yielding = [...yieldingSuites];
  const lane = async (isPaced: boolean) => {
    for (;;) {
      const first = isPaced ? paced.shift() : undefined;
      const next = first ?? yielding.shift();
      if (!next) return;
      add(await testSuite(next, first === undefined));
    }
  };
  const lanes = Array.from({ length: PACED_LANES + YIELDING_LANES }, (_, at) => at < PACED_LANES);
  await Promise.all(lanes.map(lane));
}

/**
 * Suites run beside each other and share two processors with real audio. At most eight files that failed are run
 * again with nothing beside them; what fails then has failed. Each is named, so that nobody takes it for a clean run.
 */
async function askAgain(): Promise<void> {
  const suites = failedSuites.splice(0);
  if (suites.flatMap(({ files }) => files).length > AGAIN_MAX) return;
  for (const { files, failed, env } of suites) {
    if (files.length === 0) continue; // it did not end, or failed outside a test
    const again = await testSuite({ label: "again", files, env });
    if (again.failed > 0 || again.skipped > 0) continue;
    total.failed -= failed;
    total.passed += failed;
    console.error(`Failed beside other suites, passed alone: ${files.join(", ")}`);
  }
}

await generateSources();
if (only.length > 0) {
  add(await testSuite({ label: "selected", files: only }));
} else {
  await step("build", [bun, "scripts/build.ts", "--if-changed"]);
  together = true;
  await Promise.all([
    step("lint", [...GIVING_WAY, `${root}node_modules/.bin/biome`, "check", "."]),
    step("types", [...GIVING_WAY, `${root}node_modules/.bin/tsc`, "--noEmit"]),
    everySuite(),
  ]);
  together = false;
  await askAgain();
}
if (total.skipped > 0) {
  console.error(`${total.skipped} tests were skipped: a peer is missing (see the notes above).`);
  if (process.env.CI) add({ passed: 0, failed: 1, skipped: 0 });
}
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed > 0 ? 1 : 0);
