/**
 * What `[engine]` says, as the call worker gets it: plain data (structured clone), checked already.
 * Keys of providers are in here; nothing of it is ever logged.
 */
import type { VoiceFiles } from "./embedded/own-voices/voice-files.ts";
import type { GuardSettings } from "./fallback/guard-settings.ts";
import { PARTS, type Part } from "./provider.ts";

/** A provider and its table `[engine.<id>]`. */
export interface ProviderChoice {
  readonly id: string;
  readonly settings: Readonly<Record<string, unknown>>;
}

export interface EngineSettings {
  /** `engine` in the API: the provider's id; of several, joined with "+". */
  readonly label: string;
  /** Of each part, in the order they are tried; at least one. */
  readonly providers: Readonly<Record<Part, readonly ProviderChoice[]>>;
  /** When all providers fail, the embedded engine takes a message. */
  readonly takesMessages: boolean;
  readonly guard: GuardSettings;
  /** Of the embedded voices. */
  readonly speechRatePercent: number;
  /** Piper voices of the operator's, spoken instead of the embedded ones. Default: none. */
  readonly voices?: VoiceFiles;
  /** The embedded engine understands English speech; false: callers press keys. Default: true. */
  readonly hearsSpeech?: boolean;
  /** PEM of authorities that providers' servers may have beside the built-in ones. Default: none. */
  readonly caPem?: string | null;
}

export const DEFAULT_GUARD: GuardSettings = {
  retries: 1,
  breaker_failures: 3,
  breaker_open_sec: 30,
};

const embeddedAlone: readonly ProviderChoice[] = [{ id: "embedded", settings: {} }];

/** The embedded engine alone. */
export const EMBEDDED_ONLY: EngineSettings = {
  label: "embedded",
  providers: { stt: embeddedAlone, llm: embeddedAlone, tts: embeddedAlone },
  takesMessages: true,
  guard: DEFAULT_GUARD,
  speechRatePercent: 100,
};

/** The first choice of each part is the embedded engine's. */
export const isEmbeddedOnly = ({ providers }: EngineSettings): boolean =>
  PARTS.every((part) => providers[part][0]?.id === "embedded");

/** One of these parts may use another provider. The embedded engine is free. */
export const costsMoney = ({ providers }: EngineSettings, parts: readonly Part[]): boolean =>
  parts.some((part) => providers[part].some(({ id }) => id !== "embedded"));

/** Calls cannot be understood or answered without a speech worker. */
export const needsSpeechWorker = ({ providers }: EngineSettings): boolean =>
  [providers.stt, providers.tts].some(([first]) => first?.id === "embedded");
