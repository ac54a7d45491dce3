/**
 * `npm test`: lint, types, build, then every test, and one closing line. A step that fails counts
 * as a failed test, so that nothing red can hide behind a green number.
 */
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { generateSources } from "./generate.ts";

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
  const child = Bun.spawn(command, { cwd: root, env, stdout: "pipe", stderr: "pipe" });
  const words = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  console.error(`── ${label}\n${words.join("")}`);
  return (await child.exited) === 0;
}

/** These hold for a database on a real libSQL server as well (test/support/test-store.ts). */
const SHARED_STORE = [
  ...["billing", "renewal", "statement"].map((name) => `test/domain/billing/${name}.test.ts`),
  ...["mail/mail-queue", "retention/retention", "schedule/scheduler", "tool/run-tool"].map(
    (name) => `test/domain/${name}.test.ts`,
  ),
  ...["delivery", "delivery-again", "signing-secrets", "switched-off", "wired"].map(
    (name) => `test/domain/webhook/${name}.test.ts`,
  ),
  ...["test/operations/privacy/privacy.test.ts", "test/property/money-histories.test.ts"],
  ...["shared-limit", "sign-in", "one-time-links", "owner-link", "team-and-account"].map(
    (name) => `test/interface/http/${name}.test.ts`,
  ),
  ...["walk", "query-cache"].map((name) => `test/interface/http/${name}.test.ts`),
  "test/adapter/store/key-cache.test.ts",
  ...["", "-calls", "-finished-call", "-money", "-webhooks"].map(
    (part) => `test/interface/http/resources${part}.test.ts`,
  ),
];

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
  readonly env: Record<string, string> | undefined;
}

/** More than this is no accident of the load. */
const AGAIN_MAX = 5;
const failedSuites: FailedSuite[] = [];

interface SuiteOptions {
  readonly env?: Record<string, string>;
  /** Gives way to what runs beside it and keeps the pace of speech. */
  readonly yielding?: boolean;
}

async function testSuite(
  label: string,
  paths: string[],
  { env, yielding = false }: SuiteOptions = {},
): Promise<Tally> {
  const report = `${root}dist/junit-${label}.xml`;
  const reporter = ["--reporter=junit", `--reporter-outfile=${report}`];
  const priority = yielding ? ["nice", "-n", "10"] : [];
  const command = [...priority, bun, "test", ...paths, "--timeout=60000", ...reporter];
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

type Suite = readonly [string, ...string[]];

/** `lanes` suites at a time; who has ended takes the next, so the longest stand first. */
async function side(
  suites: readonly Suite[],
  lanes: number,
  options: SuiteOptions = {},
): Promise<void> {
  const left = [...suites];
  const work = async () => {
    for (let next = left.shift(); next; next = left.shift()) {
      const [label, ...paths] = next;
      add(await testSuite(label, paths, options));
    }
  };
  await Promise.all(Array.from({ length: lanes }, work));
}

/** Files that one process runs: a start costs little against real audio, and small parts end together. */
const SCENARIOS_TOGETHER = 4;
/** These take a minute and more, each by itself. */
const LONG_SCENARIOS = ["transfer", "engine-openai", "engine-errors", "conversation"];

/** Real audio mostly waits: the long ones first, then the others a few at a time. */
const scenarios = (): Suite[] => {
  const long = LONG_SCENARIOS.map((name) => `${name}.test.ts`);
  const others = readdirSync(`${root}test/scenario`)
    .filter((file) => !long.includes(file))
    .sort();
  const parts = Array.from({ length: Math.ceil(others.length / SCENARIOS_TOGETHER) }, (_, at) =>
    others.slice(at * SCENARIOS_TOGETHER, (at + 1) * SCENARIOS_TOGETHER),
  );
  return [...long.map((file) => [file]), ...parts].map((files, at) => [
    `scenario-${at + 1}`,
    ...files.map((file) => `test/scenario/${file}`),
  ]);
};

/** These wait for SIP's timers and hardly touch the processor. */
const LOSSY_PATHS = ["loss", "loss-failover"].map((name) => `test/adapter/sip/${name}.test.ts`);

const sipTests = (): string[] =>
  readdirSync(`${root}test/adapter/sip`, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".test.ts"))
    .map((file) => `test/adapter/sip/${file}`)
    .filter((file) => !LOSSY_PATHS.includes(file));

/** Tests of the repository itself: its structure, documents and dependencies. */
const rootTests = (): string[] =>
  readdirSync(`${root}test`)
    .filter((file) => file.endsWith(".test.ts"))
    .map((file) => `test/${file}`);

/**
 * Suites run beside each other and share two processors with real audio. At most five files that failed are run
 * again with nothing beside them; what fails then has failed. Each is named, so that nobody takes it for a clean run.
 */
async function askAgain(): Promise<void> {
  const suites = failedSuites.splice(0);
  if (suites.flatMap(({ files }) => files).length > AGAIN_MAX) return;
  for (const { files, failed, env } of suites) {
    if (files.length === 0) continue; // it did not end, or failed outside a test
    const again = await testSuite("again", [...files], { env });
    if (again.failed > 0 || again.skipped > 0) continue;
    total.failed -= failed;
    total.passed += failed;
    console.error(`Failed beside other suites, passed alone: ${files.join(", ")}`);
  }
}

await generateSources();
if (only.length > 0) {
  add(await testSuite("selected", only));
} else {
  await step("build", [bun, "scripts/build.ts", "--if-changed"]);
  together = true;
  // What burns the processor but keeps no pace.
  await Promise.all([
    step("lint", [`${root}node_modules/.bin/biome`, "check", "."]),
    step("types", [`${root}node_modules/.bin/tsc`, "--noEmit"]),
    side(
      [["fast", ...rootTests(), "test/core", "test/platform", "test/property", "test/dashboard"]],
      1,
    ),
    side([["shared-store", ...SHARED_STORE]], 1, { env: { LINEVOICE_TEST_STORE: "remote" } }),
    side([["sip-loss", ...LOSSY_PATHS]], 1),
  ]);
  // Real audio, and beside it what gives way.
  await Promise.all([
    side([...scenarios(), ["media", "test/adapter/media"]], 2),
    side(
      [
        ["browser", "test/browser"],
        ["binary", "test/binary"],
        ["cli", "test/cli"],
        [
          "adapter",
          ...["engine", "payments", "store", "worker"].map((room) => `test/adapter/${room}`),
        ],
        ["domain", "test/domain"],
        ["sip", ...sipTests()],
        ["peer", "test/peer"],
        ["interface", "test/interface"],
        ["operations", "test/operations", "test/app", "test/demo"],
      ],
      3,
      { yielding: true },
    ),
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
