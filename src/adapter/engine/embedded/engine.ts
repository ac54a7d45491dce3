/**
 * The embedded engine as a call worker sees it: no network, no key, no download. Ear and voice go
 * over the port to the speech worker; the mind is cheap and runs here. What it can and cannot do:
 * it answers from the agent's knowledge, word for word, and fills the slots of tools; it does not
 * generate. It listens in English, and in lt, lv, ru to closed phrases only (experimental).
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
import { grammarSourceOf } from "./scripted/grammar-source.ts";
import { parseKnowledge } from "./scripted/knowledge.ts";
import { createScriptedSession } from "./scripted/scripted-session.ts";
import { SpeechClient, type SpeechDeadline } from "./speech-client.ts";

export interface EmbeddedEngineOptions {
  /** Other end of a port given to the speech worker by `init`. Closed by `close()`. */
  readonly port: MessagePort;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** How long the speech worker may take. Default: what a caller waits for. */
  readonly deadline?: SpeechDeadline;
}

export type EmbeddedEngineSettings = Pick<SessionSettings, "language" | "knowledge" | "tools">;

export interface EmbeddedEngine extends Engine {
  /** Builds the grammar of an agent ahead of its calls; cheap when it is there already. */
  prepare(settings: EmbeddedEngineSettings): void;
}

export function createEmbeddedEngine(options: EmbeddedEngineOptions): EmbeddedEngine {
  const { port, clock, deadline } = options;
  const client = new SpeechClient({ port, clock, ...(deadline ? { deadline } : {}) });
  return {
    label: "embedded",
    open: (settings) => openSession(settings, client, options),
    prepare(settings) {
      client.prepare(grammarSourceOf(parseKnowledge(settings.knowledge), settings));
    },
    useSpeechPort: (port) => client.usePort(port),
    async close() {
      client.close();
    },
  };
}

function openSession(
  settings: SessionSettings,
  client: SpeechClient,
  options: EmbeddedEngineOptions,
): EngineSession {
  const knowledge = parseKnowledge(settings.knowledge);
  const grammarKeyOf = (language: AgentLanguage) => {
    const grammar = grammarSourceOf(knowledge, { ...settings, language });
    client.prepare(grammar);
    return grammar.key;
  };
  const llmFor = (language: AgentLanguage) =>
    createScriptedSession({
      settings: { ...settings, language },
      knowledge,
      clock: options.clock,
      random: options.random,
    });
  let { language } = settings;
  let llm = llmFor(language);
  const stt = openStt(settings, client, grammarKeyOf(language));
  const { voice, sampleRateHz } = settings;
  return {
    onSpeechWorker: true,
    stt,
    tts: {
      speak: (text, signal) => client.speak({ text, language, voice, sampleRateHz }, signal),
    },
    llm: {
      respond: (input, signal) => llm.respond(input, signal),
      truncateSpoken: (text) => llm.truncateSpoken(text),
      summarize: (end) => llm.summarize(end),
    },
    switchLanguage(newLanguage) {
      language = newLanguage;
      llm = llmFor(newLanguage);
      stt.switchLanguage(newLanguage, grammarKeyOf(newLanguage));
    },
    close: () => stt.close(),
  };
}

function openStt(
  settings: SessionSettings,
  client: SpeechClient,
  firstGrammarKey: string,
): SttStream & {
  switchLanguage(language: AgentLanguage, grammarKey: string): void;
  close(): void;
} {
  const channel = client.openStt();
  const { sttStreamId } = channel;
  const { sampleRateHz } = settings;
  let utterance = 0;
  const open = (language: AgentLanguage, grammarKey: string) =>
    client.send({ type: "stt_open", sttStreamId, language, sampleRateHz, grammarKey });
  open(settings.language, firstGrammarKey);
  return {
    capabilities: { partials: true },
    startUtterance(lead) {
      utterance++;
      client.send({ type: "stt_start_utterance", sttStreamId, utterance, lead });
    },
    push: (pcm) => client.send({ type: "stt_push", sttStreamId, pcm }),
    finalize: () => client.endUtterance(channel, utterance),
    discard: () => client.send({ type: "stt_discard", sttStreamId }),
    onPartial(listener) {
      channel.onPartial = listener;
    },
    expect: (answer) => client.send({ type: "stt_expect", sttStreamId, answer }),
    switchLanguage(language, grammarKey) {
      client.send({ type: "stt_close", sttStreamId });
      open(language, grammarKey);
    },
    close: () => client.closeStt(channel),
  };
}
