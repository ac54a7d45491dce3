/**
 * Any provider that speaks OpenAI's HTTP: the cloud, or speaches, Ollama, llama.cpp, vLLM,
 * Kokoro-FastAPI, LocalAI. Hearing, thinking and speaking are three services, each with its own
 * address and key. One a call worker: its services keep what they learnt of their servers.
 */
import type { AgentLanguage } from "../../agent/agent.ts";
import type { Clock } from "../../core/clock.ts";
import type { Log } from "../../core/log.ts";
import type { Random } from "../../core/random.ts";
import type { Ear, Engine, EngineSession, SessionSettings } from "../ports.ts";
import { warnOfPromptSize } from "../prompt-size.ts";
import type { OpenAiSettings } from "../settings.ts";
import { ChatCompletions } from "./chat-completions.ts";
import { ChatMind } from "./chat-mind.ts";
import { HttpEar } from "./http-ear.ts";
import { HttpVoice } from "./http-voice.ts";
import { Service } from "./service.ts";
import { TranscriptionEar } from "./transcription-ear.ts";

export interface OpenAiEngineOptions {
  readonly settings: OpenAiSettings;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

type SwitchingEar = Ear & { switchLanguage(language: AgentLanguage): void; close(): void };

export function createOpenAiEngine(options: OpenAiEngineOptions): Engine {
  const { settings, clock } = options;
  const stt = new Service({ part: "ear", settings: settings.stt, clock });
  const llm = new Service({ part: "mind", settings: settings.llm, clock });
  const tts = new Service({ part: "voice", settings: settings.tts, clock });
  const completions = new ChatCompletions(llm, settings.llm);
  const openSessions = new Set<EngineSession>();
  return {
    label: "openai",
    open(session) {
      warnOfSize(options, session);
      const ear = openEar(options, session, stt);
      const { language, voice: agentVoice, sampleRateHz } = session;
      const voice = new HttpVoice({
        service: tts,
        settings: settings.tts,
        voice: settings.tts.voices[agentVoice],
        sampleRateHz,
      });
      const mind = new ChatMind({
        session,
        completions,
        contextTokens: settings.llm.contextTokens,
        random: options.random,
      });
      let spoken = language;
      const opened: EngineSession = {
        ear,
        mind,
        voice,
        switchLanguage(wanted) {
          if (wanted === spoken) return;
          spoken = wanted;
          ear.switchLanguage(wanted);
          mind.switchLanguage(wanted);
        },
        close() {
          openSessions.delete(opened);
          ear.close();
          voice.dropPrefetched();
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

function openEar(
  { settings, clock, log }: OpenAiEngineOptions,
  { language, sampleRateHz }: SessionSettings,
  service: Service,
): SwitchingEar {
  const options = { settings: settings.stt, language, sampleRateHz };
  if (settings.stt.mode === "realtime") return new TranscriptionEar({ ...options, clock, log });
  return new HttpEar({ ...options, service });
}

function warnOfSize({ settings, log }: OpenAiEngineOptions, session: SessionSettings): void {
  warnOfPromptSize(log, session, {
    tokensMax: settings.llm.contextTokens,
    mend: "assign fewer knowledge files, or raise [engine.openai] llm_context_tokens",
  });
}
