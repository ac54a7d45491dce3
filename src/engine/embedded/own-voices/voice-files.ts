/** The operator's Piper voices: path of an `.onnx` file by language and name. */
import {
  AGENT_LANGUAGES,
  AGENT_VOICES,
  type AgentLanguage,
  type AgentVoice,
} from "../../../features/agent/agent.ts";

export type VoiceFiles = Readonly<
  Partial<Record<AgentLanguage, Readonly<Partial<Record<AgentVoice, string>>>>>
>;

export interface FailedVoice {
  readonly language: AgentLanguage;
  readonly voice: AgentVoice;
}

export const voicesIn = (voices: VoiceFiles, files: ReadonlySet<string>): FailedVoice[] =>
  AGENT_LANGUAGES.flatMap((language) =>
    AGENT_VOICES.filter((voice) => files.has(voices[language]?.[voice] ?? "")).map((voice) => ({
      language,
      voice,
    })),
  );

/** Each file once: several voices may share one. */
export const filesOf = (voices: VoiceFiles): string[] => [
  ...new Set(Object.values(voices).flatMap((byName) => Object.values(byName))),
];
