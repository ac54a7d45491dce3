/** Rehearses one scenario in writing: opens the agent's language side, lets the caller call, and looks what came of it. */
import { dayText, instantOf, wallClock } from "../../core/calendar.ts";
import type { Clock } from "../../core/clock.ts";
import { describeError } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import { builtInTools, maySendDigits } from "../conversation/built-in-tools.ts";
import type { CallConfig } from "../conversation/call-config.ts";
import type { ConversationSettings } from "../conversation/conversation-settings.ts";
import { openingOf } from "../conversation/disclosure.ts";
import type { Engine, SessionSettings } from "../conversation/engine-port.ts";
import { buildSystemPrompt, variablesOf } from "../conversation/prompt.ts";
import { callConfigOf, type RehearsedAgent } from "./agent-file.ts";
import { playPersona, playScript } from "./caller.ts";
import { type Failure, failuresOf } from "./expectations.ts";
import { judge, modelSettings, type OpenModel, personaPlayer } from "./language-model.ts";
import type { RehearsedCall } from "./rehearsed-call.ts";
import type { Scenario } from "./scenario.ts";
import { TextCall } from "./text-call.ts";
import { VirtualClock } from "./virtual-clock.ts";

export interface TextRehearsalPorts {
  /** An engine for one call, which follows this clock. Closed with the call. */
  readonly openEngine: (clock: Clock) => Promise<Engine>;
  /** Null: the engine generates nothing, so it can neither play a persona nor judge. */
  readonly openModel: ((clock: Clock) => Promise<Engine>) | null;
  readonly settings: ConversationSettings;
  readonly clock: Clock;
  readonly log: Log;
}

export interface RehearsalResult {
  readonly name: string;
  /** From 1. */
  readonly run: number;
  /** Empty: passed. In order of their turns. */
  readonly failures: readonly Failure[];
  readonly call: RehearsedCall;
}

export const NO_MODEL =
  "a persona and `judge` need a language model: set [engine] llm, or write a script";

/** Never rejects. */
export async function rehearseText(
  scenario: Scenario,
  rehearsed: RehearsedAgent,
  run: number,
  ports: TextRehearsalPorts,
): Promise<RehearsalResult> {
  const { name } = scenario;
  try {
    if (needsModel(scenario) && ports.openModel === null) throw new Error(NO_MODEL);
    const call = await textCall(scenario, rehearsed, run, ports);
    const judged = await judgedFailures(scenario, call, ports);
    return { name, run, call, failures: [...failuresOf(scenario, call), ...judged] };
  } catch (error) {
    const call = emptyCall(rehearsed, describeError(error));
    return { name, run, call, failures: failuresOf({ ...scenario, script: [], must: [] }, call) };
  }
}

const needsModel = ({ persona, judge }: Scenario): boolean =>
  persona !== undefined || judge.length > 0;

async function textCall(
  scenario: Scenario,
  rehearsed: RehearsedAgent,
  run: number,
  ports: TextRehearsalPorts,
): Promise<RehearsedCall> {
  const { settings, log } = ports;
  const startMs = startOf(scenario, rehearsed.timeZone, ports.clock);
  const clock = new VirtualClock(startMs);
  const config = callConfigOf(rehearsed, scenario, `rehearsal-${run}`);
  const own = { ...settings, transferTargets: rehearsed.transferTargets };
  const engine = await ports.openEngine(clock);
  const model = scenario.persona === undefined ? null : await openModelOf(ports);
  try {
    const call = new TextCall({
      ...{ scenario, config, clock, wallClock: ports.clock, log, settings: own },
      engine: engine.open(sessionSettings(config, own, clock.now())),
      engineLabel: engine.label,
    });
    const played = await call.run((line) =>
      scenario.persona && model
        ? playPersona(line, scenario.persona, personaPlayer(model.open))
        : playScript(line, scenario.script ?? []),
    );
    const { language } = config.agent;
    const day = dayText(wallClock(rehearsed.timeZone, startMs));
    return { ...call.left, steps: played.steps, problem: null, language, day, recording: null };
  } finally {
    await engine.close();
    await model?.close();
  }
}

const startOf = ({ at }: Scenario, timeZone: string, clock: Clock): number =>
  at === undefined ? clock.now() : instantOf(timeZone, at);

/** The same as a call worker opens. */
function sessionSettings(
  config: CallConfig,
  settings: ConversationSettings,
  nowMs: number,
): SessionSettings {
  const { callId, agent, knowledge, tools } = config;
  const transferTargets = settings.transferTargets ?? {};
  const variables = variablesOf(config, nowMs);
  const { greeting } = openingOf(config, settings, variables);
  return {
    ...{ callId, knowledge, tools, language: agent.language, voice: agent.voice },
    sampleRateHz: 8000,
    systemPrompt: buildSystemPrompt(config, variables),
    transferTargets: Object.values(transferTargets),
    builtInTools: builtInTools({ transferTargets, sendDigits: maySendDigits(config) }, tools),
    callerNumber: variables.caller_number ?? "",
    promptCacheKey: `agent-${agent.id}`,
    history: greeting.own === "" ? [] : [{ by: "agent", text: greeting.own }],
  };
}

/** Sessions of the model that is not the agent; they follow the wall clock. */
async function openModelOf({ openModel, clock }: TextRehearsalPorts) {
  if (!openModel) throw new Error(NO_MODEL);
  const engine = await openModel(clock);
  const open: OpenModel = (prompt) => engine.open(modelSettings(prompt, "rehearsal-model"));
  return { open, close: () => engine.close() };
}

/** Empty where the scenario asks for no judgement. */
async function judgedFailures(
  { judge: sentences }: Scenario,
  call: RehearsedCall,
  ports: TextRehearsalPorts,
): Promise<Failure[]> {
  if (sentences.length === 0) return [];
  const model = await openModelOf(ports);
  try {
    return await judge(model.open, sentences, call);
  } finally {
    await model.close();
  }
}

/** A call that never was, and why. */
const emptyCall = ({ agent }: RehearsedAgent, problem: string): RehearsedCall => ({
  ...{ turns: [], steps: [], tools: [], transfers: [], messages: [], languages: [] },
  ...{ interruptions: [], unanswered: [], problem, endedReason: "engine_failure" },
  ...{ durationMs: 0, language: agent.language, day: "1970-01-01", recording: null },
});
