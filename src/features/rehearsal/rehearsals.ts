/**
 * Rehearsals of a tenant's agents on the running server, by text or telephone, one at a time per tenant.
 * Results are stored separately from calls. Usage of a paid engine counts as trials (billing/trials.ts).
 */
import { basename } from "node:path";
import type { Clock } from "../../core/clock.ts";
import { AppError, describeError, invalidField, notFound } from "../../core/errors.ts";
import { uuidV7 } from "../../core/ids.ts";
import type { Log } from "../../core/log.ts";
import type { Random } from "../../core/random.ts";
import type { AgentContent } from "../agent/agent-content.ts";
import type { TrialMeter } from "../billing/trials.ts";
import type { RehearsedAgent } from "./agent-file.ts";
import { meteredPhones, meteredText } from "./metered.ts";
import type { TextRehearsalPorts } from "./rehearse-text.ts";
import { reportJson } from "./report.ts";
import type { RehearsalResult } from "./result.ts";
import { ScenarioInvalid } from "./scenario-invalid.ts";
import type { ScenarioReader } from "./scenario-reader.ts";
import { contentHash } from "./stored-agent.ts";
import type { SuiteCase, SuiteFiles, SuiteReport } from "./suite.ts";

type RunReport = ReturnType<typeof reportJson>;

export const REHEARSAL_MODES = ["text", "phone"] as const;
type RehearsalMode = (typeof REHEARSAL_MODES)[number];

/** Telephones for the calls of one run. */
export interface PhoneRehearsals {
  /** Never rejects. */
  rehearse(each: SuiteCase, run: number): Promise<RehearsalResult>;
  close(): Promise<void>;
}

export interface PhoneOrder {
  /** All calls of the run. The callers' speech is synthesised before the first call. */
  readonly cases: readonly SuiteCase[];
  /** Directory for recordings; null: none are kept. */
  readonly recordingsDir: string | null;
}

/** Rejects with the reason if no telephones are available. */
export type OpenPhones = (order: PhoneOrder) => Promise<PhoneRehearsals>;

export interface RehearsalRun {
  readonly id: string;
  /** Null: the scenarios stored with the agent. */
  readonly suite: string | null;
  /** Null: the suite's bundled agent. */
  readonly agentId: number | null;
  readonly agentName: string;
  /** Null: the suite's bundled agent. Missing: stored before runs recorded versions. */
  readonly agentVersion?: number | "draft" | null;
  /** Hash of the rehearsed content. */
  readonly contentSha256?: string;
  readonly startedAt: number;
  /** Null while it runs. */
  readonly endedAt: number | null;
  /** Runs per scenario. Default: one. */
  readonly runs?: number;
  /** Default: text. */
  readonly mode?: RehearsalMode;
  /** Number of scenarios, and of those that passed every run. */
  readonly scenarios: number;
  readonly passed: number;
  /** Null while it runs, or if it failed. */
  readonly report: RunReport | null;
}

/** Stores the newest results of each tenant. */
export interface RunRecords {
  save(tenantId: number, run: RehearsalRun): void;
  /** Newest first. */
  list(tenantId: number): readonly RehearsalRun[];
  /** Creates and returns the directory for a run's recordings. */
  recordingsDir(tenantId: number, runId: string): string;
  /** Absolute path; null if it does not exist. */
  recording(tenantId: number, runId: string, file: string): string | null;
}

/** Whether the last finished run with exactly this content of the agent passed; null if there was none. */
export function wasGreen(
  runs: readonly RehearsalRun[],
  agentId: number,
  content: AgentContent,
): boolean | null {
  const contentSha256 = contentHash(content);
  const isOf = (run: RehearsalRun) =>
    run.agentId === agentId && run.contentSha256 === contentSha256;
  const last = runs.find((run) => isOf(run) && run.endedAt !== null);
  return last ? last.report !== null && last.passed === last.scenarios : null;
}

interface RehearsalOrder {
  /** Null: the suite's bundled agent. */
  readonly agentId: number | null;
  /** True: rehearse the agent's draft instead of the published version. */
  readonly draft: boolean;
  /**
   * Name of a bundled suite, or the run's title if `scenarios` is set. Null: the scenarios stored with the
   * agent.
   */
  readonly suite: string | null;
  /** YAML documents separated by lines of three dashes; null: those of the suite. */
  readonly scenarios: string | null;
  readonly runs: number;
  readonly mode: RehearsalMode;
}

interface RehearsalPorts {
  readonly text: TextRehearsalPorts;
  /** Null if this program supports only text rehearsals. */
  readonly openPhones: OpenPhones | null;
  /** Files of the bundled suites by path, e.g. `clinic/agent.yaml`. */
  readonly readySuites: ReadonlyMap<string, string>;
  /** Throws not_found. */
  readonly agentOf: (
    tenantId: number,
    agentId: number,
    isDraft: boolean,
  ) => Promise<RehearsedAgent>;
  /** YAML of each scenario stored with the agent. Throws not_found. */
  readonly scenariosOf: (tenantId: number, agentId: number) => Promise<readonly string[]>;
  readonly scenarioReader: Pick<ScenarioReader, "read">;
  readonly runs: RunRecords;
  /** Text rehearsals use only the language model; telephone rehearsals use the whole engine. */
  readonly trials: Readonly<Record<RehearsalMode, TrialMeter>>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** Maximum calls per run: scenarios times runs. */
const CALLS_MAX: Readonly<Record<RehearsalMode, number>> = { text: 500, phone: 60 };
/** Low, because real calls have priority. */
const PHONE_AT_ONCE = 3;

export class Rehearsals {
  /** Runs in progress, by tenant. */
  readonly #running = new Map<number, RehearsalRun>();
  /** Telephones of the run in progress: at most one such run on this machine. */
  #phones: PhoneRehearsals | null = null;
  #phonesAreTaken = false;

  constructor(private readonly ports: RehearsalPorts) {}

  /** The bundled suites, with their number of scenarios. */
  get suites(): readonly { readonly name: string; readonly scenarios: number }[] {
    const scenarios = [...this.ports.readySuites.keys()].filter((file) => /\/\d\d-/.test(file));
    const bySuite = Map.groupBy(scenarios, (file) => file.slice(0, file.indexOf("/")));
    return [...bySuite].map(([name, files]) => ({ name, scenarios: files.length }));
  }

  /** Newest first, including the run in progress. */
  list(tenantId: number): readonly RehearsalRun[] {
    const running = this.#running.get(tenantId);
    return [...(running ? [running] : []), ...this.ports.runs.list(tenantId)];
  }

  /** Throws not_found. */
  find(tenantId: number, id: string): RehearsalRun {
    const found = this.list(tenantId).find((run) => run.id === id);
    if (!found) throw notFound("rehearsal");
    return found;
  }

  /** The MP3 of a run's result; `number` starts at 1. Throws not_found. */
  recording(tenantId: number, id: string, number: number): string {
    const file = this.find(tenantId, id).report?.results[number - 1]?.recording ?? null;
    const path = file === null ? null : this.ports.runs.recording(tenantId, id, file);
    if (path === null) throw notFound("recording");
    return path;
  }

  /** Stops the text runs and hangs up the telephones. */
  async stop(): Promise<void> {
    this.ports.text.close();
    await this.#phones?.close();
  }

  /**
   * Starts a run; `list` shows its progress. Throws valid_…_required, not_found, conflict,
   * insufficient_balance.
   */
  async start(tenantId: number, order: RehearsalOrder): Promise<RehearsalRun> {
    if (this.#running.has(tenantId)) throw underWay();
    const { clock, random } = this.ports;
    const { agentId, suite, draft, runs, mode } = order;
    await this.ports.trials[mode].require(tenantId);
    if (mode === "phone") this.#requirePhones();
    const agent = agentId === null ? null : await this.ports.agentOf(tenantId, agentId, draft);
    const cases = await this.#casesOf(tenantId, order, agent);
    if (cases.length * runs > CALLS_MAX[mode]) throw tooManyCalls(CALLS_MAX[mode]);
    if (this.#running.has(tenantId)) throw underWay();
    if (mode === "phone") this.#requirePhones();
    const run: RehearsalRun = {
      id: uuidV7(clock, random),
      suite,
      agentId,
      startedAt: clock.now(),
      endedAt: null,
      agentName: agent?.agent.name ?? cases[0]?.agent.agent.name ?? "",
      agentVersion: agent?.stored?.version ?? null,
      ...(agent?.stored ? { contentSha256: agent.stored.contentSha256 } : {}),
      runs,
      mode,
      scenarios: cases.length,
      passed: 0,
      report: null,
    };
    this.#running.set(tenantId, run);
    if (mode === "phone") this.#phonesAreTaken = true;
    void this.#carryOut(tenantId, run, cases, runs);
    return run;
  }

  async #casesOf(
    tenantId: number,
    order: RehearsalOrder,
    agent: RehearsedAgent | null,
  ): Promise<SuiteCase[]> {
    const own = await this.#documentsOf(tenantId, order);
    const shipped = (file: string) => file.startsWith(`${order.suite}/`);
    const { filesOf, loadSuite } = await import("./suite.ts");
    const { scenarioReader } = this.ports;
    try {
      const files = own ? ownFiles(own) : filesOf(this.ports.readySuites, shipped);
      const cases = await loadSuite(files, agent, (asked) => scenarioReader.read(tenantId, asked));
      if (cases.length === 0) throw notFound("suite");
      return cases;
    } catch (error) {
      if (!(error instanceof ScenarioInvalid)) throw error;
      const { found, inOneField } = error;
      if (found.every(({ messageName: { reason } }) => reason === "scenario_agent"))
        throw invalidField("agent_id", ...inOneField);
      throw invalidField("scenarios", ...inOneField);
    }
  }

  /** Null: a bundled suite. */
  async #documentsOf(
    tenantId: number,
    { agentId, suite, scenarios }: RehearsalOrder,
  ): Promise<readonly Document[] | null> {
    if (scenarios !== null) return documentsIn(scenarios);
    if (suite !== null) return null;
    const kept = agentId === null ? [] : await this.ports.scenariosOf(tenantId, agentId);
    if (kept.length === 0)
      throw invalidField(
        "suite",
        "Name a `suite`, send `scenarios`, or choose an agent that scenarios are kept with.",
      );
    return kept.map((text) => ({ text, linesBefore: 0 }));
  }

  async #carryOut(
    tenantId: number,
    run: RehearsalRun,
    cases: readonly SuiteCase[],
    times: number,
  ): Promise<void> {
    const { clock, log, runs } = this.ports;
    try {
      const report =
        run.mode === "phone"
          ? await this.#byPhone(tenantId, run, cases, times)
          : await this.#inWriting(tenantId, cases, times);
      const { passed } = report;
      const { results, ...totals } = reportJson(report);
      // Recordings are in the run's folder, so the name is enough.
      const own = results.map(({ recording, ...result }) => ({
        ...result,
        recording: recording === null ? null : basename(recording),
      }));
      const kept = { ...totals, results: own };
      runs.save(tenantId, { ...run, endedAt: clock.now(), passed, report: kept });
    } catch (error) {
      log.error("rehearsal.failed", { tenant: tenantId, error: describeError(error) });
      // Without a report, the run is shown as failed.
      runs.save(tenantId, { ...run, endedAt: clock.now() });
    } finally {
      this.#running.delete(tenantId);
    }
  }

  async #inWriting(
    tenantId: number,
    cases: readonly SuiteCase[],
    runs: number,
  ): Promise<SuiteReport> {
    const { text, trials } = this.ports;
    const { runSuiteInWriting } = await import("./rehearse-text.ts");
    const metered = meteredText(text, trials.text, tenantId);
    return await runSuiteInWriting(cases, { runs, atOnce: 1 }, metered);
  }

  async #byPhone(
    tenantId: number,
    { id }: RehearsalRun,
    cases: readonly SuiteCase[],
    runs: number,
  ): Promise<SuiteReport> {
    const { openPhones, runs: records, trials } = this.ports;
    const { runSuite } = await import("./suite.ts");
    try {
      if (!openPhones) throw onlyInWriting();
      const recordingsDir = records.recordingsDir(tenantId, id);
      const phones = await openPhones({ cases, recordingsDir });
      this.#phones = phones;
      const metered = meteredPhones(phones, trials.phone, tenantId);
      return await runSuite(cases, {
        runs,
        atOnce: PHONE_AT_ONCE,
        rehearse: metered.rehearse,
      });
    } finally {
      await this.#phones?.close();
      this.#phones = null;
      this.#phonesAreTaken = false;
    }
  }

  /** Throws valid_mode_required, conflict. */
  #requirePhones(): void {
    if (!this.ports.openPhones) throw onlyInWriting();
    if (this.#phonesAreTaken) throw phonesTaken();
  }
}

const onlyInWriting = () =>
  invalidField(
    "mode",
    "`mode` must be `text` here: by telephone, rehearse with the command `linevoice rehearse SUITE --mode phone`.",
  );

const phonesTaken = () =>
  new AppError({
    code: "conflict",
    reason: "rehearsal_under_way",
    publicMessage: "A rehearsal by telephone is under way on this server. Wait for its end.",
    retryable: true,
  });

const underWay = () =>
  new AppError({
    code: "conflict",
    reason: "rehearsal_under_way",
    publicMessage: "A rehearsal is under way. Wait for its end, then try again.",
    retryable: true,
  });

const tooManyCalls = (most: number) =>
  invalidField("runs", `At most ${most} calls are rehearsed in one run.`, {
    reason: "rehearsed_calls",
    params: { most },
  });

/** One YAML document of a text. */
interface Document {
  readonly text: string;
  readonly linesBefore: number;
}

/** A run cannot have more calls than this. */
const DOCUMENTS_MAX = CALLS_MAX.text;
const SEPARATOR = /^---[ \t]*$/gm;

/** Throws valid_scenarios_required if the text has more documents than a run may have calls. */
function documentsIn(scenarios: string): readonly Document[] {
  const documents: Document[] = [];
  let from = 0;
  let linesBefore = 0;
  const add = (to: number) => {
    const text = scenarios.slice(from, to);
    if (text.trim() !== "") documents.push({ text, linesBefore });
    if (documents.length > DOCUMENTS_MAX)
      throw invalidField("scenarios", `At most ${DOCUMENTS_MAX} scenarios are read at once.`, {
        reason: "scenarios_at_once",
        params: { most: DOCUMENTS_MAX },
      });
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) linesBefore++;
  };
  for (const { 0: separator, index } of scenarios.matchAll(SEPARATOR)) {
    add(index);
    from = index + separator.length;
  }
  add(scenarios.length);
  return documents;
}

function ownFiles(documents: readonly Document[]): SuiteFiles {
  const byName = new Map(
    documents.map((document, index) => [`scenario-${index + 1}.yaml`, document]),
  );
  return {
    names: [...byName.keys()],
    read: (name) => byName.get(name)?.text,
    linesBefore: (name) => byName.get(name)?.linesBefore ?? 0,
  };
}
