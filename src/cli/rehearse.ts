/** `linevoice rehearse`: runs test calls with an agent. Works while a server runs. */
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { readySuiteFiles } from "../app/ready-suites.gen.ts";
import { textRehearsals } from "../app/rehearsal.ts";
import { rehearsalRuns } from "../app/rehearsal-runs.ts";
import { callWorkerOf } from "../app/settings-from-config.ts";
import { systemClock as clock } from "../core/clock.ts";
import { uuidV7 } from "../core/ids.ts";
import { systemRandom as random } from "../core/random.ts";
import type { RehearsedAgent } from "../features/rehearsal/agent-file.ts";
import type { RehearsalRun } from "../features/rehearsal/rehearsals.ts";
import { runSuiteInWriting } from "../features/rehearsal/rehearse-text.ts";
import { junitXml, reportJson, resultLines, summaryLine } from "../features/rehearsal/report.ts";
import type { OpenedModel, RehearsalResult } from "../features/rehearsal/result.ts";
import { ScenarioInvalid } from "../features/rehearsal/scenario-invalid.ts";
import { storedAgent } from "../features/rehearsal/stored-agent.ts";
import {
  filesOf,
  loadSuite,
  readAgentFile,
  runSuite,
  type SuiteCase,
  type SuiteFiles,
  type SuiteReport,
} from "../features/rehearsal/suite.ts";
import type { InputOf } from "../http/contracts/operations.ts";
import type { LoadedConfig } from "../ops/config/load.ts";
import type { Config } from "../ops/config/schema.ts";
import { asOwnerOf } from "../ops/drop-privileges.ts";
import { createLogger } from "../ops/logger.ts";
import { requireVectorInstructions } from "./cpu-check.ts";
import { fileArgument } from "./file-argument.ts";
import { configFor, invokerConfig, operate } from "./operator.ts";
import { type Command, idFrom, parse, type Terminal, WrongUsage } from "./usage.ts";
import { version } from "./version.ts";

const readySuites = new Map(Object.entries(readySuiteFiles));
const RUNS_MAX = 100;
/** With a remote language model, calls spend most of their time waiting. */
const TEXT_AT_ONCE = 4;
const PHONE_AT_ONCE = 10;

const options = {
  agent: { type: "string" },
  tenant: { type: "string" },
  draft: { type: "boolean", default: false },
  mode: { type: "string", default: "text" },
  runs: { type: "string", default: "1" },
  junit: { type: "string" },
  recordings: { type: "string" },
  "from-call": { type: "string" },
} as const;

export const rehearseCommand: Command = {
  usage: [
    "rehearse [FILE|DIR] [--agent A [--tenant ID] [--draft]] [--mode text|phone] [--runs N]",
    "         [--junit FILE] [--json] [--recordings DIR]",
    "rehearse --from-call CALL",
  ],
  notes: [
    "FILE is a scenario, DIR contains several; agent.yaml in the same folder describes the agent. A is another such file,",
    "or the id or exact name of a stored agent (of --tenant); --draft rehearses its draft. Without FILE or DIR",
    "a stored agent is rehearsed with its stored scenarios.",
    `Instead of DIR, give the name of a built-in suite: ${readyNames().join(", ")}.`,
    "text: in writing, with a virtual clock. phone: over SIP and RTP on this machine, ten calls at a time.",
    "--from-call prints a past call as a scenario. Numbers and names are replaced.",
    "Nothing is charged, mailed or counted. Results of a stored agent are stored with its company. Exit status: 0: all passed. 1: some failed. 2: a file is invalid.",
  ],
  async run(args, terminal) {
    const { values, words } = parse(args, options, 1);
    const [place] = words;
    const callUuid = values["from-call"];
    if (callUuid !== undefined && place === undefined) {
      const loaded = configFor(values.config, terminal);
      const { yaml } = await operate(loaded, "call.scenario", { call_uuid: callUuid });
      terminal.out(values.json ? JSON.stringify({ yaml }) : yaml.trimEnd());
      return 0;
    }
    if (place === undefined && values.agent === undefined)
      throw new WrongUsage("FILE or DIR is missing.");
    const runs = runsFrom(values.runs);
    const { mode } = values;
    if (mode !== "text" && mode !== "phone") throw new WrongUsage("--mode must be text or phone.");
    const loaded = invokerConfig(values.config, terminal);
    const { config } = loaded;
    const agent = () => agentOf(values, loaded, terminal);
    const cases = await casesOf(place, agent, terminal);
    if (cases === null) return 2;
    const log = createLogger({ level: "error", format: "auto", personalData: false });
    const ports = textRehearsals({ callWorker: callWorkerOf(config) }, { clock, log });
    const onResult = (result: RehearsalResult) => {
      if (!values.json) for (const line of resultLines(result, runs)) terminal.out(line);
    };
    const startedAt = clock.now();
    const made =
      mode === "text"
        ? runSuiteInWriting(
            cases,
            { runs, onResult, atOnce: ports.openModel === null ? 1 : TEXT_AT_ONCE },
            ports,
          )
        : byPhone(
            cases,
            { runs, onResult },
            {
              config,
              openModel: ports.openModel,
              recordingsDir: recordingsDirOf(values.recordings, terminal),
            },
          );
    const report = await made.finally(() => ports.close());
    const suite = place === undefined ? null : nameOf(resolve(terminal.cwd, place));
    const file = values.junit;
    if (file) writeFileSync(resolve(terminal.cwd, file), junitXml(report, suite ?? "kept"));
    await keepRun(cases, report, { suite, startedAt, mode }, loaded);
    terminal.out(values.json ? JSON.stringify(reportJson(report)) : summaryLine(report));
    return report.passed === report.scenarios ? 0 : 1;
  },
};

const nameOf = (path: string) => basename(path).replace(/\.ya?ml$/, "");

/** Stores a run of a stored agent. The dashboard shows it, and publishing may require it. */
async function keepRun(
  [first]: readonly SuiteCase[],
  report: SuiteReport,
  about: Pick<RehearsalRun, "suite" | "startedAt" | "mode">,
  { dataDir }: LoadedConfig,
): Promise<void> {
  const { agent, stored } = first?.agent ?? {};
  if (!agent || !stored) return;
  const { tenantId, id: agentId, version, contentSha256 } = stored;
  const { runs, scenarios, passed } = report;
  const { results, ...totals } = reportJson(report);
  const run: RehearsalRun = {
    ...about,
    id: uuidV7(clock, random),
    agentId,
    agentName: agent.name,
    contentSha256,
    agentVersion: version,
    endedAt: clock.now(),
    runs,
    scenarios,
    passed,
    // The recordings are in the directory given to the command.
    report: { ...totals, results: results.map((each) => ({ ...each, recording: null })) },
  };
  await asOwnerOf(dataDir, async () => rehearsalRuns(dataDir).save(tenantId, run));
}

interface PhoneRun {
  readonly config: Config;
  readonly openModel: (() => Promise<OpenedModel>) | null;
  readonly recordingsDir: string | null;
}

async function byPhone(
  cases: readonly SuiteCase[],
  running: Pick<Parameters<typeof runSuite>[1], "runs" | "onResult">,
  { config, ...options }: PhoneRun,
): Promise<SuiteReport> {
  requireVectorInstructions();
  const { openPhoneRehearsals } = await import("../demo/rehearsal/phone-rehearsal.ts");
  const { engine, conversation } = config;
  const sections = { engine, conversation };
  const phones = await openPhoneRehearsals({ version, cases, sections, runTool: null, ...options });
  try {
    const rehearse = (each: SuiteCase, run: number) => phones.rehearse(each, run);
    return await runSuite(cases, { ...running, atOnce: PHONE_AT_ONCE, rehearse });
  } finally {
    await phones.close();
  }
}

function recordingsDirOf(given: string | undefined, { cwd }: Terminal): string | null {
  if (given === undefined) return null;
  const directory = resolve(cwd, given);
  mkdirSync(directory, { recursive: true });
  return directory;
}

function runsFrom(written: string): number {
  const runs = Number(written);
  if (!Number.isInteger(runs) || runs < 1 || runs > RUNS_MAX)
    throw new WrongUsage(`--runs must be a number from 1 to ${RUNS_MAX}.`);
  return runs;
}

/** Returns null if a file is invalid, after printing the problems. */
async function casesOf(
  place: string | undefined,
  chosen: () => Promise<ChosenAgent>,
  terminal: Terminal,
): Promise<SuiteCase[] | null> {
  try {
    const { agent, kept } = await chosen();
    const files = place === undefined ? filesOf(kept) : filesAt(place, terminal);
    const cases = await loadSuite(files, agent);
    if (cases.length === 0)
      throw new WrongUsage(
        place === undefined
          ? "The agent has no stored scenarios. Give a FILE or DIR."
          : `${place} does not contain a scenario.`,
      );
    return cases;
  } catch (error) {
    if (!(error instanceof ScenarioInvalid)) throw error;
    for (const problem of error.problems) terminal.err(problem);
    return null;
  }
}

interface AgentChoice {
  readonly agent?: string | undefined;
  readonly tenant?: string | undefined;
  readonly draft: boolean;
}

interface ChosenAgent {
  /** Null: each scenario names its agent. */
  readonly agent: RehearsedAgent | null;
  /** The agent's stored scenarios, by file name. */
  readonly kept: ReadonlyMap<string, string>;
}

/** Loads the agent from a file, from a directory with agent.yaml, or from the store. */
async function agentOf(
  { agent: place, tenant, draft }: AgentChoice,
  loaded: LoadedConfig,
  { cwd }: Terminal,
): Promise<ChosenAgent> {
  const kept = new Map<string, string>();
  const isStored = tenant !== undefined || draft;
  if (place === undefined) {
    if (isStored) throw new WrongUsage("--tenant and --draft need --agent.");
    return { agent: null, kept };
  }
  const path = resolve(cwd, place);
  if (isStored || !existsSync(path)) {
    const isPath = /[/\\]|\.ya?ml$/.test(place);
    if (!isStored && (isPath || !existsSync(loaded.dataDir)))
      throw new WrongUsage(`There is no agent ${place}.`);
    const asked = {
      agent: /^\d{1,15}$/.test(place) ? Number(place) : place,
      ...(tenant === undefined ? {} : { tenant: idFrom(tenant, "--tenant") }),
    };
    return await asOwnerOf(loaded.dataDir, () => storedAgentOf({ ...asked, draft }, loaded));
  }
  const name = statSync(path).isDirectory() ? join(place, "agent.yaml") : place;
  return { agent: await readAgentFile({ names: [], read: readerIn(cwd) }, name), kept };
}

async function storedAgentOf(
  asked: InputOf<"agent.source">,
  loaded: LoadedConfig,
): Promise<ChosenAgent> {
  const { config } = loaded;
  const found = await operate(loaded, "agent.source", asked);
  const { tenant, agent: id, version, company, time_zone: timeZone, content } = found;
  const texts = new Map<string, string>();
  for (const { sha256 } of content.files)
    texts.set(sha256, (await operate(loaded, "agent.text", { tenant, sha256 })).text);
  const { transferTargets = {} } = callWorkerOf(config).conversation;
  const { voice_aliases: voiceAliases } = config.engine;
  const about = { tenantId: tenant, id, version, company, timeZone, transferTargets, voiceAliases };
  const kept = found.scenarios.map(({ name, yaml }) => [`${name}.yaml`, yaml] as const);
  return { agent: storedAgent(content, texts, about), kept: new Map(kept) };
}

function filesAt(place: string, { cwd }: Terminal): SuiteFiles {
  const path = resolve(cwd, place);
  if (!existsSync(path)) {
    if (readyNames().includes(place))
      return filesOf(readySuites, (name) => dirname(name) === place);
    throw new WrongUsage(`${place} is neither a file nor a built-in suite.`);
  }
  const names = statSync(path).isDirectory() ? namesIn(path, place) : [place];
  return { names, read: readerIn(cwd) };
}

const readerIn = (cwd: string) => (name: string) =>
  existsSync(resolve(cwd, name)) ? fileArgument(name, { cwd }).toString() : undefined;

/** File names in the directory and its subdirectories. */
function namesIn(path: string, shown: string): string[] {
  return readdirSync(path, { withFileTypes: true }).flatMap((entry) => {
    const [inner, name] = [join(path, entry.name), join(shown, entry.name)];
    if (!entry.isDirectory()) return [name];
    return entry.name.startsWith(".") ? [] : namesIn(inner, name);
  });
}

function readyNames(): string[] {
  return [...new Set([...readySuites.keys()].map((name) => dirname(name)))];
}
