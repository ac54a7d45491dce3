/**
 * Code of a call worker: the sessions of its calls, and the dispatch of the main thread's messages.
 *
 * Guarantees: an invalid message harms only its own call. Every `open` is answered with `opened` or
 * `failed`; every `close` with `closed`. Its engine and audio are injected, so that the entry
 * (call.worker.ts) chooses the real ones.
 */

import type { VoiceSample } from "../call/web/voice-samples.ts";
import type { CallAudio, VoiceActivityDetector } from "../conversation/audio-port.ts";
import type { CallConfig } from "../conversation/call-config.ts";
import type { CallCommand, CallCommands } from "../conversation/call-protocol.ts";
import type { ChatInput, ChatMessage } from "../conversation/chat.ts";
import { openingOf } from "../conversation/disclosure/disclosure.ts";
import type { Engine, EngineSession } from "../conversation/engine-port.ts";
import { buildSystemPrompt, variablesOf } from "../conversation/prompt/prompt.ts";
import { Session } from "../conversation/session/session.ts";
import { PhraseCache } from "../conversation/speech/phrase-cache.ts";
import { builtInTools, maySendDigits } from "../conversation/tools/built-in-tools.ts";
import type { Clock } from "../core/clock.ts";
import type { EndedReason } from "../core/ended-reason.ts";
import { describeError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import { dispatch, type HandlersOf } from "../core/thread-messages.ts";
import type { TopicReply } from "../engine/embedded/scripted/agent-topics.ts";
import type { KnowledgePassage } from "../features/knowledge/knowledge-index.ts";
import { ChatHost } from "./chat-host.ts";
import { EMPTY_REPORT } from "./empty-report.ts";
import { KnowledgeAsks } from "./knowledge-asks.ts";
import type { MainAsks } from "./main-asks.ts";
import type { CallHostCommands, CallWorkerSettings, FromCallWorker } from "./messages.ts";
import { speakSample } from "./voice-sample.ts";

interface CallHostOptions {
  readonly settings: CallWorkerSettings;
  readonly clock: Clock;
  readonly log: Log;
  readonly post: (message: FromCallWorker) => void;
  /** Binds a socket. Rejects if no port is free. */
  readonly openAudio: (config: CallConfig, log: Log) => Promise<CallAudio>;
  readonly createVad: (sampleRateHz: 8000 | 16000) => VoiceActivityDetector;
  /** The engine's topic requests; the main thread's answers are passed to them. */
  readonly topics: MainAsks<TopicReply | null>;
}

const CHAT_RATE_HZ = 8000;

export class CallHost implements HandlersOf<CallHostCommands> {
  readonly #sessions = new Map<string, Session>();
  /** Calls whose audio is being opened; records a `close` in the meantime. */
  readonly #opening = new Map<string, { closed: boolean }>();
  readonly #phraseCache = new PhraseCache();
  readonly #chats: ChatHost;
  readonly #knowledge: KnowledgeAsks;

  #engine: Engine;

  constructor(
    private readonly options: CallHostOptions,
    engine: Engine,
  ) {
    this.#engine = engine;
    const { settings, clock, log, post } = options;
    this.#knowledge = new KnowledgeAsks(post, clock);
    this.#chats = new ChatHost({
      conversation: settings.conversation,
      clock,
      log,
      post,
      openEngine: (config, history) => this.#openEngine(config, CHAT_RATE_HZ, history),
    });
  }

  /**
   * The speech worker died and was replaced. Calls without it are unaffected. The others ask the
   * caller to repeat lost words, and continue.
   */
  useSpeechPort(port: MessagePort): void {
    const engine = this.#engine;
    if (!engine.useSpeechPort) {
      port.close();
      return;
    }
    for (const session of this.#sessions.values()) session.speechRestored();
    engine.useSpeechPort(port);
  }

  topicsFound(askId: number, reply: TopicReply | null): void {
    this.options.topics.answered(askId, reply);
  }

  passages(askId: number, passages: readonly KnowledgePassage[]): void {
    this.#knowledge.answered(askId, passages);
  }

  openChat(config: CallConfig, history: readonly ChatMessage[]): void {
    this.#chats.open(config, history);
  }

  askChat(callId: string, input: ChatInput): void {
    void this.#chats.input(callId, input);
  }

  closeChat(callId: string): void {
    this.#chats.close(callId);
  }

  async speakSample(sampleId: number, sample: VoiceSample): Promise<void> {
    const { clock, log, post } = this.options;
    try {
      const wav = await speakSample(this.#engine, sample, clock);
      post({ type: "sampleSpoken", args: [sampleId, wav] });
    } catch (error) {
      log.warn("voice_sample.failed", { voice: sample.voice, error: describeError(error) });
      post({ type: "sampleSpoken", args: [sampleId, null] });
    }
  }

  async open(config: CallConfig): Promise<void> {
    const { callId } = config;
    const log = this.options.log.with({ call_id: callId });
    const opening = { closed: false };
    this.#opening.set(callId, opening);
    try {
      const audio = await this.options.openAudio(config, log);
      if (opening.closed) {
        await audio.close();
        return;
      }
      const session = await this.#createSession(config, audio, log);
      this.#sessions.set(callId, session);
      await session.prepare();
      if (this.#sessions.has(callId)) {
        this.options.post({ type: "opened", args: [callId, audio.rtpPort] });
      }
    } catch (error) {
      this.#fail(callId, error);
    } finally {
      this.#opening.delete(callId);
    }
  }

  call(callId: string, command: CallCommand): void {
    const session = this.#sessions.get(callId);
    try {
      if (session) dispatch<CallCommands>(session, command);
    } catch (error) {
      this.#fail(callId, error);
    }
  }

  async close(callId: string, reason: EndedReason): Promise<void> {
    const session = this.#sessions.get(callId);
    const opening = this.#opening.get(callId);
    if (opening) opening.closed = true;
    this.#sessions.delete(callId);
    const report = session ? await session.close(reason) : EMPTY_REPORT;
    this.options.post({ type: "closed", args: [callId, report] });
  }

  async shutdown(): Promise<void> {
    const calls = [...this.#sessions.keys()];
    await Promise.all(calls.map((callId) => this.close(callId, "interrupted")));
    this.#chats.closeAll();
    await this.#engine.close();
  }

  async #createSession(config: CallConfig, audio: CallAudio, log: Log): Promise<Session> {
    try {
      return this.#assemble(config, audio, log);
    } catch (error) {
      await audio.close();
      throw error;
    }
  }

  /** `said` before this session. If missing: the greeting, which will be said next. */
  #openEngine(
    config: CallConfig,
    sampleRateHz: 8000 | 16000,
    history?: readonly ChatMessage[],
  ): EngineSession {
    const { clock, settings } = this.options;
    const { callId, agent, knowledge, tools, memory = null, looksUpKnowledge = false } = config;
    const transferTargets = settings.conversation.transferTargets ?? {};
    const variables = variablesOf(config, clock.now());
    const { greeting } = openingOf(config, settings.conversation, variables);
    const engine = this.#engine.open({
      callId,
      language: agent.language,
      voice: agent.voice,
      sampleRateHz,
      systemPrompt: buildSystemPrompt(config, variables),
      knowledge,
      memory,
      looksUpKnowledge,
      tools,
      transferTargets: Object.values(transferTargets),
      builtInTools: builtInTools({ transferTargets, sendDigits: maySendDigits(config) }, tools),
      callerNumber: variables.caller_number,
      promptCacheKey: `agent-${agent.id}`,
      safetyIdentifier: config.callerTag ?? "",
      history: history ?? (greeting.own === "" ? [] : [{ by: "agent", text: greeting.own }]),
    });
    return looksUpKnowledge ? this.#knowledge.give(callId, engine) : engine;
  }

  #assemble(config: CallConfig, audio: CallAudio, log: Log): Session {
    const { clock, settings, createVad, post } = this.options;
    const { callId } = config;
    const engine = this.#openEngine(config, audio.sampleRateHz);
    return new Session({
      config,
      settings: settings.conversation,
      audio,
      engine,
      engineLabel: this.#engine.label,
      openSecondAudio: () => this.options.openAudio({ ...config, browser: null }, log),
      vad: createVad(audio.sampleRateHz),
      phraseCache: this.#phraseCache,
      clock,
      log,
      emit: (event) => post({ type: "event", args: [callId, event] }),
    });
  }

  #fail(callId: string, error: unknown): void {
    const detail = describeError(error);
    this.options.log.error("call.failed", { call_id: callId, detail });
    const event = { type: "failed", reason: "engine_failure", detail } as const;
    this.options.post({ type: "event", args: [callId, event] });
  }
}
