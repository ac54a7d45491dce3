/**
 * `npm test`: lint, types, build, then every test, and one closing line. A step that fails counts
 * as a failed test, so that nothing red can hide behind a green number.
 */
import { fileURLToPath } from "node:url";
import { generateSources } from "./generate.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const bun = process.execPath;
const only = process.argv.slice(2);

async function run(label: string, command: string[]): Promise<boolean> {
  console.error(`── ${label}`);
  const child = Bun.spawn(command, { cwd: root, stdout: "inherit", stderr: "inherit" });
  return (await child.exited) === 0;
}

interface Tally {
  passed: number;
  failed: number;
  skipped: number;
}

/** Reads the totals of bun's JUnit report. */
async function tallyOf(report: string): Promise<Tally | null> {
  const file = Bun.file(report);
  if (!(await file.exists())) return null;
  const head = /<testsuites[^>]*>/.exec(await file.text())?.[0] ?? "";
  const number = (name: string) => Number(new RegExp(`\\b${name}="(\\d+)"`).exec(head)?.[1] ?? 0);
  const failed = number("failures") + number("errors");
  const skipped = number("skipped");
  return { failed, skipped, passed: number("tests") - failed - skipped };
}

/** Suites with real audio run one after the other: two cores are theirs alone. */
async function testSuite(label: string, paths: string[]): Promise<Tally> {
  const report = `${root}dist/junit-${label}.xml`;
  const green = await run(`tests: ${label}`, [
    bun,
    "test",
    ...paths,
    "--timeout=60000",
    "--reporter=junit",
    `--reporter-outfile=${report}`,
  ]);
  const tally = await tallyOf(report);
  if (!tally || tally.passed + tally.failed === 0) return { passed: 0, failed: 1, skipped: 0 };
  if (!green && tally.failed === 0) return { ...tally, failed: 1 };
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

await generateSources();
if (only.length > 0) {
  add(await testSuite("selected", only));
} else {
  await step("lint", [`${root}node_modules/.bin/biome`, "check", "."]);
  await step("types", [`${root}node_modules/.bin/tsc`, "--noEmit"]);
  await step("build", [bun, "scripts/build.ts", "--if-changed"]);
  for (const [label, ...paths] of [
    ["fast", "test/tidy.test.ts", "test/unit", "test/property"],
    ["integration", "test/integration"],
    ["scenario", "test/scenario"],
    ["peer", "test/peer"],
    ["binary", "test/binary"],
  ] as const)
    add(await testSuite(label, paths));
}
if (total.skipped > 0) {
  console.error(`${total.skipped} tests were skipped: a peer is missing (see the notes above).`);
  if (process.env.CI) add({ passed: 0, failed: 1, skipped: 0 });
}
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed > 0 ? 1 : 0);
