/** The three parts of the embedded engine. Each can be combined with parts of other providers. */
import { z } from "zod";
import { AGENT_VOICES, type AgentLanguage, LANGUAGE_NAMES } from "../../features/agent/agent.ts";
import { integer, oneOf, section, tableOf } from "../../platform/config/key.ts";
import type { LlmProvider, SttProvider, TtsProvider } from "../provider.ts";

const VOICE_FILE = "an absolute path that ends with .onnx";
const voiceTable = (language: AgentLanguage) =>
  tableOf(
    `Piper voices for ${LANGUAGE_NAMES[language]} that replace embedded voices: name of the voice and path of its .onnx file. The .onnx.json file must be in the same folder.`,
    z.string().regex(/^\/.{1,1000}\.onnx$/, VOICE_FILE),
    {},
    `a table such as { Sari = "/var/lib/linevoice/voices/${language}.onnx" }; names: ${AGENT_VOICES.join(", ")}`,
    AGENT_VOICES,
  );

const settings = {
  speech_workers: integer(
    "Number of speech threads. Each also has a thread for the audio of its calls, and can transcribe four callers at the same time; further speech waits. 0: number of CPU cores minus one.",
    0,
    0,
    64,
  ),
  calls_max: integer(
    "Maximum number of concurrent calls if the embedded engine transcribes the callers. Further callers hear that all lines are busy, and further outbound calls wait. 0: no fixed number; new calls are rejected only while more callers speak than it can transcribe.",
    0,
    0,
    5000,
  ),
  hearing: oneOf(
    "How callers answer. speech: with speech in English, with keys in other languages. Uses 450 MB of memory per speech thread during English calls and for five minutes after them. keys: with keys in every language.",
    ["speech", "keys"],
    "speech",
  ),
  voices: section({
    lt: voiceTable("lt"),
    lv: voiceTable("lv"),
    en: voiceTable("en"),
    ru: voiceTable("ru"),
  }),
  speech_rate_percent: integer("Speed of the embedded voices.", 100, 50, 200),
};

const declared = {
  id: "embedded",
  settings,
  doctorKeys: null,
  problems: () => [],
  prices: () => ({}),
} as const;

export const embeddedStt = {
  ...declared,
  open: async (_, { embedded }) => embedded.stt,
} as const satisfies SttProvider<typeof settings>;

export const embeddedLlm = {
  ...declared,
  open: async (_, { embedded }) => embedded.llm,
} as const satisfies LlmProvider<typeof settings>;

export const embeddedTts = {
  ...declared,
  open: async (_, { embedded }) => embedded.tts,
} as const satisfies TtsProvider<typeof settings>;
