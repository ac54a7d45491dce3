/**
 * The embedded engine as a call worker sees it: no network, no key, no download. Ear and voice go
 * over the port to the speech worker; the mind is cheap and runs here. What it can and cannot do:
 * it answers from the agent's knowledge, word for word, and fills the slots of tools; it does not
 * generate. It listens in English, and in lt, lv, ru to closed phrases only (experimental).
 */
import type { AgentLanguage } from "../../agent/agent.ts";
import type { Clock } from "../../core/clock.ts";
import type { Log } from "../../core/log.ts";
import type { Random } from "../../core/random.ts";
import type { Ear, Engine, EngineSession, SessionSettings } from "../ports.ts";
import { grammarSourceOf } from "./mind/grammar-source.ts";
import { parseKnowledge } from "./mind/knowledge.ts";
import { createMind } from "./mind/mind.ts";
import { SpeechClient, type SpeechPatience } from "./speech-client.ts";

export interface EmbeddedEngineOptions {
  /** Other end of a port given to the speech worker by `init`. Closed by `close()`. */
  readonly port: MessagePort;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** How long the speech worker may take. Default: what a caller waits for. */
  readonly patience?: SpeechPatience;
}

export type EmbeddedEngineSettings = Pick<SessionSettings, "language" | "knowledge" | "tools">;

export interface EmbeddedEngine extends Engine {
  /** Builds the grammar of an agent ahead of its calls; cheap when it is there already. */
  prepare(settings: EmbeddedEngineSettings): void;
}

export function createEmbeddedEngine(options: EmbeddedEngineOptions): EmbeddedEngine {
  const { port, clock, patience } = options;
  const client = new SpeechClient({ port, clock, ...(patience ? { patience } : {}) });
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
  const mindOf = (language: AgentLanguage) =>
    createMind({
      settings: { ...settings, language },
      knowledge,
      clock: options.clock,
      random: options.random,
    });
  let { language } = settings;
  let mind = mindOf(language);
  const ear = openEar(settings, client, grammarKeyOf(language));
  const { voice, sampleRateHz } = settings;
  return {
    onSpeechWorker: true,
    ear,
    voice: {
      speak: (text, signal) => client.speak({ text, language, voice, sampleRateHz }, signal),
    },
    mind: {
      respond: (input, signal) => mind.respond(input, signal),
      heardUntil: (text) => mind.heardUntil(text),
      summarize: (end) => mind.summarize(end),
    },
    switchLanguage(wanted) {
      language = wanted;
      mind = mindOf(wanted);
      ear.listenIn(wanted, grammarKeyOf(wanted));
    },
    close: () => ear.close(),
  };
}

function openEar(
  settings: SessionSettings,
  client: SpeechClient,
  firstGrammarKey: string,
): Ear & { listenIn(language: AgentLanguage, grammarKey: string): void; close(): void } {
  const channel = client.openEar();
  const { earId } = channel;
  const { sampleRateHz } = settings;
  let utterance = 0;
  const open = (language: AgentLanguage, grammarKey: string) =>
    client.send({ type: "ear_open", earId, language, sampleRateHz, grammarKey });
  open(settings.language, firstGrammarKey);
  return {
    capabilities: { partials: true },
    begin(lead) {
      utterance++;
      client.send({ type: "ear_begin", earId, utterance, lead });
    },
    push: (pcm) => client.send({ type: "ear_push", earId, pcm }),
    end: () => client.endUtterance(channel, utterance),
    cancel: () => client.send({ type: "ear_cancel", earId }),
    onPartial(listener) {
      channel.onPartial = listener;
    },
    expect: (answer) => client.send({ type: "ear_expect", earId, answer }),
    listenIn(language, grammarKey) {
      client.send({ type: "ear_close", earId });
      open(language, grammarKey);
    },
    close: () => client.closeEar(channel),
  };
}
