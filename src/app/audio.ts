/**
 * The main thread's view of audio: the call workers and the encoder. The workers start in the
 * background, so that the API answers first. Calls that arrive meanwhile wait for the workers.
 */

import type { CallMedia, RecordingEncoder } from "../call/media-port.ts";
import type { VoiceSampler } from "../call/web/voice-samples.ts";
import type { CallConfig } from "../conversation/call-config.ts";
import type { Clock } from "../core/clock.ts";
import { AppError, describeError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import { memoryShort } from "../engine/embedded/hearing-memory.ts";
import type { FailedVoice } from "../engine/embedded/own-voices/voice-files.ts";
import type { AskTopics } from "../engine/embedded/scripted/agent-topics.ts";
import type { ProviderIncident } from "../engine/provider-incident.ts";
import { EMBEDDED } from "../engine/registry.ts";
import { type EngineSettings, followsPrompt, understandsSpeech } from "../engine/settings.ts";
import type { AgentLanguage } from "../features/agent/agent.ts";
import type { KnowledgeIndex } from "../features/knowledge/knowledge-index.ts";
import { createEncoder } from "../media/recording/encoder.ts";
import {
  type CallWorkerPool,
  createCallWorkerPool,
  type SpeechLoad,
} from "../worker/call-worker-pool.ts";
import { spawnCallWorker, spawnEncoderWorker, spawnSpeechWorker } from "../workers.ts";
import type { AppSettings } from "./settings.ts";

export interface Audio extends CallMedia, VoiceSampler {
  readonly encoder: RecordingEncoder;
  /** Starts the workers, once. */
  start(): void;
  /** null if calls can be carried, else one sentence. */
  problem(): string | null;
  /**
   * Reason why no call can begin: all workers died and are being replaced. Null if calls can begin,
   * or while the first start runs.
   */
  rejection(): string | null;
  /** Whether all call workers answer. False while they start. */
  answers(): Promise<boolean>;
  /** Number of calls that the RTP ports allow; 0 while the workers start. */
  capacity(): number;
  /** Utterances for which the embedded engine had no free decoder. */
  speechLoad(): SpeechLoad;
  /**
   * Whether more callers speak than the embedded engine can recognise. New callers then get "all
   * lines are busy".
   */
  tooManyTalk(): boolean;
  /**
   * Reason why callers' speech cannot be recognised now; null if it can, or if a provider
   * recognises it.
   */
  hearingWarning(): string | null;
  /** Capabilities of the engine for agents in this language. */
  capabilities(language: AgentLanguage): EngineCapabilities;
  /** Custom voices with unusable files. */
  failedVoices(): readonly FailedVoice[];
  /** Resolves when calls can be carried, or rejects with the reason. */
  ready(): Promise<void>;
  stop(): Promise<void>;
}

interface EngineCapabilities {
  /** Otherwise the engine speaks and offers keys. */
  readonly understandsSpeech: boolean;
  readonly followsPrompt: boolean;
}

interface AudioPorts {
  readonly clock: Clock;
  readonly log: Log;
  readonly onProviderTrouble?: (trouble: ProviderIncident) => void;
  readonly onStall?: (lateMs: number) => void;
  /** Changes the configuration of rehearsal calls. Missing: no change. */
  readonly adaptCall?: ((config: CallConfig) => CallConfig) | undefined;
  /** Missing: searches find nothing. */
  readonly searchKnowledge?: KnowledgeIndex["search"];
  /** Missing: agents of the built-in engine have no knowledge. */
  readonly askTopics?: AskTopics;
}

export function createAudio(
  settings: Pick<AppSettings, "callWorkers" | "callWorker">,
  deps: AudioPorts,
): Audio {
  const { log, adaptCall = (config) => config } = deps;
  const { engine } = settings.callWorker;
  const workers = createStartingPool(log);
  const encoder = createEncoder(spawnEncoderWorker);
  return {
    encoder,
    start: () =>
      workers.start(() =>
        createCallWorkerPool({
          workers: settings.callWorkers,
          spawnCallWorker,
          spawnSpeechWorker,
          settings: settings.callWorker,
          ...deps,
        }),
      ),
    async open(config) {
      return (await workers.pool()).open(adaptCall(config));
    },
    async openChat(config, messages) {
      return (await workers.pool()).openChat(config, messages);
    },
    async sampleVoice(sample) {
      return (await workers.pool()).sampleVoice(sample);
    },
    problem() {
      const state = workers.state();
      if (state === "ready") return null;
      return state === "starting" ? "The media engine is starting." : "The media engine failed.";
    },
    async answers() {
      return workers.state() === "ready" && (await (await workers.pool()).answers());
    },
    rejection: () => workers.running()?.rejection ?? null,
    capacity: () => workers.running()?.capacity ?? 0,
    speechLoad: () => workers.running()?.speechLoad ?? { waited: 0, lost: 0 },
    tooManyTalk: () => workers.running()?.tooManyTalk ?? false,
    hearingWarning: () => hearingWarning(engine, workers.running()),
    capabilities: (language) => ({
      understandsSpeech:
        understandsSpeech(engine, language) && hearingWarning(engine, workers.running()) === null,
      followsPrompt: followsPrompt(engine),
    }),
    failedVoices: () => workers.running()?.failedVoices ?? [],
    async ready() {
      await workers.pool();
    },
    async stop() {
      await workers.stop();
      await encoder.close();
    },
  };
}

function hearingWarning(
  { providers, hearsSpeech = true }: EngineSettings,
  pool: CallWorkerPool | null,
): string | null {
  if (!hearsSpeech || providers.stt[0]?.id !== EMBEDDED || pool === null) return null;
  const missingMb = pool.missingMemoryMb;
  if (missingMb === 0) return null;
  const { finding, remedy } = memoryShort(missingMb);
  return `${finding} ${remedy}`;
}

/** The call workers before and after their start. Callers wait until they have started. */
function createStartingPool(log: Log) {
  let state: "starting" | "ready" | "failed" = "starting";
  const { promise: starting, resolve: startsWith } = Promise.withResolvers<CallWorkerPool>();
  let isStarted = false;
  let running: CallWorkerPool | null = null;
  starting.then(
    (started) => {
      running = started;
      state = "ready";
    },
    (error) => {
      state = "failed";
      log.error("media.start_failed", { error: describeError(error) });
    },
  );
  return {
    state: () => state,
    /** null: not started yet. */
    running: () => running,

    /** Call it once. */
    start(create: () => Promise<CallWorkerPool>): void {
      if (isStarted) return;
      isStarted = true;
      startsWith(create());
    },

    /** Throws unavailable if the workers did not start. */
    async pool(): Promise<CallWorkerPool> {
      try {
        return await starting;
      } catch (error) {
        throw new AppError({
          code: "unavailable",
          publicMessage: "The media engine did not start; see the log.",
          cause: error,
        });
      }
    },

    async stop(): Promise<void> {
      const [started] = isStarted ? await Promise.allSettled([starting]) : [];
      if (started?.status === "fulfilled") await started.value.shutdown();
    },
  };
}
