/**
 * The embedded engine as a call worker sees it: no network, no key, no download. Speech to text and text to
 * speech go over the port to the speech worker; the scripted agent in place of a language model is cheap
 * and runs here, but its knowledge is prepared and looked up elsewhere (`askTopics`). It answers from the agent's knowledge, word for word, and fills the slots of tools; it
 * does not generate. It understands English, and closed phrases in lt, lv, ru (experimental).
 */

import { type Clock, within } from "../../../core/clock.ts";
import type { Log } from "../../../core/log.ts";
import type { Random } from "../../../core/random.ts";
import type { AgentLanguage } from "../../../domain/agent/agent.ts";
import type {
  Engine,
  EngineSession,
  SessionSettings,
} from "../../../domain/conversation/engine-port.ts";
import { type OpenPart, type PartEngines, partEngine } from "../provider.ts";
import { heardKinds, PHRASE_KINDS, type PhraseKind } from "./closed-languages.ts";
import type { AskTopics, TopicSubject } from "./scripted/agent-topics.ts";
import { grammarSourceOf } from "./scripted/grammar-source.ts";
import { parseKnowledge } from "./scripted/knowledge.ts";
import { createScriptedSession } from "./scripted/scripted-session.ts";
import { chooseReading } from "./scripted/two-readings.ts";
import { SpeechClient, type SpeechDeadline } from "./speech-client.ts";

interface EmbeddedEngineOptions {
  /** Other end of a port given to the speech worker by `init`. Closed by `close()`. */
  readonly port: MessagePort;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** How long the speech worker may take. Default: what a caller waits for. */
  readonly deadline?: SpeechDeadline;
  /** `[engine.embedded] speech_rate_percent`. Default: 100. */
  readonly speechRatePercent?: number;
  /** `[engine.embedded] second_reading`. Default: no. */
  readonly isTranscribed?: boolean;
  /** `[engine.embedded] unproven_phrases`. Default: no. */
  readonly unprovenPhrases?: boolean;
  /** Missing: agents know nothing. */
  readonly askTopics?: AskTopics | undefined;
}

const knowsNothing: AskTopics = async () => null;

type EmbeddedEngineSettings = Pick<SessionSettings, "language" | "knowledge" | "tools">;

export interface EmbeddedEngine extends Engine {
  /** Its parts, each for itself; they are closed with the engine. */
  readonly parts: PartEngines;
  /** Builds the grammar of an agent ahead of its calls; cheap when it is there already. */
  prepare(settings: EmbeddedEngineSettings): void;
}

export function createEmbeddedEngine(options: EmbeddedEngineOptions): EmbeddedEngine {
  const { port, clock, deadline } = options;
  const client = new SpeechClient({ port, clock, ...(deadline ? { deadline } : {}) });
  return {
    label: "embedded",
    parts: partsOf(client, options),
    open: (settings) => openSession(settings, client, options),
    prepare(settings) {
      const knowledge = grammarKnowledge(settings);
      client.prepare(grammarSourceOf(knowledge, settings, kindsOf(settings.language, options)));
    },
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

const kindsOf = (
  language: AgentLanguage,
  { unprovenPhrases = false }: EmbeddedEngineOptions,
): readonly PhraseKind[] => (unprovenPhrases ? PHRASE_KINDS : heardKinds(language));

/** Characters of knowledge that the recogniser's grammar is made of: reading them takes some milliseconds. */
const GRAMMAR_CHARACTERS_MAX = 64_000;

function grammarKnowledge({ knowledge }: Pick<SessionSettings, "knowledge">) {
  let room = GRAMMAR_CHARACTERS_MAX;
  const cut = knowledge.map((file) => {
    const content = file.content.slice(0, room);
    room -= content.length;
    return { ...file, content };
  });
  return parseKnowledge(cut);
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
  const { clock, random, isTranscribed = false, askTopics = knowsNothing } = options;
  const open = (language: AgentLanguage) =>
    createScriptedSession({
      settings,
      subject: subjectOf(settings, language),
      askTopics,
      clock,
      random,
      hears: (kind) => kindsOf(language, options).includes(kind),
      meanings: language === "en" && isTranscribed ? client : undefined,
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

/** An utterance waits no longer for what the knowledge has for its two readings. */
const READINGS_MS_MAX = 300;

function openStt(
  settings: SessionSettings,
  client: SpeechClient,
  options: EmbeddedEngineOptions,
): OpenPart<"stt"> {
  const { isTranscribed = false, askTopics = knowsNothing } = options;
  const knowledge = grammarKnowledge(settings);
  const channel = client.openStt();
  const { sttStreamId } = channel;
  const { sampleRateHz } = settings;
  let utterance = 0;
  const open = (language: AgentLanguage) => {
    const kinds = kindsOf(language, options);
    const grammar = grammarSourceOf(knowledge, { ...settings, language }, kinds);
    client.prepare(grammar);
    const grammarKey = grammar.key;
    const transcriptMs = isTranscribed ? client.deadline.transcriptMs : null;
    const choice = { language, sampleRateHz, grammarKey, transcriptMs };
    client.send({ type: "stt_open", sttStreamId, ...choice });
  };
  open(settings.language);
  return {
    stream: {
      capabilities: { partials: true },
      startUtterance(lead) {
        utterance++;
        client.send({ type: "stt_start_utterance", sttStreamId, utterance, lead });
      },
      push: (pcm) => client.send({ type: "stt_push", sttStreamId, pcm }),
      recogniseEarly: () => client.send({ type: "stt_early", sttStreamId }),
      dropEarly: () => client.send({ type: "stt_drop_early", sttStreamId }),
      async finalize() {
        const { transcript, ...heard } = await client.endUtterance(channel, utterance);
        if (!isTranscribed || transcript === null || transcript.text === "") return heard;
        const texts = [heard.text, transcript.text];
        const ask = { texts, confidence: 1, nearness: null, offers: false, lesson: false };
        const reply = await within(
          options.clock,
          READINGS_MS_MAX,
          askTopics(subjectOf(settings, "en"), ask),
        );
        const matches = new Map(texts.map((text, at) => [text, reply?.found[at]?.match ?? null]));
        const match = (text: string) => matches.get(text) ?? null;
        return { ...heard, ...chooseReading(match, heard, transcript) };
      },
      discard: () => client.send({ type: "stt_discard", sttStreamId }),
      onPartial(listener) {
        channel.onPartial = listener;
      },
      expect: (answer) => client.send({ type: "stt_expect", sttStreamId, answer }),
    },
    onSpeechWorker: true,
    switchLanguage(language) {
      client.send({ type: "stt_close", sttStreamId });
      open(language);
    },
    close: () => client.closeStt(channel),
  };
}
