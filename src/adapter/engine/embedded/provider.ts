/** The embedded engine's three parts, each of which may stand beside parts of other providers. */
import { flag, integer } from "../../../platform/config/key.ts";
import type { LlmProvider, SttProvider, TtsProvider } from "../provider.ts";

const settings = {
  speech_workers: integer(
    "Threads that hear and speak, each beside a thread for the audio of its calls. Each follows four callers who talk at once; what further ones say waits. 0: one less than the machine has cores.",
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
  second_reading: flag(
    "English is read a second time, by a neural network that knows nothing of your knowledge, and compared with it by meaning: of questions in other words than yours 61 in a hundred are understood instead of 43. Takes up to 700 MB for each speech thread while somebody talks English to it, 0.4 of a core for each talker, and 0.6 s more before each answer. Needs linevoice-hearing-en.pack beside the program or in ../lib/linevoice.",
    false,
  ),
  unproven_phrases: flag(
    "Lithuanian, Latvian and Russian callers are heard also where fewer than nine of ten phrases of a kind were understood, or fewer than nine of ten others refused, as docs/engines.md has it. Off, they are offered keys there.",
    false,
  ),
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
