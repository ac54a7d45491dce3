/**
 * Text to speech over OpenAI's Realtime API, for models without `/audio/speech`. One socket per
 * call. Its session gets no audio and answers nothing: each sentence is requested word for word.
 */

import type { SessionSettings } from "../../conversation/engine-port.ts";
import type { Clock } from "../../core/clock.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Log } from "../../core/log.ts";
import type { Trust } from "../../platform/net/trust.ts";
import type { OpenPart } from "../provider.ts";
import { RealtimeLink } from "../realtime/link.ts";
import { Phrases } from "../realtime/phrases.ts";
import { type ReasoningEffort, sessionUpdate } from "../realtime/session-update.ts";
import { readAloud } from "../spoken-language.ts";
import { type OpenAiSettings, realtimeUrlOf, serviceOf } from "./settings.ts";

const FORMAT = "pcm";
const INSTRUCTIONS = "You read texts aloud, word for word, and say nothing of your own.";

export function openRealtimeSpeech(
  settings: OpenAiSettings,
  { callId, language, voice, sampleRateHz }: SessionSettings,
  ports: {
    readonly clock: Clock;
    readonly log: Log;
    readonly reasoning: ReasoningEffort;
    readonly trust?: Trust | undefined;
  },
): OpenPart<"tts"> {
  const { clock, log, reasoning, trust } = ports;
  const { apiKey, apiKeyHeader, connectTimeoutMs, timeoutMs } = serviceOf(settings, "tts");
  let effort: JsonObject = {};
  const link = new RealtimeLink({
    url: realtimeUrlOf(settings, "tts", { model: settings.tts_model }),
    apiKey,
    apiKeyHeader,
    connectTimeoutMs,
    part: "tts",
    format: FORMAT,
    responseTimeoutMs: timeoutMs,
    session: {
      begin(dialect) {
        effort = reasoning.field;
        return sessionUpdate(dialect, {
          instructions: INSTRUCTIONS,
          tools: [],
          voice: settings.voices[voice],
          format: FORMAT,
          transcription: null,
          turnDetection: { by: "own", eagerness: "auto" },
          reasoning: effort,
          noiseReduction: "off",
        });
      },
      switchLanguage: () => null,
      learn: (error) => reasoning.learn(error, effort),
    },
    language,
    sampleRateHz,
    clock,
    trust,
    history: [],
    log: log.with({ call_id: callId }),
  });
  const phrases = new Phrases(link, (spoken) => readAloud(spoken, settings.tts_instructions ?? ""));
  return {
    stream: phrases,
    switchLanguage: (newLanguage) => link.switchLanguage(newLanguage),
    close: () => link.close(),
  };
}
