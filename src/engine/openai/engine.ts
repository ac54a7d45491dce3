/**
 * The parts of a provider with OpenAI's HTTP protocol, each with its own server and key. One
 * instance per call worker, because it remembers what it learns about the servers.
 */

import type { SttStream } from "../../conversation/engine-port.ts";
import type { AgentLanguage } from "../../features/agent/agent.ts";
import { knowledgeKeywords } from "../knowledge-keywords.ts";
import { warnOfPromptSize } from "../prompt-size.ts";
import { type PartEngine, type ProviderPorts, partEngine } from "../provider.ts";
import { ReasoningEffort } from "../realtime/session-update.ts";
import { TranscriptionHints } from "../transcription-hints.ts";
import { ChatSession } from "./chat-session.ts";
import { HttpSttStream } from "./http-stt.ts";
import { HttpTtsStream } from "./http-tts.ts";
import { LanguageModel } from "./language-model.ts";
import { openRealtimeSpeech } from "./realtime-speech.ts";
import { Service } from "./service.ts";
import { type OpenAiSettings, serviceOf, speaksOverRealtime } from "./settings.ts";
import { TranscriptionSttStream } from "./transcription-stt.ts";
import { TtsInstructions } from "./tts-instructions.ts";

type Ports = Pick<ProviderPorts, "clock" | "random" | "log" | "trust">;

type SwitchableSttStream = SttStream & {
  switchLanguage(language: AgentLanguage): void;
  close(): void;
};

export function openAiStt(
  settings: OpenAiSettings,
  { clock, log, trust }: Pick<Ports, "clock" | "log" | "trust">,
): PartEngine<"stt"> {
  const service = new Service({ part: "stt", settings: serviceOf(settings, "stt"), clock, trust });
  const hints = new TranscriptionHints();
  return partEngine((session) => {
    const { language, sampleRateHz, knowledge } = session;
    const keywords = settings.stt_keywords ? knowledgeKeywords(knowledge) : [];
    const options = { settings, hints, keywords, language, sampleRateHz };
    const stream: SwitchableSttStream =
      settings.stt_mode === "realtime"
        ? new TranscriptionSttStream({ ...options, clock, log, trust })
        : new HttpSttStream({ ...options, service });
    let spoken = language;
    return {
      stream,
      switchLanguage(newLanguage) {
        if (newLanguage === spoken) return;
        spoken = newLanguage;
        stream.switchLanguage(newLanguage);
      },
      close: () => stream.close(),
    };
  });
}

export function openAiLlm(
  settings: OpenAiSettings,
  { id, clock, random, log, trust }: Ports & { readonly id: string },
): PartEngine<"llm"> {
  const service = new Service({ part: "llm", settings: serviceOf(settings, "llm"), clock, trust });
  const model = new LanguageModel(service, settings);
  const contextTokens = settings.llm_context_tokens;
  return partEngine((session) => {
    warnOfPromptSize(log, session, {
      tokensMax: contextTokens,
      remedy: `assign fewer knowledge files, or raise [engine.${id}] llm_context_tokens`,
    });
    const stream = new ChatSession({ session, model, contextTokens, random });
    let spoken = session.language;
    return {
      stream,
      switchLanguage(newLanguage) {
        if (newLanguage === spoken) return;
        spoken = newLanguage;
        stream.switchLanguage(newLanguage);
      },
      close: () => stream.close(),
    };
  });
}

export function openAiTts(
  settings: OpenAiSettings,
  { clock, log, trust }: Pick<Ports, "clock" | "log" | "trust">,
): PartEngine<"tts"> {
  if (speaksOverRealtime(settings)) {
    // Reading a text aloud needs no reasoning.
    const reasoning = new ReasoningEffort("auto", settings.tts_model, "minimal");
    return partEngine((session) =>
      openRealtimeSpeech(settings, session, { clock, log, reasoning, trust }),
    );
  }
  const service = new Service({ part: "tts", settings: serviceOf(settings, "tts"), clock, trust });
  const manner = new TtsInstructions(settings);
  return partEngine(({ voice, sampleRateHz, language }) => {
    const stream = new HttpTtsStream({
      service,
      clock,
      settings,
      manner,
      sampleRateHz,
      language,
      voice: settings.voices[voice],
    });
    return {
      stream,
      switchLanguage: (newLanguage) => stream.switchLanguage(newLanguage),
      close: () => stream.dropPrefetched(),
    };
  });
}
