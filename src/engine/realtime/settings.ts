/** `[engine.realtime]`. */
import type { z } from "zod";
import {
  flag,
  integer,
  oneOf,
  optionalText,
  secret,
  text,
  textOrOff,
} from "../../platform/config/key.ts";
import type { KeyProblem } from "../provider.ts";
import { API_KEY, isOpenAi, MODEL, PROMPT, price, SOCKET_URL } from "../server-keys.ts";
import { voiceKeys } from "../voice-keys.ts";
import type { AudioFormat } from "./events.ts";

export const realtimeKeys = {
  /** The model is added as a query parameter. */
  base_url: text("Address of the server.", "wss://api.openai.com/v1/realtime", SOCKET_URL),
  api_key: secret("API key for the server.", API_KEY),
  api_key_header: oneOf(
    'Header for the key: "authorization" (a Bearer token), or "api-key" (for Azure and gateways).',
    ["authorization", "api-key"],
    "authorization",
  ),
  model: text("Name of the model.", "gpt-realtime-2.1", MODEL),
  transcription_model: textOrOff(
    "Model that transcribes callers. Empty: transcripts contain only the agent's words.",
    "gpt-transcribe",
    MODEL,
  ),
  audio: oneOf(
    'Audio format: "g711" is A-law, as on most European trunks; "g711_ulaw" is mu-law; "pcm" is 24 kHz.',
    ["g711", "g711_ulaw", "pcm"],
    "g711",
  ),
  turn_detection: oneOf(
    'How the end of an utterance is detected: by this appliance ("own"), by the server from silence ("server"), or by the server from the words ("semantic").',
    ["own", "server", "semantic"],
    "own",
  ),
  turn_eagerness: oneOf(
    'With turn_detection "semantic": how soon the server decides that the caller has finished.',
    ["auto", "low", "medium", "high"],
    "auto",
  ),
  noise_reduction: oneOf(
    "Noise reduction of the server, before it listens.",
    ["off", "near_field", "far_field"],
    "off",
  ),
  reasoning_effort: oneOf(
    'Reasoning effort of the model. "": the default of the model. "auto": low for reasoning models (gpt-realtime-2 and later). Omitted if the model rejects it.',
    ["auto", "", "minimal", "low", "medium", "high", "xhigh"],
    "auto",
  ),
  transcription_prompt: optionalText(
    "Context for transcription, such as the trade and its terms.",
    PROMPT,
  ),
  transcription_keywords: flag(
    "Whether transcription gets the names and products in the agent's knowledge.",
    true,
  ),
  connect_timeout_ms: integer("Timeout for the session.", 3000, 100, 60_000),
  response_timeout_ms: integer("Timeout for the first word of an answer.", 3000, 100, 60_000),
  input_eur_per_million_tokens: price("a million tokens of input"),
  output_eur_per_million_tokens: price("a million tokens of output"),
  voices: voiceKeys({ Sari: "marin", Emma: "shimmer", Nathan: "cedar", Adrian: "echo" }),
};

export type RealtimeSettings = z.output<z.ZodObject<typeof realtimeKeys>>;

/** Context window since gpt-realtime-2. Earlier models accept 16,384 tokens of instructions and tools. */
export const promptTokensMax = ({ model }: Pick<RealtimeSettings, "model">): number =>
  /^gpt-realtime-[2-9]/.test(model) ? 128_000 : 16_384;

/** The protocol's name of the format. */
export const audioFormatOf = ({ audio }: RealtimeSettings): AudioFormat =>
  audio === "g711" ? "g711_alaw" : audio;

/**
 * The built-in voices of OpenAI's Realtime API. Source: openai 7.57.0 (13 November 2026),
 * resources/realtime/realtime.d.ts, `RealtimeAudioConfigOutput.voice`.
 */
const VOICES = [
  "alloy",
  "ash",
  "ballad",
  "coral",
  "echo",
  "sage",
  "shimmer",
  "verse",
  "marin",
  "cedar",
];
/**
 * Voices that the server at `url` does not have. Other servers have their own voices. `id`: name of
 * the table.
 */
export function voiceProblems(
  id: string,
  url: string,
  voices: Readonly<Record<string, string>>,
): KeyProblem[] {
  if (!isOpenAi(url)) return [];
  return Object.entries(voices)
    .filter(([, name]) => !VOICES.includes(name) && !name.startsWith("voice_"))
    .map(([agentVoice, name]) => ({
      key: `voices.${agentVoice}`,
      message: `[engine.${id}.voices] ${agentVoice}: "${name}" is not a voice of the Realtime API. Allowed: ${VOICES.join(", ")}, or the id of a custom voice ("voice_…").`,
    }));
}
