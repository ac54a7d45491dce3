/**
 * A suite: scenarios with their agents, read from named texts (files of a directory, or a bundled suite). Runs
 * them one after the other or several at once, and counts pass^N.
 */
import { dirname, join, normalize } from "node:path/posix";
import { AgentFile, agentOf, type RehearsedAgent } from "./agent-file.ts";
import { readScenario, readYaml } from "./read-scenario.ts";
import type { RehearsalResult } from "./result.ts";
import type { Scenario } from "./scenario.ts";
import { ScenarioInvalid, type ScenarioProblem } from "./scenario-invalid.ts";
import type { AskedScenario } from "./scenario-reader.ts";

export interface SuiteCase {
  readonly file: string;
  readonly scenario: Scenario;
  readonly agent: RehearsedAgent;
}

/** The files of a suite. Names are paths with `/`. */
export interface SuiteFiles {
  /** Files that may be scenarios. */
  readonly names: readonly string[];
  /** Undefined if it does not exist. */
  read(name: string): string | undefined;
  /** Lines of the surrounding text before this file. Missing for a whole file. */
  linesBefore?(name: string): number;
}

/** Suite files from a map of texts. */
export const filesOf = (
  texts: ReadonlyMap<string, string>,
  isWanted: (name: string) => boolean = () => true,
): SuiteFiles => ({
  names: [...texts.keys()].filter(isWanted),
  read: (name) => texts.get(name),
});

const AGENT_FILE = "agent.yaml";
const SCENARIOS_MAX = 1_000;
/** Reading stops after this number of problems. */
const PROBLEMS_MAX = 20;

const readHere = ({ file, source, linesBefore }: AskedScenario) =>
  readScenario(file, source, linesBefore);

/** `agent` replaces the agents of the scenarios. Throws ScenarioInvalid with every problem of every file. */
export async function loadSuite(
  files: SuiteFiles,
  agent: RehearsedAgent | null = null,
  read: (asked: AskedScenario) => Scenario | Promise<Scenario> = readHere,
): Promise<SuiteCase[]> {
  const problems: ScenarioProblem[] = [];
  const attempt = async <Value>(work: () => Value | Promise<Value>): Promise<Value | null> => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ScenarioInvalid)) throw error;
      problems.push(...error.found);
      return null;
    }
  };
  const found: { file: string; scenario: Scenario }[] = [];
  for (const [file, source] of scenarioFiles(files)) {
    const linesBefore = files.linesBefore?.(file) ?? 0;
    const scenario = await attempt(() => read({ file, source, linesBefore }));
    if (scenario) found.push({ file, scenario });
    if (problems.length >= PROBLEMS_MAX) break;
  }
  const agents = new Map<string, RehearsedAgent | null>();
  const cases: SuiteCase[] = [];
  for (const { file, scenario } of found.slice(0, SCENARIOS_MAX)) {
    const name = normalize(join(dirname(file), scenario.agent ?? AGENT_FILE));
    if (!agent && !agents.has(name))
      agents.set(name, await attempt(() => readAgentFile(files, name, file)));
    const rehearsed = agent ?? agents.get(name) ?? null;
    if (rehearsed) cases.push({ file, scenario, agent: rehearsed });
  }
  if (problems.length > 0) throw new ScenarioInvalid(problems);
  return cases;
}

const isYaml = (file: string) => /\.ya?ml$/.test(file);

/** True for a YAML file without a `prompt`, which only agents have. */
export const isScenarioFile = (file: string, text: string): boolean =>
  isYaml(file) && !/^prompt:/m.test(text);

const scenarioFiles = ({ names, read }: SuiteFiles) =>
  names
    .filter(isYaml)
    .map((file) => [file, read(file) ?? ""] as const)
    .filter(([file, text]) => isScenarioFile(file, text))
    .sort(([a], [b]) => a.localeCompare(b, "en"));

/** `namedBy` is the scenario that refers to it. Throws ScenarioInvalid. */
export async function readAgentFile(
  files: SuiteFiles,
  name: string,
  namedBy = name,
): Promise<RehearsedAgent> {
  const text = files.read(name);
  if (text === undefined)
    throw new ScenarioInvalid([
      {
        file: namedBy,
        line: null,
        messageName: { reason: "scenario_agent" },
        text: `agent: there is no file ${name}; write one, or choose an agent`,
      },
    ]);
  return await agentOf(readYaml(name, text, AgentFile), async (beside) => {
    const knowledge = files.read(normalize(join(dirname(name), beside)));
    if (knowledge === undefined)
      throw new ScenarioInvalid([
        {
          file: name,
          line: null,
          messageName: {},
          text: `knowledge: there is no file ${beside} beside it`,
        },
      ]);
    return knowledge;
  });
}

/** Includes the rehearsed agent; its `id` and `version` are null if it was read from a file. */
interface SuiteResult extends RehearsalResult {
  readonly agent: {
    readonly name: string;
    readonly id: number | null;
    readonly version: number | "draft" | null;
  };
}

export interface SuiteReport {
  readonly results: readonly SuiteResult[];
  readonly scenarios: number;
  readonly runs: number;
  /** Number of scenarios that passed every run; pass^N is their share. */
  readonly passed: number;
}

export interface SuiteOptions {
  readonly runs: number;
  /** Maximum concurrent calls. */
  readonly atOnce: number;
  readonly rehearse: (each: SuiteCase, run: number) => Promise<RehearsalResult>;
  readonly onResult?: (result: RehearsalResult) => void;
}

export async function runSuite(
  cases: readonly SuiteCase[],
  { runs, atOnce, rehearse, onResult }: SuiteOptions,
): Promise<SuiteReport> {
  const waiting = cases.flatMap((each, place) =>
    Array.from({ length: runs }, (_, index) => ({ each, place, run: index + 1 })),
  );
  const results: { place: number; result: SuiteResult }[] = [];
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const { agent, stored } = next.each.agent;
      const result = {
        ...(await rehearse(next.each, next.run)),
        agent: { name: agent.name, id: stored?.id ?? null, version: stored?.version ?? null },
      };
      results.push({ place: next.place, result });
      onResult?.(result);
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, atOnce) }, work));
  const failed = new Set(
    results.flatMap(({ place, result }) => (result.failures.length > 0 ? [place] : [])),
  );
  return {
    results: results
      .sort((a, b) => a.place - b.place || a.result.run - b.result.run)
      .map(({ result }) => result),
    scenarios: cases.length,
    runs,
    passed: cases.length - failed.size,
  };
}
