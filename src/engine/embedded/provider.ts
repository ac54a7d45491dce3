/** The three parts of the embedded engine. Each can be combined with parts of other providers. */
import { z } from "zod";
import { AGENT_VOICES, type AgentLanguage, LANGUAGE_NAMES } from "../../features/agent/agent.ts";
import { integer, oneOf, section, tableOf } from "../../platform/config/key.ts";
import type { LlmProvider, SttProvider, TtsProvider } from "../provider.ts";

const VOICE_FILE = "an absolute path that ends with .onnx";
const voiceTable = (language: AgentLanguage) =>
  tableOf(
    `Piper voices that speak ${LANGUAGE_NAMES[language]} instead of the embedded ones: the path of the .onnx file by the voice's name; the .onnx.json lies beside it.`,
    z.string().regex(/^\/.{1,1000}\.onnx$/, VOICE_FILE),
    {},
    `a table such as { Sari = "/var/lib/linevoice/voices/${language}.onnx" }; names: ${AGENT_VOICES.join(", ")}`,
    AGENT_VOICES,
  );

const settings = {
  speech_workers: integer(
    "Speech threads, each beside a thread for the audio of its calls. Each follows four callers who talk at once; what further ones say waits. 0: one less than the machine has cores.",
    0,
    0,
    64,
  ),
  calls_max: integer(
    "Calls at once while the embedded engine hears the callers; a further caller is told that all lines are busy, and further calls of ours wait. 0: no fixed number, until more callers talk than it can follow.",
    0,
    0,
    5000,
  ),
  hearing: oneOf(
    "What callers answer with. speech: English is understood (other languages are answered with keys); takes 450 MB of memory for each speech thread while somebody is on the phone in English, given back after five minutes. keys: callers press keys in every language.",
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
