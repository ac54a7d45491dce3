/**
 * Any provider that speaks OpenAI's HTTP: the cloud, or speaches, Ollama, llama.cpp, vLLM,
 * Kokoro-FastAPI, LocalAI. Hearing, thinking and speaking are three services, each with its own
 * address and key. One a call worker: its services keep what they learnt of their servers.
 */

import type { Clock } from "../../../core/clock.ts";
import type { Log } from "../../../core/log.ts";
import type { Random } from "../../../core/random.ts";
import type { AgentLanguage } from "../../../domain/agent/agent.ts";
import type {
  Engine,
  EngineSession,
  SessionSettings,
  SttStream,
} from "../../../domain/conversation/engine-port.ts";
import { warnOfPromptSize } from "../prompt-size.ts";
import type { OpenAiSettings } from "../settings.ts";
import { ChatCompletions } from "./chat-completions.ts";
import { ChatSession } from "./chat-session.ts";
import { HttpSttStream } from "./http-stt.ts";
import { HttpTtsStream } from "./http-tts.ts";
import { Service } from "./service.ts";
import { TranscriptionSttStream } from "./transcription-stt.ts";

export interface OpenAiEngineOptions {
  readonly settings: OpenAiSettings;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

type SwitchableSttStream = SttStream & {
  switchLanguage(language: AgentLanguage): void;
  close(): void;
};

export function createOpenAiEngine(options: OpenAiEngineOptions): Engine {
  const { settings, clock } = options;
  const sttService = new Service({ part: "stt", settings: settings.stt, clock });
  const llmService = new Service({ part: "llm", settings: settings.llm, clock });
  const ttsService = new Service({ part: "tts", settings: settings.tts, clock });
  const completions = new ChatCompletions(llmService, settings.llm);
  const openSessions = new Set<EngineSession>();
  return {
    label: "openai",
    open(session) {
      warnOfSize(options, session);
      const stt = openStt(options, session, sttService);
      const { language, voice: agentVoice, sampleRateHz } = session;
      const tts = new HttpTtsStream({
        service: ttsService,
        settings: settings.tts,
        voice: settings.tts.voices[agentVoice],
        sampleRateHz,
      });
      const llm = new ChatSession({
        session,
        completions,
        contextTokens: settings.llm.contextTokens,
        random: options.random,
      });
      let spoken = language;
      const opened: EngineSession = {
        stt,
        llm,
        tts,
        switchLanguage(newLanguage) {
          if (newLanguage === spoken) return;
          spoken = newLanguage;
          stt.switchLanguage(newLanguage);
          llm.switchLanguage(newLanguage);
        },
        close() {
          openSessions.delete(opened);
          stt.close();
          tts.dropPrefetched();
        },
      };
      openSessions.add(opened);
      return opened;
    },
    async close() {
      for (const session of [...openSessions]) session.close();
    },
  };
}

function openStt(
  { settings, clock, log }: OpenAiEngineOptions,
  { language, sampleRateHz }: SessionSettings,
  service: Service,
): SwitchableSttStream {
  const options = { settings: settings.stt, language, sampleRateHz };
  if (settings.stt.mode === "realtime")
    return new TranscriptionSttStream({ ...options, clock, log });
  return new HttpSttStream({ ...options, service });
}

function warnOfSize({ settings, log }: OpenAiEngineOptions, session: SessionSettings): void {
  warnOfPromptSize(log, session, {
    tokensMax: settings.llm.contextTokens,
    remedy: "assign fewer knowledge files, or raise [engine.openai] llm_context_tokens",
  });
}
