/**
 * Connects text rehearsals with the configured engine. Each call has a separate engine, which uses
 * the call's clock.
 */

import { TRIAL_CALLER, trialConfig, type WebCallPorts } from "../call/web/web-call.ts";
import type { Engine } from "../conversation/engine-port.ts";
import type { Clock } from "../core/clock.ts";
import { uuidV7 } from "../core/ids.ts";
import type { Log } from "../core/log.ts";
import { seededRandom } from "../core/random.ts";
import type { WorkerHandle } from "../core/worker-handle.ts";
import type { AskTopics } from "../engine/embedded/scripted/agent-topics.ts";
import { PARTS, type Part } from "../engine/provider.ts";
import { combinedProvider } from "../engine/registry.ts";
import { costsMoney, EMBEDDED_ONLY, type EngineSettings } from "../engine/settings.ts";
import type { Services } from "../features/appliance/services.ts";
import { type TrialMeter, UNMETERED } from "../features/billing/trials.ts";
import { modelSettings } from "../features/rehearsal/language-model.ts";
import { Rehearsals } from "../features/rehearsal/rehearsals.ts";
import type { TextRehearsalPorts } from "../features/rehearsal/rehearse-text.ts";
import type { OpenedModel } from "../features/rehearsal/result.ts";
import { type ScenarioReader, scenarioReaderHere } from "../features/rehearsal/scenario-reader.ts";
import { storedAgent } from "../features/rehearsal/stored-agent.ts";
import type { LiveTools } from "../features/rehearsal/text-call.ts";
import { spawnKnowledgeWorker } from "../workers.ts";
import { readySuiteFiles } from "./ready-suites.gen.ts";
import { rehearsalKnowledge } from "./rehearsal-knowledge.ts";
import { type PhoneProgram, rehearsalProcess } from "./rehearsal-process.ts";
import { rehearsalRuns } from "./rehearsal-runs.ts";
import type { AppSettings } from "./settings.ts";

const SEED = 1;

/** The caller must `close` them. */
export function textRehearsals(
  { callWorker: { engine, conversation } }: Pick<AppSettings, "callWorker">,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
  runTool: LiveTools | null = null,
  spawn: () => WorkerHandle = spawnKnowledgeWorker,
): TextRehearsalPorts {
  const { askTopics, ...knowledge } = rehearsalKnowledge(spawn, { clock, log });
  const openEngine = async (callClock: Clock, ask: AskTopics): Promise<Engine> => {
    // No audio: only the language side is used.
    const { port1: port } = new MessageChannel();
    // Loaded on demand, because most servers run no rehearsals.
    const { createEmbeddedEngine } = await import("../engine/embedded/engine.ts");
    const { chooseEngine } = await import("../worker/engine-choice.ts");
    const ports = { clock: callClock, random: seededRandom(SEED), log };
    const meaning = { askTopics: ask, comparesMeanings: false };
    const embedded = createEmbeddedEngine({ port, ...ports, ...meaning });
    return await chooseEngine(languageOnly(engine), { ...ports, embedded, onTrouble: () => {} });
  };
  const openModel = async (): Promise<OpenedModel> => {
    const model = await openEngine(clock, askTopics);
    return {
      open: (prompt) => model.open(modelSettings(prompt, "rehearsal-model")),
      close: () => model.close(),
    };
  };
  const generates = engine.providers.llm[0]?.id !== "embedded";
  return {
    ...knowledge,
    openEngine: (callClock) =>
      openEngine(callClock, (...asked) => callClock.hold(askTopics(...asked))),
    runTool,
    settings: conversation,
    clock,
    log,
    openModel: generates ? openModel : null,
  };
}

const liveTools =
  ({ tools, clock, random }: WebCallPorts): LiveTools =>
  async ({ stored }, tool, values) => {
    if (!stored)
      return { ok: false, httpStatus: null, output: "only a stored agent's tool is asked" };
    const { tenantId, id: agentId, version } = stored;
    return await tools.run(tenantId, {
      callUuid: uuidV7(clock, random),
      toolCallId: "rehearsal",
      tool,
      arguments: values,
      ...(version === "draft" ? {} : { version: { agentId, number: version } }),
      caller: TRIAL_CALLER,
    });
  };

/** Rehearsals of stored agents, for dashboard and REST. */
export function createRehearsals(
  settings: Pick<AppSettings, "callWorker" | "dataDir">,
  context: WebCallPorts,
  {
    agentVersions: { source, texts },
    agentScenarios,
  }: Pick<Services, "agentVersions" | "agentScenarios">,
  phones: PhoneProgram | null,
  {
    meter = UNMETERED,
    scenarioReader = scenarioReaderHere,
  }: { readonly meter?: TrialMeter; readonly scenarioReader?: ScenarioReader } = {},
): Rehearsals {
  const { clock, random, log } = context;
  const { transferTargets = {} } = settings.callWorker.conversation;
  const { dataDir } = settings;
  const runTool = liveTools(context);
  const { engine } = settings.callWorker;
  const meterOf = (parts: readonly Part[]) => (costsMoney(engine, parts) ? meter : UNMETERED);
  return new Rehearsals({
    trials: { text: meterOf(["llm"]), phone: meterOf(PARTS) },
    clock,
    random,
    log,
    scenarioReader,
    text: textRehearsals(settings, { clock, log }, runTool),
    openPhones: phones && rehearsalProcess(phones, { dataDir, runTool, log }),
    readySuites: new Map(Object.entries(readySuiteFiles)),
    scenariosOf: async (tenantId, agentId) =>
      (await agentScenarios.list(tenantId, agentId)).map(({ yaml }) => yaml),
    runs: rehearsalRuns(dataDir),
    async agentOf(tenantId, agentId, isDraft) {
      const config = await trialConfig(context, tenantId, agentId, { browser: null, draft: {} });
      const { tenantName: company, timeZone } = config;
      const { content, version } = await source(tenantId, agentId, isDraft);
      const { voiceAliases } = context.settings;
      const about = {
        tenantId,
        id: agentId,
        version,
        company,
        timeZone,
        transferTargets,
        voiceAliases,
      };
      return storedAgent(content, await texts(tenantId, content), about);
    },
  });
}

/**
 * Replaces STT and TTS providers by the embedded ones, unless the provider combines all parts in
 * one session.
 */
function languageOnly(engine: EngineSettings): EngineSettings {
  const { stt, tts } = EMBEDDED_ONLY.providers;
  const isCombined = engine.providers.llm.some(({ id }) => combinedProvider(id) !== null);
  return isCombined ? engine : { ...engine, providers: { ...engine.providers, stt, tts } };
}
