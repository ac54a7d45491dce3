/** Reports results of sections as a table for the terminal, a Markdown table, and JSON. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg, platform } from "node:os";
import { fileURLToPath } from "node:url";

export interface Figure {
  readonly what: string;
  /** Goal, if any. */
  readonly goal?: string;
  readonly value: string;
  /** Ratio to a reference that ran in the same minute. */
  readonly ratio?: string;
  readonly method: string;
}

/**
 * One part of the measurement. It reports figures by `note`; its return value goes into the JSON.
 */
export interface Section {
  readonly name: string;
  measure(run: Run): Promise<unknown>;
}

export interface Run {
  readonly full: boolean;
  note(figure: Figure): void;
}

export interface SectionReport {
  readonly name: string;
  readonly seconds: number;
  /** Load average of the machine at the start: other programs affect the figures. */
  readonly load: number;
  readonly figures: readonly Figure[];
  readonly raw: unknown;
  readonly failure: string | null;
}

export const ms = (value: number): string => `${value.toFixed(value < 100 ? 2 : 0)} ms`;

const file = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const README = file("./README.md");
const BEGIN = "<!-- npm run bench -- --readme: from here -->";
const END = "<!-- npm run bench -- --readme: to here -->";

export function printSection({ name, seconds, load, figures, failure }: SectionReport): void {
  const width = Math.max(0, ...figures.map(({ what }) => what.length));
  console.log(
    `── ${name} (${seconds.toFixed(0)} s, load ${load.toFixed(1)})${failure ? `: ${failure}` : ""}`,
  );
  for (const { what, goal, value, ratio, method } of figures) {
    const beside = `${ratio ? `; ${ratio}` : ""}${goal ? `   [aim ${goal}]` : ""}`;
    console.log(`${what.padEnd(width)}  ${value}${beside}`);
    console.log(`${" ".repeat(width)}    ${method}`);
  }
}

/** Returns the name of the written file. */
export function writeJson(reports: readonly SectionReport[], full: boolean): string {
  const results = file("./results/");
  mkdirSync(results, { recursive: true });
  const at = new Date().toISOString().replace(/[:.]/g, "-");
  const machine = machineKind();
  const path = `${results}${at}.json`;
  writeFileSync(path, `${JSON.stringify({ at, full, machine, sections: reports }, null, 2)}\n`);
  return path;
}

/** Replaces the table between the two marks in bench/README.md. */
export function writeReadme(reports: readonly SectionReport[], full: boolean): void {
  const text = readFileSync(README, "utf8");
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error("bench/README.md has lost its marks");
  const cell = (content: string) => content.replaceAll("|", "\\|");
  const rows = reports.flatMap(({ figures }) =>
    figures.map(
      ({ what, goal, value, ratio, method }) =>
        `| ${[what, goal ?? "", value, ratio ?? "", method].map(cell).join(" | ")} |`,
    ),
  );
  const loads = reports.map(({ load }) => load);
  const missing = reports.filter(({ failure }) => failure !== null).map(({ name }) => name);
  const table = [
    `${new Date().toISOString().slice(0, 16)}Z, ${full ? "full" : "short"} form, ${machineKind()}, ` +
      `load average ${Math.min(...loads).toFixed(1)}–${Math.max(...loads).toFixed(1)} when the sections began` +
      `${missing.length > 0 ? `; not finished: ${missing.join(", ")}` : ""}.`,
    "",
    "| metric | goal | result | compared to the reference | method |",
    "| --- | --- | --- | --- | --- |",
    ...rows,
  ].join("\n");
  writeFileSync(README, `${text.slice(0, begin + BEGIN.length)}\n\n${table}\n\n${text.slice(end)}`);
}

const machineKind = (): string =>
  `${cpus().length} cores of ${cpus()[0]?.model.trim() ?? "an unknown processor"}, ${platform()}`;

export const loadNow = (): number => loadavg()[0] ?? 0;
