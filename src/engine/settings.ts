/**
 * Settings from `[engine]` for the call worker: validated, plain data (structured clone). They
 * contain keys of providers, so nothing of them is logged.
 */
import type { AgentLanguage } from "../features/agent/agent.ts";
import type { VoiceFiles } from "./embedded/own-voices/voice-files.ts";
import type { GuardSettings } from "./fallback/guard-settings.ts";
import { PARTS, type Part } from "./provider.ts";

/** A provider and its table `[engine.<id>]`. */
export interface ProviderChoice {
  readonly id: string;
  readonly settings: Readonly<Record<string, unknown>>;
}

export interface EngineSettings {
  /** `engine` in the API: the provider's id; several are joined with "+". */
  readonly label: string;
  /** Per part, in order of preference; at least one. */
  readonly providers: Readonly<Record<Part, readonly ProviderChoice[]>>;
  /** If all providers fail, the embedded engine takes a message. */
  readonly takesMessages: boolean;
  readonly guard: GuardSettings;
  /** Speaking rate of the embedded voices. */
  readonly speechRatePercent: number;
  /** The operator's Piper voices, which replace embedded ones. Default: none. */
  readonly voices?: VoiceFiles;
  /**
   * Whether the embedded engine recognises English speech. If false, callers press keys. Default:
   * true.
   */
  readonly hearsSpeech?: boolean;
  /**
   * PEM of certificate authorities for the providers' servers, in addition to the built-in ones.
   * Default: none.
   */
  readonly caPem?: string | null;
}

export const DEFAULT_GUARD: GuardSettings = {
  retries: 1,
  breaker_failures: 3,
  breaker_open_sec: 30,
};

const embeddedAlone: readonly ProviderChoice[] = [{ id: "embedded", settings: {} }];

export const EMBEDDED_ONLY: EngineSettings = {
  label: "embedded",
  providers: { stt: embeddedAlone, llm: embeddedAlone, tts: embeddedAlone },
  takesMessages: true,
  guard: DEFAULT_GUARD,
  speechRatePercent: 100,
};

/** The embedded engine is the first choice for every part. */
export const isEmbeddedOnly = ({ providers }: EngineSettings): boolean =>
  PARTS.every((part) => providers[part][0]?.id === "embedded");

/** The embedded engine recognises speech in this language; otherwise it offers keys. */
export const embeddedHears = (
  language: AgentLanguage,
  { hearsSpeech = true }: Pick<EngineSettings, "hearsSpeech">,
): boolean => hearsSpeech && language === "en";

/** The first choice for STT recognises this language; otherwise callers press keys. */
export const understandsSpeech = (settings: EngineSettings, language: AgentLanguage): boolean =>
  settings.providers.stt[0]?.id !== "embedded" || embeddedHears(language, settings);

/** A language model answers. The embedded engine uses the knowledge files and ignores the prompt. */
export const followsPrompt = ({ providers }: EngineSettings): boolean =>
  providers.llm[0]?.id !== "embedded";

/** One of these parts may use a paid provider. The embedded engine is free. */
export const costsMoney = ({ providers }: EngineSettings, parts: readonly Part[]): boolean =>
  parts.some((part) => providers[part].some(({ id }) => id !== "embedded"));

/** Calls need a speech worker for STT or TTS. */
export const needsSpeechWorker = ({ providers }: EngineSettings): boolean =>
  [providers.stt, providers.tts].some(([first]) => first?.id === "embedded");
