/**
 * `npm run bench`: one table and bench/results/<time>.json. The short form takes less than three minutes
 * on a quiet machine; `--full` runs longer, with more calls and rows. Names of sections select;
 * `--readme` puts the table into bench/README.md. Figures of one run on one machine: compare ratios,
 * not absolute numbers, between machines.
 */
import {
  type Figure,
  loadNow,
  printTable,
  type SectionReport,
  writeJson,
  writeReadme,
} from "./report.ts";
import { SECTIONS } from "./sections/index.ts";

const full = process.argv.includes("--full");
const only = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const unknown = only.filter((name) => !SECTIONS.some((section) => section.name === name));
if (unknown.length > 0) {
  const names = SECTIONS.map(({ name }) => name).join(" ");
  console.error(`There is no section ${unknown.join(", ")}. Sections: ${names}.`);
  process.exit(2);
}
/** A section that hangs costs this much, not the run. */
const SECTION_MS_MAX = full ? 900_000 : 120_000;

const reports: SectionReport[] = [];
for (const section of SECTIONS) {
  if (only.length > 0 && !only.includes(section.name)) continue;
  console.error(`measuring ${section.name} …`);
  const figures: Figure[] = [];
  const load = loadNow();
  const startedAt = performance.now();
  const limit = Promise.withResolvers<never>();
  const timer = setTimeout(() => limit.reject(new Error("took too long")), SECTION_MS_MAX);
  const measuring = section.measure({ full, note: (figure) => figures.push(figure) });
  let raw: unknown = null;
  let failure: string | null = null;
  try {
    raw = await Promise.race([measuring, limit.promise]);
  } catch (error) {
    failure = String(error);
  } finally {
    clearTimeout(timer);
  }
  const seconds = (performance.now() - startedAt) / 1000;
  reports.push({ name: section.name, seconds, load, figures, raw, failure });
}

printTable(reports);
const seconds = reports.reduce((sum, report) => sum + report.seconds, 0);
console.log(`${seconds.toFixed(0)} s in all; ${writeJson(reports, full)}`);
if (process.argv.includes("--readme")) writeReadme(reports, full);
process.exit(reports.some(({ failure }) => failure !== null) ? 1 : 0);
