/**
 * Known models by name: shutdown date, the provider's replacement, and special rules for requests.
 * docs/engine-reference.md shows the same with sources. Other models get ordinary requests; the
 * client learns from their errors.
 */

interface KnownModel {
  /** ISO date of the shutdown; null if none is announced. */
  readonly shutdown: string | null;
  /** Replacement by the provider; null if none, or if none is needed. */
  readonly replacement: string | null;
  /**
   * Values of reasoning effort, smallest first; null if the model has no such parameter. Absent if
   * unknown.
   */
  readonly efforts?: readonly string[] | null;
  /** Over chat completions, tools work only with effort "none". */
  readonly toolsNeedNoEffort?: boolean;
}

const REASONS = ["none", "low", "medium", "high", "xhigh", "max"];
const ALWAYS_REASONS = ["low", "medium", "high", "xhigh", "max"];

const lasting = (rules: Partial<KnownModel> = {}): KnownModel => ({
  shutdown: null,
  replacement: null,
  ...rules,
});
const until = (shutdown: string, replacement: string, efforts?: null): KnownModel => ({
  shutdown,
  replacement,
  ...(efforts === undefined ? {} : { efforts }),
});

export const KNOWN_MODELS: Readonly<Record<string, KnownModel>> = {
  "gpt-6-luna": lasting({ efforts: REASONS, toolsNeedNoEffort: true }),
  "gpt-6.1-terra": lasting({ efforts: REASONS, toolsNeedNoEffort: true }),
  "gpt-6.1-sol": lasting({ efforts: ALWAYS_REASONS, toolsNeedNoEffort: true }),
  "gpt-6-astra": lasting({ efforts: ALWAYS_REASONS, toolsNeedNoEffort: true }),
  "gpt-5.6-luna": lasting({ efforts: REASONS, toolsNeedNoEffort: true }),
  "gpt-5.6-terra": lasting({ efforts: REASONS, toolsNeedNoEffort: true }),
  "gpt-5.6-sol": lasting({ efforts: REASONS, toolsNeedNoEffort: true }),
  "gpt-5.4-nano": until("2027-04-01", "gpt-6-luna"),
  "gpt-5.1": until("2027-04-01", "gpt-6.1-terra"),
  "gpt-5": until("2026-12-11", "gpt-6.1-sol"),
  "gpt-5-mini": until("2026-12-11", "gpt-6.1-terra"),
  "gpt-5-nano": until("2026-12-11", "gpt-6-luna"),
  o3: until("2026-12-11", "gpt-6.1-sol"),
  "gpt-4.1": until("2027-01-14", "gpt-6-luna", null),
  "gpt-4.1-mini": until("2027-01-14", "gpt-6-luna", null),
  "gpt-4o": until("2027-01-14", "gpt-6-luna", null),
  "gpt-4o-mini": until("2027-01-14", "gpt-6-luna", null),
  "gpt-4.1-nano": until("2026-10-23", "gpt-6-luna", null),
  "o4-mini": until("2026-10-23", "gpt-6.1-terra"),
  "gpt-transcribe": lasting(),
  "gpt-live-transcribe": lasting(),
  "gpt-realtime-whisper": lasting(),
  "whisper-1": until("2027-02-26", "gpt-transcribe"),
  "gpt-4o-transcribe": until("2027-02-26", "gpt-transcribe"),
  "gpt-4o-mini-transcribe": until("2027-02-26", "gpt-transcribe"),
  "tts-1": until("2027-01-06", "gpt-realtime-2.1-mini"),
  "tts-1-hd": until("2027-01-06", "gpt-realtime-2.1-mini"),
  "gpt-4o-mini-tts": until("2027-01-06", "gpt-realtime-2.1-mini"),
  "gpt-realtime-2.1": lasting(),
  "gpt-realtime-2.1-mini": lasting(),
  "gpt-realtime": until("2027-01-20", "gpt-realtime-2.1"),
  "gpt-realtime-mini": until("2027-01-20", "gpt-realtime-2.1-mini"),
  "openai/gpt-oss-120b": lasting({ efforts: ["low", "medium", "high"] }),
  "openai/gpt-oss-20b": lasting({ efforts: ["low", "medium", "high"] }),
  "llama-3.3-70b-versatile": until("2026-08-16", "openai/gpt-oss-120b", null),
};

/** A dated version, such as `gpt-4o-mini-2024-07-18`, is the same model. Null if unknown. */
export function knownModel(name: string): KnownModel | null {
  const plain = name.replace(/-\d{4}-\d{2}-\d{2}$/, "");
  return KNOWN_MODELS[name] ?? KNOWN_MODELS[plain] ?? null;
}
