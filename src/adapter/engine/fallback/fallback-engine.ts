/**
 * The engine of a call worker where providers are configured: each part of each call goes to the
 * first provider, to the second when that fails, and to the embedded engine when all do. One a call
 * worker, so that a provider found dead by one call is not waited for by the next.
 */
import type { Clock } from "../../../core/clock.ts";
import type { Log } from "../../../core/log.ts";
import type {
  Engine,
  EngineSession,
  SessionSettings,
} from "../../../domain/conversation/engine-port.ts";
import type { GuardSettings } from "../settings.ts";
import { CallMemory } from "./call-memory.ts";
import { LlmChain } from "./llm-chain.ts";
import { MessageTaker } from "./message-taker.ts";
import { CallProviders, Provider } from "./providers.ts";
import { SttChain } from "./stt-chain.ts";
import { TtsChain } from "./tts-chain.ts";

export interface FallbackEngineOptions {
  /** In the order they are tried; closed with the engine. */
  readonly providers: readonly { readonly name: string; readonly engine: Engine }[];
  /** Closed with the engine. */
  readonly embedded: Engine;
  /** When all providers fail it takes a message; else the call ends with an apology. */
  readonly takesMessages: boolean;
  readonly guard: GuardSettings;
  readonly clock: Clock;
  readonly log: Log;
}

export function createFallbackEngine(options: FallbackEngineOptions): Engine {
  const { guard, clock, log } = options;
  const providers = options.providers.map(
    ({ name, engine }) => new Provider(name, engine, guard, clock, log),
  );
  return {
    label: providers[0]?.engine.label ?? "embedded",
    open: (settings) => openSession(options, providers, settings),
    useSpeechPort: (port) => options.embedded.useSpeechPort?.(port),
    async close() {
      const engines = [...providers.map(({ engine }) => engine), options.embedded];
      await Promise.all(engines.map((engine) => engine.close()));
    },
  };
}

function openSession(
  options: FallbackEngineOptions,
  allProviders: readonly Provider[],
  settings: SessionSettings,
): EngineSession {
  const { guard, clock, takesMessages } = options;
  const log = options.log.with({ call_id: settings.callId });
  let { language } = settings;
  let embedded: EngineSession | null = null;
  const openEmbedded = () => {
    if (takesMessages) embedded ??= options.embedded.open({ ...settings, language });
    return embedded;
  };
  const memory = new CallMemory(settings.history ?? []);
  const providers = new CallProviders({
    providers: allProviders,
    settings,
    history: () => memory.failoverHistory,
    log,
  });
  const { sampleRateHz } = settings;
  const common = { providers, guard, clock, sampleRateHz };
  const tts = new TtsChain({ ...common, lastResort: () => openEmbedded()?.tts ?? null });
  const messageTaker = takesMessages
    ? new MessageTaker(language, settings.callerNumber ?? "")
    : null;
  const stt = new SttChain({ ...common, lastResort: () => openEmbedded()?.stt ?? null });
  const llm = new LlmChain({
    ...common,
    messageTaker,
    memory,
    onText: (text) => tts.prefetch(text),
    onAbort: () => tts.dropPrefetched(),
    language: () => language,
    knowsOpenSpeech: () => language === "en" || !stt.understoodByLastResort,
  });
  return {
    stt,
    llm,
    tts,
    get onSpeechWorker() {
      return embedded !== null;
    },
    switchLanguage(newLanguage) {
      language = newLanguage;
      providers.switchLanguage(newLanguage);
      messageTaker?.switchLanguage(newLanguage);
      embedded?.switchLanguage?.(newLanguage);
    },
    close() {
      providers.close();
      embedded?.close();
    },
  };
}
