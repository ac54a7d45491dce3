/** `linevoice rehearse`: rehearses calls with an agent before callers make them. Works beside a running server. */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { readySuiteFiles } from "../app/ready-suites.gen.ts";
import { textRehearsals } from "../app/rehearsal.ts";
import { callWorkerOf } from "../app/settings-from-config.ts";
import { systemClock as clock } from "../core/clock.ts";
import type { RehearsedAgent } from "../domain/rehearsal/agent-file.ts";
import { ScenarioInvalid } from "../domain/rehearsal/read-scenario.ts";
import { rehearseText } from "../domain/rehearsal/rehearse-text.ts";
import { junitXml, reportJson, resultLines, summaryLine } from "../domain/rehearsal/report.ts";
import {
  loadSuite,
  readAgentFile,
  runSuite,
  type SuiteCase,
  type SuiteFiles,
} from "../domain/rehearsal/suite.ts";
import { createLogger } from "../operations/ops/logger.ts";
import { invokerConfig } from "./operator.ts";
import { type Command, parse, type Terminal, WrongUsage } from "./usage.ts";

const RUNS_MAX = 100;
/** With a language model far away, most of a call is waiting. */
const TEXT_AT_ONCE = 4;

const options = {
  agent: { type: "string" },
  mode: { type: "string", default: "text" },
  runs: { type: "string", default: "1" },
  junit: { type: "string" },
} as const;

export const rehearseCommand: Command = {
  usage: ["rehearse FILE|DIR [--agent A] [--mode text] [--runs N] [--junit FILE] [--json]"],
  notes: [
    "FILE is a scenario, DIR holds several; agent.yaml beside them describes the agent. A is another such file.",
    `Instead of DIR, the name of a suite that ships: ${readyNames().join(", ")}.`,
    "Nothing is charged, mailed or stored. Exit status: 0 all passed, 1 some failed, 2 a file is wrong.",
  ],
  async run(args, terminal) {
    const { values, words } = parse(args, options, 1);
    const [place] = words;
    if (place === undefined) throw new WrongUsage("FILE or DIR is missing.");
    const runs = runsFrom(values.runs);
    if (values.mode !== "text") throw new WrongUsage("--mode must be text.");
    const cases = await casesOf(place, values.agent, terminal);
    if (cases === null) return 2;
    const { config } = invokerConfig(values.config, terminal);
    const log = createLogger({ level: "error", format: "auto", personalData: false });
    const ports = textRehearsals({ callWorker: callWorkerOf(config) }, { clock, log });
    const report = await runSuite(cases, {
      runs,
      atOnce: ports.openModel === null ? 1 : TEXT_AT_ONCE,
      rehearse: ({ scenario, agent }, run) => rehearseText(scenario, agent, run, ports),
      onResult: (result) => {
        if (!values.json) for (const line of resultLines(result, runs)) terminal.out(line);
      },
    });
    const suite = basename(resolve(terminal.cwd, place)).replace(/\.ya?ml$/, "");
    if (values.junit) writeFileSync(resolve(terminal.cwd, values.junit), junitXml(report, suite));
    terminal.out(values.json ? JSON.stringify(reportJson(report)) : summaryLine(report));
    return report.passed === report.scenarios ? 0 : 1;
  },
};

function runsFrom(written: string): number {
  const runs = Number(written);
  if (!Number.isInteger(runs) || runs < 1 || runs > RUNS_MAX)
    throw new WrongUsage(`--runs must be a number from 1 to ${RUNS_MAX}.`);
  return runs;
}

/** Null: a file is wrong, and the terminal was told. */
async function casesOf(
  place: string,
  agentFile: string | undefined,
  terminal: Terminal,
): Promise<SuiteCase[] | null> {
  try {
    const agent = agentFile === undefined ? null : await agentFrom(agentFile, terminal);
    const cases = await loadSuite(filesAt(place, terminal), agent);
    if (cases.length === 0) throw new WrongUsage(`${place} holds no scenario.`);
    return cases;
  } catch (error) {
    if (!(error instanceof ScenarioInvalid)) throw error;
    for (const problem of error.problems) terminal.err(problem);
    return null;
  }
}

/** Of a file with an agent, or of the directory with its agent.yaml. */
async function agentFrom(place: string, { cwd }: Terminal): Promise<RehearsedAgent> {
  const path = resolve(cwd, place);
  if (!existsSync(path)) throw new WrongUsage(`There is no agent ${place}.`);
  const file = statSync(path).isDirectory() ? join(path, "agent.yaml") : path;
  return await readAgentFile(filesIn(dirname(file), "."), basename(file));
}

const TEXT_FILE = /\.(?:ya?ml|md|txt|csv|json)$/;

function filesAt(place: string, { cwd }: Terminal): SuiteFiles {
  const path = resolve(cwd, place);
  if (!existsSync(path)) {
    const ready = Object.entries(readySuiteFiles).filter(([name]) => name.startsWith(`${place}/`));
    if (ready.length > 0) return new Map(ready);
    throw new WrongUsage(`There is no ${place}: neither a file nor a suite that ships.`);
  }
  if (statSync(path).isDirectory()) return filesIn(path, place.replace(/\/+$/, ""));
  const folder = filesIn(dirname(path), dirname(place));
  const own = join(dirname(place), basename(path));
  const isBeside = (name: string, text: string) =>
    name === own || !/\.ya?ml$/.test(name) || /^prompt:/m.test(text);
  return new Map([...folder].filter(([name, text]) => isBeside(name, text)));
}

/** With those of the folders in it. */
function filesIn(path: string, shown: string): Map<string, string> {
  const files = new Map<string, string>();
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const [inner, name] = [join(path, entry.name), join(shown, entry.name)];
    if (entry.isDirectory() && !entry.name.startsWith("."))
      for (const [file, text] of filesIn(inner, name)) files.set(file, text);
    else if (TEXT_FILE.test(entry.name)) files.set(name, readFileSync(inner, "utf8"));
  }
  return files;
}

function readyNames(): string[] {
  return [...new Set(Object.keys(readySuiteFiles).map((name) => dirname(name)))];
}
