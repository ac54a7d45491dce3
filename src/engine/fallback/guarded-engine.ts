/**
 * The engine of a call worker where providers are configured: each part of each call goes to the
 * first provider, to the second when that fails, and to the embedded engine when all do. One a call
 * worker, so that a provider found dead by one call is not waited for by the next.
 */
import type { Clock } from "../../core/clock.ts";
import type { Log } from "../../core/log.ts";
import type { Engine, EngineSession, SessionSettings } from "../ports.ts";
import type { GuardSettings } from "../settings.ts";
import { CallMemory } from "./call-memory.ts";
import { EarChain } from "./ear-chain.ts";
import { MessageTaker } from "./message-taker.ts";
import { MindChain } from "./mind-chain.ts";
import { CallProviders, Provider } from "./providers.ts";
import { VoiceChain } from "./voice-chain.ts";

export interface GuardedEngineOptions {
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

export function createGuardedEngine(options: GuardedEngineOptions): Engine {
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
  options: GuardedEngineOptions,
  all: readonly Provider[],
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
    providers: all,
    settings,
    history: () => memory.handover,
    log,
  });
  const { sampleRateHz } = settings;
  const common = { providers, guard, clock, sampleRateHz };
  const voice = new VoiceChain({ ...common, lastResort: () => openEmbedded()?.voice ?? null });
  const messageTaker = takesMessages
    ? new MessageTaker(language, settings.callerNumber ?? "")
    : null;
  const ear = new EarChain({ ...common, lastResort: () => openEmbedded()?.ear ?? null });
  const mind = new MindChain({
    ...common,
    messageTaker,
    memory,
    onText: (text) => voice.prefetch(text),
    onAbort: () => voice.dropPrefetched(),
    language: () => language,
    knowsOpenSpeech: () => language === "en" || !ear.understoodByLastResort,
  });
  return {
    ear,
    mind,
    voice,
    get onSpeechWorker() {
      return embedded !== null;
    },
    switchLanguage(wanted) {
      language = wanted;
      providers.switchLanguage(wanted);
      messageTaker?.switchLanguage(wanted);
      embedded?.switchLanguage?.(wanted);
    },
    close() {
      providers.close();
      embedded?.close();
    },
  };
}
