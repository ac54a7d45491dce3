/**
 * What runs in a call worker: the sessions of its calls, and main's messages handed to them.
 *
 * Guarantees: a message that cannot be carried out harms only its own call; every `open` is answered
 * with `opened` or `failed`; every `close` with `closed`. It is given its engine and its audio, so
 * that the entry (call.worker.ts) chooses the real ones.
 */

import type { Clock } from "../../core/clock.ts";
import { describeError } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import type { CallAudio, VoiceActivityDetector } from "../../domain/conversation/audio-port.ts";
import { builtInTools, maySendDigits } from "../../domain/conversation/built-in-tools.ts";
import type { CallConfig } from "../../domain/conversation/call-config.ts";
import type { ChatMessage } from "../../domain/conversation/chat.ts";
import { openingOf } from "../../domain/conversation/disclosure.ts";
import type { Engine, EngineSession } from "../../domain/conversation/engine-port.ts";
import { PhraseCache } from "../../domain/conversation/phrase-cache.ts";
import { buildSystemPrompt, variablesOf } from "../../domain/conversation/prompt.ts";
import { Session } from "../../domain/conversation/session.ts";
import { createCallMonitor } from "../media/call-monitor.ts";
import { ChatHost } from "./chat-host.ts";
import { EMPTY_REPORT } from "./empty-report.ts";
import type { CallWorkerSettings, FromCallWorker, ToCallWorker } from "./messages.ts";

export interface CallHostOptions {
  readonly settings: CallWorkerSettings;
  readonly clock: Clock;
  readonly log: Log;
  readonly post: (message: FromCallWorker) => void;
  /** Binds a socket. Rejects when no port is free. */
  readonly openAudio: (config: CallConfig, log: Log) => Promise<CallAudio>;
  readonly createVad: (sampleRateHz: 8000 | 16000) => VoiceActivityDetector;
}

type CallCommand = Exclude<
  Extract<ToCallWorker, { readonly callId: string }>,
  { type: `chat_${string}` }
>;
type ChatCommand = Extract<ToCallWorker, { type: `chat_${string}` }>;

const CHAT_RATE_HZ = 8000;

export class CallHost {
  readonly #sessions = new Map<string, Session>();
  /** Calls whose audio is being opened; a close meanwhile is noted here. */
  readonly #opening = new Map<string, { closed: boolean }>();
  readonly #phraseCache = new PhraseCache();
  /** The audio of open calls, for those who listen in or speak from a browser. */
  readonly #audio = new Map<string, CallAudio>();
  readonly #chats: ChatHost;

  #engine: Engine;

  constructor(
    private readonly options: CallHostOptions,
    engine: Engine,
  ) {
    this.#engine = engine;
    const { settings, clock, post } = options;
    this.#chats = new ChatHost({
      ...{ conversation: settings.conversation, clock, post },
      openEngine: (config, history) => this.#openEngine(config, CHAT_RATE_HZ, history),
    });
  }

  /**
   * The speech worker died and was replaced. Calls whose engine needs none hear nothing of it; the
   * others ask to have repeated what was lost, and go on.
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

  chat(message: ChatCommand): void {
    if (message.type === "chat_open") this.#chats.open(message.call, message.history);
    else if (message.type === "chat_input") void this.#chats.input(message.callId, message.input);
    else this.#chats.close(message.callId);
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
      this.#audio.set(callId, audio);
      await session.prepare();
      if (this.#sessions.has(callId)) {
        this.options.post({ type: "opened", callId, rtpPort: audio.rtpPort });
      }
    } catch (error) {
      this.#fail(callId, error);
    } finally {
      this.#opening.delete(callId);
    }
  }

  command(message: CallCommand): void {
    const session = this.#sessions.get(message.callId);
    try {
      if (message.type === "close") void this.#close(message.callId, message.reason, session);
      else if (message.type === "audio_in") this.#audio.get(message.callId)?.feed?.(message.pcm);
      else if (message.type === "monitor") this.#monitor(message.callId, message.on);
      else if (session) perform(session, message);
    } catch (error) {
      this.#fail(message.callId, error);
    }
  }

  async shutdown(): Promise<void> {
    const calls = [...this.#sessions];
    await Promise.all(calls.map(([id, session]) => this.#close(id, "interrupted", session)));
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

  /** `said` before this session; missing: the greeting, which is about to be said. */
  #openEngine(
    config: CallConfig,
    sampleRateHz: 8000 | 16000,
    history?: readonly ChatMessage[],
  ): EngineSession {
    const { clock, settings } = this.options;
    const { callId, agent, knowledge, tools, memory } = config;
    const transferTargets = settings.conversation.transferTargets ?? {};
    const variables = variablesOf(config, clock.now());
    const { greeting } = openingOf(config, settings.conversation, variables);
    return this.#engine.open({
      callId,
      language: agent.language,
      voice: agent.voice,
      sampleRateHz,
      systemPrompt: buildSystemPrompt(config, variables),
      knowledge: memory ? [...knowledge, memory] : knowledge,
      tools,
      transferTargets: Object.values(transferTargets),
      builtInTools: builtInTools({ transferTargets, sendDigits: maySendDigits(config) }, tools),
      callerNumber: variables.caller_number,
      history: history ?? (greeting.own === "" ? [] : [{ by: "agent", text: greeting.own }]),
    });
  }

  #monitor(callId: string, on: boolean): void {
    const audio = this.#audio.get(callId);
    const post = (pcm: Int16Array) => this.options.post({ type: "monitor_audio", callId, pcm });
    audio?.monitor?.(on ? createCallMonitor(audio.sampleRateHz, post) : null);
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
      emit: (message) => post({ ...message, callId }),
    });
  }

  async #close(
    callId: string,
    reason: Extract<CallCommand, { type: "close" }>["reason"],
    session: Session | undefined,
  ): Promise<void> {
    const opening = this.#opening.get(callId);
    if (opening) opening.closed = true;
    this.#sessions.delete(callId);
    this.#audio.delete(callId);
    const report = session ? await session.close(reason) : EMPTY_REPORT;
    this.options.post({ type: "closed", callId, report });
  }

  #fail(callId: string, error: unknown): void {
    const detail = describeError(error);
    this.options.log.error("call.failed", { call_id: callId, detail });
    this.options.post({ type: "failed", callId, reason: "engine_failure", detail });
  }
}

function perform(session: Session, message: Exclude<CallCommand, { type: "close" }>): void {
  switch (message.type) {
    case "connect":
      session.connect(message.plan);
      break;
    case "answered":
      session.answered();
      break;
    case "tool_result":
      session.toolResult(message.result);
      break;
    case "digit":
      session.digit(message.digit);
      break;
    case "say_and_end":
      session.sayAndEnd(message.text, message.reason);
      break;
    case "transfer_begin":
      session.transferBegin();
      break;
    case "transfer_failed":
      session.transferFailed(message.cause);
      break;
    case "bridge_open":
      session.bridgeOpen();
      break;
    case "bridge_connect":
      session.bridgeConnect(message.plan);
      break;
    case "bridge_join":
      session.bridgeJoin(message.announcement);
      break;
    case "bridge_digit":
      session.bridgeDigit(message.digit);
      break;
    case "pin_ask":
      session.askPin(message.again);
      break;
    case "pin_done":
      session.pinDone();
      break;
    default:
      break;
  }
}
