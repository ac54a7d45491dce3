/**
 * Engine of a call worker with configured providers. Each part of a call uses its first provider.
 * If that fails it uses the next one, and finally the embedded engine. One instance per call
 * worker, so that the next calls don't wait for a provider that one call has found dead.
 */

import type { Engine, EngineSession, SessionSettings } from "../../conversation/engine-port.ts";
import type { Clock } from "../../core/clock.ts";
import type { Log } from "../../core/log.ts";
import type { Part } from "../provider.ts";
import type { ProviderIncident } from "../provider-incident.ts";
import { ConversationHistory } from "./conversation-history.ts";
import type { GuardSettings } from "./guard-settings.ts";
import { LlmChain } from "./llm-chain.ts";
import { MessageTaker } from "./message-taker.ts";
import {
  CallProviders,
  Provider,
  type ProviderSource,
  type ProviderSources,
  type Providers,
} from "./providers.ts";
import { SttChain } from "./stt-chain.ts";
import { TtsChain } from "./tts-chain.ts";

interface FallbackEngineOptions {
  readonly label: string;
  /** Closed with the engine. */
  readonly providers: ProviderSources;
  /** Closed with the engine. */
  readonly embedded: Engine;
  /**
   * If true, it takes a message when all providers fail. If false, the call ends with an apology.
   */
  readonly takesMessages: boolean;
  readonly guard: GuardSettings;
  readonly clock: Clock;
  readonly log: Log;
  /** Called if a provider is unusable for everybody, and when it works again. */
  readonly onTrouble?: (trouble: ProviderIncident) => void;
}

export function createFallbackEngine(options: FallbackEngineOptions): Engine {
  const withBreaker = <P extends Part>(part: P, source: ProviderSource<P>) =>
    new Provider(part, source, options.guard, options);
  const { stt, llm, tts } = options.providers;
  const providers: Providers = {
    stt: stt.map((source) => withBreaker("stt", source)),
    llm: llm.map((source) => withBreaker("llm", source)),
    tts: tts.map((source) => withBreaker("tts", source)),
  };
  return {
    label: options.label,
    open: (settings) => openSession(options, providers, settings),
    useSpeechPort: (port) => options.embedded.useSpeechPort?.(port),
    async close() {
      const engines = new Set([...stt, ...llm, ...tts].map(engineOf));
      await Promise.all([...engines, options.embedded].map((engine) => engine.close()));
    },
  };
}

const engineOf = (source: ProviderSource<Part>): { close(): Promise<void> } =>
  "combined" in source ? source.combined : source.engine;

function openSession(
  options: FallbackEngineOptions,
  allProviders: Providers,
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
  const memory = new ConversationHistory(settings.history ?? []);
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
    language: () => language,
    knowsOpenSpeech: () => language === "en" || !stt.understoodByEmbedded,
  });
  return {
    stt,
    llm,
    tts,
    get onSpeechWorker() {
      return embedded !== null || providers.onSpeechWorker;
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
