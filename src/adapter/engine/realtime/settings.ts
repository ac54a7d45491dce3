/** `[engine.realtime]`. */
import type { z } from "zod";
import { integer, oneOf, secret, text, textOrOff } from "../../../platform/config/key.ts";
import { API_KEY, MODEL, price, SOCKET_URL } from "../server-keys.ts";
import { voiceKeys } from "../voice-keys.ts";
import type { AudioFormat } from "./events.ts";

export const realtimeKeys = {
  /** The model is added as a query parameter. */
  base_url: text("Address of the server.", "wss://api.openai.com/v1/realtime", SOCKET_URL),
  api_key: secret("Key sent to the server.", API_KEY),
  model: text("Name of the model.", "gpt-realtime", MODEL),
  transcription_model: textOrOff(
    "Model that transcribes callers. Empty: transcripts hold only the agent's words.",
    "gpt-4o-mini-transcribe",
    MODEL,
  ),
  audio: oneOf(
    'Audio format: "g711" is A-law, as on most European trunks; "g711_ulaw" is mu-law; "pcm" is 24 kHz.',
    ["g711", "g711_ulaw", "pcm"],
    "g711",
  ),
  turn_detection: oneOf(
    'Who detects the end of an utterance: this appliance ("own") or the server.',
    ["own", "server"],
    "own",
  ),
  connect_timeout_ms: integer("Longest wait for the session.", 3000, 100, 60_000),
  response_timeout_ms: integer("Longest wait for the first word of an answer.", 3000, 100, 60_000),
  input_eur_per_million_tokens: price("a million tokens of input"),
  output_eur_per_million_tokens: price("a million tokens of output"),
  voices: voiceKeys({ Sari: "marin", Emma: "shimmer", Nathan: "cedar", Adrian: "echo" }),
};

export type RealtimeSettings = z.output<z.ZodObject<typeof realtimeKeys>>;

/** As the protocol names it. */
export const audioFormatOf = ({ audio }: RealtimeSettings): AudioFormat =>
  audio === "g711" ? "g711_alaw" : audio;
