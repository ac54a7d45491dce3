/**
 * Rehearses one scenario as text: opens the agent's language side, lets the caller call, and checks the result.
 */

import type { CallConfig } from "../../conversation/call-config.ts";
import type { ConversationSettings } from "../../conversation/conversation-settings.ts";
import { openingOf } from "../../conversation/disclosure/disclosure.ts";
import type { Engine, SessionSettings } from "../../conversation/engine-port.ts";
import type { SearchKnowledge } from "../../conversation/prompt/knowledge-llm.ts";
import { buildSystemPrompt, variablesOf } from "../../conversation/prompt/prompt.ts";
import { builtInTools, maySendDigits } from "../../conversation/tools/built-in-tools.ts";
import { dayText, instantOf, wallClock } from "../../core/calendar.ts";
import type { Clock } from "../../core/clock.ts";
import { describeError } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import { callConfigOf, type RehearsedAgent } from "./agent-file.ts";
import { playCaller } from "./language-model.ts";
import type { RehearsedCall } from "./rehearsed-call.ts";
import {
  failedResult,
  modelFor,
  type OpenedModel,
  type RehearsalResult,
  resultOf,
} from "./result.ts";
import type { Scenario } from "./scenario.ts";
import { runSuite, type SuiteCase, type SuiteOptions, type SuiteReport } from "./suite.ts";
import { type LiveTools, TextCall } from "./text-call.ts";
import { VirtualClock } from "./virtual-clock.ts";

export interface TextRehearsalPorts {
  /** Opens an engine for one call, which uses this clock. The call closes it. */
  readonly openEngine: (clock: VirtualClock) => Promise<Engine>;
  /** Null if the engine has no language model, so it can neither play a persona nor judge. */
  readonly openModel: (() => Promise<OpenedModel>) | null;
  /** Opens the knowledge for one run. */
  readonly openKnowledge: () => RehearsedKnowledge;
  /** Closes resources shared by all runs. */
  readonly close: () => void;
  /** Runs a stored agent's real tool; null: not supported here. */
  readonly runTool: LiveTools | null;
  readonly settings: ConversationSettings;
  readonly clock: Clock;
  readonly log: Log;
}

/** Knowledge of a run's agents, searched as in a call. The owner must `close` it. */
export interface RehearsedKnowledge {
  /** Resolves when the files are indexed. */
  of(files: RehearsedAgent["knowledge"]): Promise<SearchKnowledge>;
  close(): void;
}

type RunPorts = Omit<TextRehearsalPorts, "openKnowledge" | "close"> & {
  readonly knowledge: RehearsedKnowledge;
};

/** Runs a suite by text. Never rejects. */
export async function runSuiteInWriting(
  cases: readonly SuiteCase[],
  options: Omit<SuiteOptions, "rehearse">,
  ports: TextRehearsalPorts,
): Promise<SuiteReport> {
  const run = { ...ports, knowledge: ports.openKnowledge() };
  const rehearse = ({ scenario, agent }: SuiteCase, nth: number) =>
    rehearseText(scenario, agent, nth, run);
  return await runSuite(cases, { ...options, rehearse }).finally(() => run.knowledge.close());
}

/** Never rejects. */
async function rehearseText(
  scenario: Scenario,
  rehearsed: RehearsedAgent,
  run: number,
  ports: RunPorts,
): Promise<RehearsalResult> {
  let model: OpenedModel | null = null;
  try {
    model = await modelFor(scenario, ports.openModel);
    const call = await textCall(scenario, rehearsed, { run, model }, ports);
    return await resultOf(scenario, run, call, model);
  } catch (error) {
    return failedResult(scenario, run, rehearsed, describeError(error));
  } finally {
    await model?.close();
  }
}

async function textCall(
  scenario: Scenario,
  rehearsed: RehearsedAgent,
  { run, model }: { readonly run: number; readonly model: OpenedModel | null },
  ports: RunPorts,
): Promise<RehearsedCall> {
  const { settings, log } = ports;
  const startMs = startOf(scenario, rehearsed.timeZone, ports.clock);
  const clock = new VirtualClock(startMs);
  const config = callConfigOf(rehearsed, scenario, `rehearsal-${run}`, settings.knowledgeTokens);
  const own = { ...settings, transferTargets: rehearsed.transferTargets };
  const search = config.looksUpKnowledge ? await ports.knowledge.of(rehearsed.knowledge) : null;
  const engine = await ports.openEngine(clock);
  try {
    const call = new TextCall({
      scenario,
      config,
      clock,
      wallClock: ports.clock,
      log,
      settings: own,
      search,
      rehearsed,
      runTool: ports.runTool,
      engine: engine.open(sessionSettings(config, own, clock.now())),
      engineLabel: engine.label,
    });
    const played = await call.run((line) => playCaller(line, scenario, model?.open ?? null));
    const { language } = config.agent;
    const day = dayText(wallClock(rehearsed.timeZone, startMs));
    return { ...call.left, steps: played.steps, language, day, recording: null };
  } finally {
    await engine.close();
  }
}

export const startOf = ({ at }: Scenario, timeZone: string, clock: Clock): number =>
  at === undefined ? clock.now() : instantOf(timeZone, at);

/** Same settings as in a call worker. */
function sessionSettings(
  config: CallConfig,
  settings: ConversationSettings,
  nowMs: number,
): SessionSettings {
  const { callId, agent, knowledge, tools, looksUpKnowledge = false } = config;
  const transferTargets = settings.transferTargets ?? {};
  const variables = variablesOf(config, nowMs);
  const { greeting } = openingOf(config, settings, variables);
  return {
    callId,
    knowledge,
    looksUpKnowledge,
    tools,
    language: agent.language,
    voice: agent.voice,
    sampleRateHz: 8000,
    systemPrompt: buildSystemPrompt(config, variables),
    transferTargets: Object.values(transferTargets),
    builtInTools: builtInTools({ transferTargets, sendDigits: maySendDigits(config) }, tools),
    callerNumber: variables.caller_number ?? "",
    promptCacheKey: `agent-${agent.id}`,
    history: greeting.own === "" ? [] : [{ by: "agent", text: greeting.own }],
  };
}
