/**
 * OpenAI's Realtime protocol as an engine: one WebSocket per call for STT, LLM and TTS. They
 * implement the same three ports as any engine. So the conversation's guarantees apply without a
 * second implementation: disclosure first, recording, transcript, tools on the main thread,
 * barge-in, fillers, idle prompts, maximum duration.
 */

import type { ToolSnapshot } from "../../conversation/call-config.ts";
import type { Engine, EngineSession, SessionSettings } from "../../conversation/engine-port.ts";
import type { Clock } from "../../core/clock.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Log } from "../../core/log.ts";
import type { Random } from "../../core/random.ts";
import type { AgentLanguage } from "../../features/agent/agent.ts";
import type { Trust } from "../../platform/net/trust.ts";
import { knowledgeKeywords } from "../knowledge-keywords.ts";
import { estimateTokens, warnOfPromptSize } from "../prompt-size.ts";
import { TranscriptionHints } from "../transcription-hints.ts";
import { detailOf } from "./events.ts";
import { type LinkSession, RealtimeLink } from "./link.ts";
import { RealtimeLlmSession } from "./realtime-llm.ts";
import { RealtimeSttStream } from "./realtime-stt.ts";
import { RealtimeTtsStream } from "./realtime-tts.ts";
import { languageUpdate, ReasoningEffort, sessionUpdate } from "./session-update.ts";
import { audioFormatOf, promptTokensMax, type RealtimeSettings } from "./settings.ts";

export interface RealtimeEngineOptions {
  readonly settings: RealtimeSettings;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly trust?: Trust;
}

/** Learnt limits of the server, shared by all calls of a worker. */
interface Learnt {
  readonly hints: TranscriptionHints;
  readonly reasoning: ReasoningEffort;
}

export function createRealtimeEngine(options: RealtimeEngineOptions): Engine {
  const sessions = new Set<EngineSession>();
  const { reasoning_effort: effort, model } = options.settings;
  const learnt = {
    hints: new TranscriptionHints(),
    reasoning: new ReasoningEffort(effort, model, "low"),
  };
  return {
    label: "realtime",
    open(settings) {
      const session = openSession(options, settings, learnt, () => sessions.delete(session));
      sessions.add(session);
      return session;
    },
    async close() {
      for (const session of [...sessions]) session.close();
    },
  };
}

function openSession(
  options: RealtimeEngineOptions,
  session: SessionSettings,
  learnt: Learnt,
  onClose: () => void,
): EngineSession {
  const { settings, clock, random } = options;
  const log = options.log.with({ call_id: session.callId });
  warnOfPromptSize(options.log, session, {
    tokensMax: promptTokensMax(settings),
    remedy: "assign fewer knowledge files",
  });
  const tools = [...session.tools, ...(session.builtInTools ?? [])];
  const promptTokens = estimateTokens(session.systemPrompt + JSON.stringify(tools));
  const url = new URL(settings.base_url);
  if (settings.model !== "") url.searchParams.set("model", settings.model);
  const link = new RealtimeLink({
    url: url.href,
    apiKey: settings.api_key,
    apiKeyHeader: settings.api_key_header,
    part: "llm",
    format: audioFormatOf(settings),
    connectTimeoutMs: settings.connect_timeout_ms,
    responseTimeoutMs: settings.response_timeout_ms,
    session: sessionOf(settings, session, tools, learnt),
    language: session.language,
    sampleRateHz: session.sampleRateHz,
    history: session.history ?? [],
    looksUpKnowledge: session.looksUpKnowledge ?? false,
    clock,
    log,
    trust: options.trust,
  });
  const stt = new RealtimeSttStream(link, settings);
  const tts = new RealtimeTtsStream(link);
  return {
    combinedSession: true,
    stt,
    tts,
    llm: new RealtimeLlmSession({ link, tools, promptTokens, stt, tts, random }),
    switchLanguage: (language) => link.switchLanguage(language),
    close() {
      onClose();
      stt.close();
      link.close();
    },
  };
}

/** Session of a call: its initial settings, and its update when the language changes. */
function sessionOf(
  settings: RealtimeSettings,
  session: SessionSettings,
  tools: readonly ToolSnapshot[],
  { hints, reasoning }: Learnt,
): LinkSession {
  const keywords = settings.transcription_keywords ? knowledgeKeywords(session.knowledge) : [];
  const { transcription_model: model, transcription_prompt: prompt } = settings;
  let told: JsonObject = {};
  let effort: JsonObject = {};
  const transcriptionIn = (language: AgentLanguage): JsonObject | null => {
    if (model === "") return null;
    told = hints.fieldsOf({ model, language, keywords, prompt });
    return told;
  };
  return {
    begin(dialect, language) {
      effort = reasoning.field;
      return sessionUpdate(dialect, {
        instructions: session.systemPrompt,
        tools,
        voice: settings.voices[session.voice],
        format: audioFormatOf(settings),
        transcription: transcriptionIn(language),
        turnDetection: { by: settings.turn_detection, eagerness: settings.turn_eagerness },
        reasoning: effort,
        noiseReduction: settings.noise_reduction,
      });
    },
    switchLanguage(dialect, language) {
      const transcription = transcriptionIn(language);
      return transcription && languageUpdate(dialect, transcription);
    },
    learn: (error) => reasoning.learn(error, effort) || hints.learn(told, detailOf(error)),
  };
}
