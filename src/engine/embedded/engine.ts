/**
 * The embedded engine in a call worker. It needs no network, key or download. STT and TTS requests
 * go over the port to the speech worker. The scripted agent, which replaces a language model, is
 * cheap and runs here. The knowledge worker prepares and searches its knowledge (`askTopics`). It
 * answers word for word from the agent's knowledge and fills the parameters of tools; it generates
 * nothing. It understands English. In Lithuanian, Latvian and Russian it speaks, and callers answer
 * with keys.
 */

import type {
  Engine,
  EngineSession,
  SessionSettings,
  SttResult,
} from "../../conversation/engine-port.ts";
import type { Clock } from "../../core/clock.ts";
import type { Log } from "../../core/log.ts";
import type { Random } from "../../core/random.ts";
import type { AgentLanguage } from "../../features/agent/agent.ts";
import { type OpenPart, type PartEngines, partEngine } from "../provider.ts";
import { embeddedHears } from "../settings.ts";
import type { AskTopics, TopicSubject } from "./scripted/agent-topics.ts";
import { createScriptedSession } from "./scripted/scripted-session.ts";
import { SpeechClient, type SpeechDeadline } from "./speech-client.ts";
import type { SpeechRequest } from "./speech-messages.ts";

interface EmbeddedEngineOptions {
  /** The other end is given to the speech worker in `init`. `close()` closes this one. */
  readonly port: MessagePort;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Time limits for the speech worker. Default: how long a caller waits. */
  readonly deadline?: SpeechDeadline;
  /** `[engine.embedded] speech_rate_percent`. Default: 100. */
  readonly speechRatePercent?: number;
  /** `[engine.embedded] hearing`. If false, callers answer with keys. Default: true. */
  readonly hearsSpeech?: boolean;
  readonly askTopics: AskTopics;
  /** False if no speech worker listens at the other end of `port`: each answer would wait until the limit. */
  readonly comparesMeanings?: boolean;
}

export interface EmbeddedEngine extends Engine {
  /** The parts, for use with other engines. Closing the engine closes them. */
  readonly parts: PartEngines;
}

export function createEmbeddedEngine(options: EmbeddedEngineOptions): EmbeddedEngine {
  const { port, clock, deadline } = options;
  const client = new SpeechClient({ port, clock, ...(deadline ? { deadline } : {}) });
  return {
    label: "embedded",
    parts: partsOf(client, options),
    open: (settings) => openSession(settings, client, options),
    useSpeechPort: (port) => client.usePort(port),
    async close() {
      client.close();
    },
  };
}

function partsOf(client: SpeechClient, options: EmbeddedEngineOptions): PartEngines {
  return {
    stt: partEngine((settings) => openStt(settings, client, options)),
    llm: partEngine((settings) => openLlm(settings, client, options)),
    tts: partEngine((settings) => openTts(settings, client, options)),
  };
}

function openSession(
  settings: SessionSettings,
  client: SpeechClient,
  options: EmbeddedEngineOptions,
): EngineSession {
  const stt = openStt(settings, client, options);
  const llm = openLlm(settings, client, options);
  const tts = openTts(settings, client, options);
  return {
    onSpeechWorker: true,
    stt: stt.stream,
    llm: llm.stream,
    tts: tts.stream,
    switchLanguage(language) {
      for (const part of [tts, llm, stt]) part.switchLanguage?.(language);
    },
    close: () => stt.close(),
  };
}

function openTts(
  { language, voice, sampleRateHz }: SessionSettings,
  client: SpeechClient,
  { speechRatePercent: ratePercent = 100 }: EmbeddedEngineOptions,
): OpenPart<"tts"> {
  let spoken = language;
  return {
    stream: {
      speak: (text, signal) =>
        client.speak({ text, language: spoken, voice, sampleRateHz, ratePercent }, signal),
    },
    onSpeechWorker: true,
    switchLanguage(newLanguage) {
      spoken = newLanguage;
    },
    close() {},
  };
}

const subjectOf = (
  { callId, tools, knowledge, memory = null }: SessionSettings,
  language: AgentLanguage,
): TopicSubject => ({ callId, language, tools, knowledge, memory });

function openLlm(
  settings: SessionSettings,
  client: SpeechClient,
  options: EmbeddedEngineOptions,
): OpenPart<"llm"> {
  const { clock, random, askTopics, comparesMeanings = true } = options;
  const open = (language: AgentLanguage) =>
    createScriptedSession({
      settings,
      subject: subjectOf(settings, language),
      askTopics,
      clock,
      random,
      hears: () => embeddedHears(language, options) && client.canHear,
      meanings: comparesMeanings && embeddedHears(language, options) ? client : undefined,
    });
  let llm = open(settings.language);
  return {
    stream: {
      respond: (input, signal) => llm.respond(input, signal),
      truncateSpoken: (text) => llm.truncateSpoken(text),
      summarize: (end) => llm.summarize(end),
    },
    switchLanguage(language) {
      llm = open(language);
    },
    close() {},
  };
}

function openStt(
  { language, sampleRateHz }: SessionSettings,
  client: SpeechClient,
  options: EmbeddedEngineOptions,
): OpenPart<"stt"> {
  const channel = client.openStt();
  const { sttStreamId } = channel;
  let utterance = 0;
  let isOpen = false;
  const open = (spoken: AgentLanguage) => {
    isOpen = embeddedHears(spoken, options);
    if (isOpen) client.send({ type: "stt_open", sttStreamId, sampleRateHz });
  };
  const send = (request: SpeechRequest) => {
    if (isOpen) client.send(request);
  };
  open(language);
  return {
    stream: {
      capabilities: { partials: false },
      startUtterance(lead) {
        utterance++;
        send({ type: "stt_start_utterance", sttStreamId, utterance, lead });
      },
      push: (pcm) => send({ type: "stt_push", sttStreamId, pcm }),
      recogniseEarly: () => send({ type: "stt_early", sttStreamId }),
      dropEarly: () => send({ type: "stt_drop_early", sttStreamId }),
      finalize: async () =>
        isOpen ? await client.endUtterance(channel, utterance) : NOTHING_UNDERSTOOD,
      discard: () => send({ type: "stt_discard", sttStreamId }),
      onPartial(listener) {
        channel.onPartial = listener;
      },
      expect() {},
    },
    onSpeechWorker: true,
    switchLanguage(spoken) {
      if (isOpen) client.send({ type: "stt_close", sttStreamId });
      open(spoken);
    },
    close: () => client.closeStt(channel),
  };
}

const NOTHING_UNDERSTOOD: SttResult = { text: "", confidence: 0, audioMs: 0 };
