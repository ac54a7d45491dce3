/**
 * Rehearsals of a tenant's agents on the running server, in writing, one at a time for each tenant. Their results
 * are kept apart from calls: nothing here is counted, charged, mailed or posted.
 */
import type { Clock } from "../../core/clock.ts";
import { AppError, describeError, invalidField, notFound } from "../../core/errors.ts";
import { uuidV7 } from "../../core/ids.ts";
import type { Log } from "../../core/log.ts";
import type { Random } from "../../core/random.ts";
import type { AgentContent } from "../agent/agent-content.ts";
import type { RehearsedAgent } from "./agent-file.ts";
import { ScenarioInvalid } from "./read-scenario.ts";
import { rehearseText, type TextRehearsalPorts } from "./rehearse-text.ts";
import { reportJson } from "./report.ts";
import { contentHash } from "./stored-agent.ts";
import { filesOf, loadSuite, runSuite, type SuiteCase } from "./suite.ts";

type RunReport = ReturnType<typeof reportJson>;

export interface RehearsalRun {
  readonly id: string;
  /** Null: the scenarios kept with the agent. */
  readonly suite: string | null;
  /** Null: the agent that ships with the suite. */
  readonly agentId: number | null;
  readonly agentName: string;
  /** Null: the agent that ships with the suite. Missing: kept before versions were named. */
  readonly agentVersion?: number | "draft" | null;
  /** Of the content that was rehearsed. */
  readonly contentSha256?: string;
  readonly startedAt: number;
  /** Null: under way. */
  readonly endedAt: number | null;
  /** How often each scenario was rehearsed. Missing: once. */
  readonly runs?: number;
  /** Scenarios: all, and those that passed every time. */
  readonly scenarios: number;
  readonly passed: number;
  /** Null: under way, or it broke off. */
  readonly report: RunReport | null;
}

/** Where results are kept: the newest of each tenant. */
export interface RunRecords {
  save(tenantId: number, run: RehearsalRun): void;
  /** Newest first. */
  list(tenantId: number): readonly RehearsalRun[];
}

/** Whether the last finished run with exactly this content of the agent passed; null: there was none. */
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
  /** Null: the suite's own agent. */
  readonly agentId: number | null;
  /** The agent's draft instead of the published version. */
  readonly draft: boolean;
  /** The name of a suite that ships; with `scenarios`, what the run is called; null: those kept with the agent. */
  readonly suite: string | null;
  /** YAML, several separated by a line of three dashes; null: those of the suite. */
  readonly scenarios: string | null;
  readonly runs: number;
}

interface RehearsalPorts {
  readonly text: TextRehearsalPorts;
  /** `clinic/agent.yaml` and so on. */
  readonly readySuites: ReadonlyMap<string, string>;
  /** Throws not_found. */
  readonly agentOf: (
    tenantId: number,
    agentId: number,
    isDraft: boolean,
  ) => Promise<RehearsedAgent>;
  /** The YAML of each scenario that is kept with the agent. Throws not_found. */
  readonly scenariosOf: (tenantId: number, agentId: number) => Promise<readonly string[]>;
  readonly runs: RunRecords;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** Of one run, each scenario counted as often as it is rehearsed. */
const CALLS_MAX = 500;

export class Rehearsals {
  /** Runs under way, by tenant. */
  readonly #running = new Map<number, RehearsalRun>();

  constructor(private readonly ports: RehearsalPorts) {}

  /** Of the suites that ship, with the number of their scenarios. */
  get suites(): readonly { readonly name: string; readonly scenarios: number }[] {
    const scenarios = [...this.ports.readySuites.keys()].filter((file) => /\/\d\d-/.test(file));
    const bySuite = Map.groupBy(scenarios, (file) => file.slice(0, file.indexOf("/")));
    return [...bySuite].map(([name, files]) => ({ name, scenarios: files.length }));
  }

  /** Newest first, the one under way among them. */
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

  /** Begins; `list` follows it. Throws valid_suite_required, valid_scenarios_required, not_found, conflict. */
  async start(tenantId: number, order: RehearsalOrder): Promise<RehearsalRun> {
    if (this.#running.has(tenantId)) throw underWay();
    const { clock, random } = this.ports;
    const { agentId, suite, draft, runs } = order;
    const agent = agentId === null ? null : await this.ports.agentOf(tenantId, agentId, draft);
    const cases = await this.#casesOf(tenantId, order, agent);
    if (cases.length * runs > CALLS_MAX) throw tooManyCalls();
    if (this.#running.has(tenantId)) throw underWay();
    const run: RehearsalRun = {
      ...{ id: uuidV7(clock, random), suite, agentId, startedAt: clock.now(), endedAt: null },
      agentName: agent?.agent.name ?? cases[0]?.agent.agent.name ?? "",
      agentVersion: agent?.stored?.version ?? null,
      ...(agent?.stored ? { contentSha256: agent.stored.contentSha256 } : {}),
      ...{ runs, scenarios: cases.length, passed: 0, report: null },
    };
    this.#running.set(tenantId, run);
    void this.#carryOut(tenantId, run, cases, runs);
    return run;
  }

  async #casesOf(
    tenantId: number,
    order: RehearsalOrder,
    agent: RehearsedAgent | null,
  ): Promise<SuiteCase[]> {
    const own = await this.#documentsOf(tenantId, order);
    const isWanted = (file: string) => own !== null || file.startsWith(`${order.suite}/`);
    try {
      const cases = await loadSuite(filesOf(own ?? this.ports.readySuites, isWanted), agent);
      if (cases.length === 0) throw notFound("suite");
      return cases;
    } catch (error) {
      if (!(error instanceof ScenarioInvalid)) throw error;
      throw invalidField("scenarios", error.problems.join("\n"));
    }
  }

  /** Null: a suite that ships. */
  async #documentsOf(
    tenantId: number,
    { agentId, suite, scenarios }: RehearsalOrder,
  ): Promise<ReadonlyMap<string, string> | null> {
    if (scenarios !== null) return named(scenarios.split(/^---[ \t]*$/m));
    if (suite !== null) return null;
    const kept = agentId === null ? [] : await this.ports.scenariosOf(tenantId, agentId);
    if (kept.length === 0)
      throw invalidField(
        "suite",
        "Name a `suite`, send `scenarios`, or choose an agent that scenarios are kept with.",
      );
    return named(kept);
  }

  async #carryOut(
    tenantId: number,
    run: RehearsalRun,
    cases: readonly SuiteCase[],
    times: number,
  ): Promise<void> {
    const { text, clock, log, runs } = this.ports;
    try {
      const report = await runSuite(cases, {
        ...{ runs: times, atOnce: 1 },
        rehearse: ({ scenario, agent }, number) => rehearseText(scenario, agent, number, text),
      });
      const { passed } = report;
      runs.save(tenantId, { ...run, endedAt: clock.now(), passed, report: reportJson(report) });
    } catch (error) {
      log.error("rehearsal.failed", { tenant: tenantId, error: describeError(error) });
    } finally {
      this.#running.delete(tenantId);
    }
  }
}

const underWay = () =>
  new AppError({
    code: "conflict",
    publicMessage: "A rehearsal is under way. Wait for its end, then try again.",
    retryable: true,
  });

const tooManyCalls = () =>
  invalidField("runs", `At most ${CALLS_MAX} calls are rehearsed in one run.`);

const named = (texts: readonly string[]): ReadonlyMap<string, string> =>
  new Map(
    texts
      .filter((text) => text.trim() !== "")
      .map((text, index) => [`scenario-${index + 1}.yaml`, text]),
  );
