/**
 * Audio as the main thread sees it: the call workers and the encoder. The workers start in the
 * background, so that the API answers first. Calls that arrive meanwhile wait for the workers.
 */

import { memoryShort } from "../adapter/engine/embedded/hearing-memory.ts";
import type { FailedVoice } from "../adapter/engine/embedded/own-voices/voice-files.ts";
import type { AskTopics } from "../adapter/engine/embedded/scripted/agent-topics.ts";
import type { ProviderTrouble } from "../adapter/engine/provider-trouble.ts";
import { EMBEDDED } from "../adapter/engine/registry.ts";
import type { EngineSettings } from "../adapter/engine/settings.ts";
import { createEncoder } from "../adapter/media/recording/encoder.ts";
import {
  type CallWorkerPool,
  createCallWorkerPool,
  type SpeechLoad,
} from "../adapter/worker/call-worker-pool.ts";
import type { Clock } from "../core/clock.ts";
import { AppError, describeError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import type { CallMedia, RecordingEncoder } from "../domain/call/media-port.ts";
import type { VoiceSampler } from "../domain/call/web/voice-samples.ts";
import type { CallConfig } from "../domain/conversation/call-config.ts";
import type { KnowledgeIndex } from "../domain/knowledge/knowledge-index.ts";
import { spawnCallWorker, spawnEncoderWorker, spawnSpeechWorker } from "../workers.ts";
import type { AppSettings } from "./settings.ts";

export interface Audio extends CallMedia, VoiceSampler {
  readonly encoder: RecordingEncoder;
  /** Starts the workers, once. */
  start(): void;
  /** null: ready to carry calls; else one sentence. */
  problem(): string | null;
  /** Why no call can begin now: all workers died and are being replaced. Null: it can, or waits for the first start. */
  rejection(): string | null;
  /** Whether all call workers answer. False while they start. */
  answers(): Promise<boolean>;
  /** How many calls the RTP ports allow; 0 while the workers start. */
  capacity(): number;
  /** Utterances for which no decoder of the embedded engine was free. */
  speechLoad(): SpeechLoad;
  /** More callers talk than the embedded engine can follow: new ones find all lines busy. */
  tooManyTalk(): boolean;
  /** Why callers cannot be understood by their speech now; null: they can, or a provider hears them. */
  hearingWarning(): string | null;
  /** The operator's voices whose files cannot be used. */
  failedVoices(): readonly FailedVoice[];
  /** Resolves when calls can be carried, or rejects with the reason. */
  ready(): Promise<void>;
  stop(): Promise<void>;
}

interface AudioPorts {
  readonly clock: Clock;
  readonly log: Log;
  readonly onProviderTrouble?: (trouble: ProviderTrouble) => void;
  readonly onStall?: (lateMs: number) => void;
  /** What a rehearsal changes about a call. Missing: nothing. */
  readonly adaptCall?: ((config: CallConfig) => CallConfig) | undefined;
  /** Missing: nothing is found. */
  readonly searchKnowledge?: KnowledgeIndex["search"];
  /** Missing: the built-in engine's agents know nothing. */
  readonly askTopics?: AskTopics;
}

export function createAudio(
  settings: Pick<AppSettings, "callWorkers" | "callWorker">,
  deps: AudioPorts,
): Audio {
  const { log, adaptCall = (config) => config } = deps;
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
    hearingWarning: () => hearingWarning(settings.callWorker.engine, workers.running()),
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

/** The call workers before they have started: callers wait for them. */
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

    /** Once. */
    start(create: () => Promise<CallWorkerPool>): void {
      if (isStarted) return;
      isStarted = true;
      startsWith(create());
    },

    /** Throws unavailable when the workers did not start. */
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
