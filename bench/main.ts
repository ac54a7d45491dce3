/**
 * `npm run bench`: writes one table and bench/results/<time>.json, in about five minutes on a quiet
 * machine. `--full` runs longer, with more calls and rows. Section names select sections;
 * `--readme` puts the table into bench/README.md. Each section is a separate process (section.ts),
 * so a section that hangs or crashes affects no other. The figures come from one run on one
 * machine: compare ratios, not absolute numbers, between machines.
 */
import { fileURLToPath } from "node:url";
import { processTree } from "./process/usage.ts";
import {
  type Figure,
  loadNow,
  printSection,
  type SectionReport,
  writeJson,
  writeReadme,
} from "./report.ts";
import { missing, SECTIONS } from "./sections/index.ts";

/** Messages from a section's process. */
export type Message = { readonly figure: Figure } | { readonly raw: unknown };

const full = process.argv.includes("--full");
/** Time limit per section. All trials of `understanding` take half an hour on one core. */
const SECTION_MS_MAX = full ? 3_600_000 : 90_000;
const file = (name: string) => fileURLToPath(new URL(name, import.meta.url));

type Entry = (typeof SECTIONS)[number];

function sectionsAskedFor(): readonly Entry[] {
  const only = process.argv.slice(2).filter((word) => !word.startsWith("--"));
  const unknown = only.filter((name) => !SECTIONS.some((section) => section.name === name));
  if (unknown.length === 0)
    return SECTIONS.filter(({ name, long }) =>
      only.length === 0 ? full || !long : only.includes(name),
    );
  const names = SECTIONS.map(({ name }) => name).join(" ");
  console.error(`There is no section ${unknown.join(", ")}. Sections: ${names}.`);
  process.exit(2);
}

async function measure({ name, needs, uses }: Entry): Promise<SectionReport> {
  const figures: Figure[] = [];
  const load = loadNow();
  const lacking = missing(needs);
  if (lacking !== null) {
    console.error(`${name} is left out: it needs ${lacking}, which is not on this machine`);
    return { name, load, figures, seconds: 0, raw: null, failure: `needs ${lacking}` };
  }
  const less = missing(uses);
  if (less !== null) console.error(`${name} goes without ${less}, which is not on this machine`);
  console.error(`measuring ${name} …`);
  const startedAt = performance.now();
  let raw: unknown = null;
  const command = [process.execPath, file("./section.ts"), name, ...(full ? ["full"] : [])];
  const child = Bun.spawn(command, {
    stdin: "ignore",
    stdout: "inherit",
    stderr: "inherit",
    ipc(message: Message) {
      if ("figure" in message) figures.push(message.figure);
      else raw = message.raw;
    },
  });
  let failure: string | null = null;
  const timer = setTimeout(() => {
    failure = `took longer than ${SECTION_MS_MAX / 1000} s`;
    for (const pid of processTree(child.pid)) kill(pid);
  }, SECTION_MS_MAX);
  const code = await child.exited;
  clearTimeout(timer);
  if (code !== 0) failure ??= `ended with ${child.signalCode ?? code}`;
  return { name, load, figures, seconds: (performance.now() - startedAt) / 1000, raw, failure };
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // The process has already ended.
  }
}

async function buildBinary(): Promise<void> {
  const build = [process.execPath, file("../scripts/build.ts"), "--if-changed"];
  const code = await Bun.spawn(build, { stdio: ["ignore", "inherit", "inherit"] }).exited;
  if (code !== 0) process.exit(code);
}

const sections = sectionsAskedFor();
if (sections.some(({ name }) => name === "binary")) await buildBinary();
const reports: SectionReport[] = [];
for (const section of sections) {
  const report = await measure(section);
  printSection(report);
  reports.push(report);
}
const seconds = reports.reduce((sum, report) => sum + report.seconds, 0);
console.log(`${seconds.toFixed(0)} s in all; ${writeJson(reports, full)}`);
if (process.argv.includes("--readme")) writeReadme(reports, full);
process.exit(reports.some(({ failure }) => failure !== null) ? 1 : 0);
