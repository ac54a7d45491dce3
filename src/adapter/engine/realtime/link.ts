/**
 * A call's connection to a Realtime server: the socket, the session on it and the responses under
 * way. Its three faces (STT, LLM, TTS) meet here.
 *
 * Reconnect rules: a socket that is lost is opened again when something is wanted next, at most
 * `CONNECTS_MAX` times in a call; the new session is told all that was said, as text. What was under
 * way on the lost one fails.
 */

import type { Clock } from "../../../core/clock.ts";
import type { JsonObject } from "../../../core/json.ts";
import type { Log } from "../../../core/log.ts";
import type { AgentLanguage } from "../../../domain/agent/agent.ts";
import type {
  ChatMessage,
  EngineFailure,
  SessionSettings,
} from "../../../domain/conversation/engine-port.ts";
import { ProviderFailure } from "../provider-failure.ts";
import { AudioDecoder } from "./audio-codec.ts";
import { type Dialect, objectField, type ServerEvent, sessionUpdate, textField } from "./events.ts";
import { RealtimeResponse } from "./response.ts";
import { audioFormatOf, type RealtimeSettings } from "./settings.ts";
import { RealtimeSocket } from "./socket.ts";

interface LinkOptions {
  readonly settings: RealtimeSettings;
  readonly session: SessionSettings;
  readonly clock: Clock;
  readonly log: Log;
}

const CONNECTS_MAX = 4;
const HISTORY_MAX = 300;
/** An answer that was cancelled is over on the server within this time. */
const CANCEL_MS_MAX = 500;
/** Complaints about what is over already. */
const HARMLESS = /cancel_not_active|commit_empty|item_not_found|truncat|item.*not.*exist/i;

export class RealtimeLink {
  readonly history: ChatMessage[];
  #language: AgentLanguage;
  #socket: RealtimeSocket | null = null;
  #dialect: Dialect = "ga";
  #ready: Promise<void> = Promise.resolve();
  #connects = 0;
  #closed = false;
  #keys = 0;
  /** Asked for and not created yet, in order. */
  #asked: RealtimeResponse[] = [];
  readonly #running = new Map<string, RealtimeResponse>();
  #listeners: ((event: ServerEvent) => void)[] = [];
  #onReconnect: (() => void)[] = [];
  #onLost: ((failure: ProviderFailure) => void)[] = [];

  constructor(readonly options: LinkOptions) {
    this.history = [...(options.session.history ?? [])];
    this.#language = options.session.language;
    this.#connect();
  }

  get language(): AgentLanguage {
    return this.#language;
  }

  get isOpen(): boolean {
    return this.#socket?.isOpen ?? false;
  }

  get alive(): boolean {
    return this.#socket?.alive ?? false;
  }

  /** The answer that is being made in the conversation, if one is. */
  get active(): RealtimeResponse | null {
    const all = [...this.#asked, ...this.#running.values()];
    return all.find((response) => !response.options.outOfBand) ?? null;
  }

  /** How many sessions there were: a new one was told everything that is remembered. */
  get connects(): number {
    return this.#connects;
  }

  /** For `response.create`: answer in writing. */
  get isTextOnly(): JsonObject {
    return { [this.#dialect === "ga" ? "output_modalities" : "modalities"]: ["text"] };
  }

  onEvent(listener: (event: ServerEvent) => void): void {
    this.#listeners.push(listener);
  }

  /** The session begins anew: what was sent before is not there. */
  onReconnect(listener: () => void): void {
    this.#onReconnect.push(listener);
  }

  /** The socket is gone; `ready` opens another. */
  onLost(listener: (failure: ProviderFailure) => void): void {
    this.#onLost.push(listener);
  }

  /** Resolves when the session stands; opens it again when it is lost. Rejects with ProviderFailure. */
  async ready(): Promise<void> {
    if (!this.alive) this.#connect();
    await this.#ready;
  }

  /** False when there is no session to send to. */
  send(event: JsonObject): boolean {
    return this.#socket?.send(event) ?? false;
  }

  remember(message: ChatMessage): void {
    this.history.push(message);
    if (this.history.length > HISTORY_MAX) this.history.shift();
  }

  /** Asks for an answer. One in the conversation waits until the one before is over. */
  async ask(response: JsonObject = {}, outOfBand = false): Promise<RealtimeResponse> {
    await this.ready();
    if (!outOfBand) await this.#untilIdle();
    return this.askNow(response, outOfBand);
  }

  /** The same without waiting; the session must stand. */
  askNow(response: JsonObject = {}, outOfBand = false): RealtimeResponse {
    const { settings, session, clock } = this.options;
    const key = `r${++this.#keys}`;
    const asked = new RealtimeResponse({
      key,
      outOfBand,
      decoder: new AudioDecoder(audioFormatOf(settings), session.sampleRateHz),
      sampleRateHz: session.sampleRateHz,
      firstMsMax: settings.response_timeout_ms,
      clock,
      fail: (reason, message) => this.fail("llm", reason, message),
    });
    const metadata = { key };
    const body: JsonObject = { ...response, metadata };
    this.#asked.push(asked);
    void asked.finished.then(() => {
      if (asked.failure) this.#cancelAtServer(asked);
    });
    void asked.settled.then(() => this.#forget(asked));
    const sent = this.send({ type: "response.create", event_id: key, response: body });
    if (!sent) this.#lost(asked, this.fail("llm", "connect", "the connection is lost"));
    return asked;
  }

  /** Stops an answer, here and at the server. */
  cancel(response: RealtimeResponse): void {
    if (response.over) return;
    this.#cancelAtServer(response);
    response.cancel();
  }

  switchLanguage(language: AgentLanguage): void {
    this.#language = language;
    if (this.alive) this.send(this.#configuration());
  }

  fail(
    part: EngineFailure["part"],
    reason: ProviderFailure["reason"],
    message: string,
  ): ProviderFailure {
    const known = this.#socket?.fail(reason, message);
    return new ProviderFailure({ part, reason, message: known?.message ?? message });
  }

  close(): void {
    this.#closed = true;
    this.#socket?.close();
    this.#lose(this.fail("llm", "connect", "the call is over"));
  }

  #connect(): void {
    const { settings, clock } = this.options;
    if (this.#closed || this.#connects >= CONNECTS_MAX) {
      this.#ready = Promise.reject(this.fail("llm", "connect", "lost too often in one call"));
      this.#ready.catch(() => {});
      return;
    }
    this.#connects++;
    const url = new URL(settings.base_url);
    if (settings.model !== "") url.searchParams.set("model", settings.model);
    const socket = new RealtimeSocket({
      url: url.href,
      apiKey: settings.api_key,
      connectTimeoutMs: settings.connect_timeout_ms,
      part: "llm",
      clock,
      onEvent: (event) => this.#receive(event),
      onGone: (failure) => this.#onSocketGone(failure),
    });
    this.#socket = socket;
    this.#ready = socket.ready.then((dialect) => this.#begin(dialect));
    this.#ready.catch(() => {});
  }

  #begin(dialect: Dialect): void {
    this.#dialect = dialect;
    this.send(this.#configuration());
    for (const { by, text } of this.history) this.send(this.#itemOf(by, text));
    for (const listener of this.#onReconnect) listener();
  }

  #configuration(): JsonObject {
    const { settings, session } = this.options;
    return sessionUpdate(this.#dialect, {
      instructions: session.systemPrompt,
      tools: [...session.tools, ...(session.builtInTools ?? [])],
      voice: settings.voices[session.voice],
      format: audioFormatOf(settings),
      model: settings.model,
      transcriptionModel: settings.transcription_model,
      language: this.#language,
      turnDetection: settings.turn_detection,
    });
  }

  /** A text as an item of the conversation. */
  sendText(by: ChatMessage["by"], text: string): boolean {
    return this.send(this.#itemOf(by, text));
  }

  #itemOf(by: ChatMessage["by"], text: string): JsonObject {
    const isAgent = by === "agent";
    const agentType = this.#dialect === "ga" ? "output_text" : "text";
    const content = [
      {
        type: isAgent ? agentType : "input_text",
        text: by === "tool" ? `[A tool returned: ${text}]` : text,
      },
    ];
    const role = isAgent ? "assistant" : "user";
    return { type: "conversation.item.create", item: { type: "message", role, content } };
  }

  #receive(event: ServerEvent): void {
    const { type, body } = event;
    if (type === "response.created") this.#created(objectField(body, "response"));
    else if (type.startsWith("response.")) this.#responseOf(body)?.receive(event);
    else if (type === "error") this.#complaint(body);
    else if (type === "rate_limits.updated") this.#noteRateLimits(body);
    for (const listener of this.#listeners) listener(event);
  }

  #created(response: JsonObject): void {
    const key = textField(objectField(response, "metadata"), "key");
    const index = Math.max(
      0,
      this.#asked.findIndex((asked) => asked.options.key === key),
    );
    const [asked] = this.#asked.splice(index, 1);
    const id = textField(response, "id");
    if (!asked) {
      // Nobody wants it: one that was given up before the server began it.
      this.send({ type: "response.cancel", response_id: id });
      return;
    }
    asked.created(id);
    this.#running.set(id, asked);
  }

  #responseOf(body: JsonObject): RealtimeResponse | null {
    const id = textField(body, "response_id") || textField(objectField(body, "response"), "id");
    return this.#running.get(id) ?? null;
  }

  #complaint(body: JsonObject): void {
    const failure = this.#socket?.failureOf(body);
    if (!failure) return;
    const error = objectField(body, "error");
    const detail = `${textField(error, "code")} ${textField(error, "message")}`;
    const key = textField(error, "event_id");
    const asked = this.#asked.find((response) => response.options.key === key);
    if (asked) this.#lost(asked, failure);
    else if (!HARMLESS.test(detail))
      this.options.log.warn("realtime.error", { error: failure.message });
    if (/session_expired/.test(detail)) this.#socket?.close();
  }

  #noteRateLimits(body: JsonObject): void {
    const limits = Array.isArray(body.rate_limits) ? body.rate_limits : [];
    for (const limit of limits) {
      if (typeof limit !== "object" || limit === null || Array.isArray(limit)) continue;
      if (typeof limit.remaining !== "number" || limit.remaining > 0) continue;
      const resetSeconds = typeof limit.reset_seconds === "number" ? limit.reset_seconds : null;
      const name = textField(limit, "name");
      this.options.log.warn("realtime.rate_limit", { name, reset_sec: resetSeconds });
    }
  }

  async #untilIdle(): Promise<void> {
    const { active } = this;
    if (!active) return;
    this.cancel(active);
    const waited = Promise.withResolvers<void>();
    const timer = this.options.clock.after(CANCEL_MS_MAX, waited.resolve);
    await Promise.race([active.settled, waited.promise]);
    timer.cancel();
    this.#forget(active);
  }

  #cancelAtServer({ id }: RealtimeResponse): void {
    this.send(
      id === "" ? { type: "response.cancel" } : { type: "response.cancel", response_id: id },
    );
  }

  #lost(response: RealtimeResponse, failure: ProviderFailure): void {
    response.settle();
    this.#forget(response);
    response.fail(failure);
  }

  #forget(response: RealtimeResponse): void {
    this.#asked = this.#asked.filter((asked) => asked !== response);
    if (response.id !== "") this.#running.delete(response.id);
  }

  #onSocketGone(failure: ProviderFailure): void {
    this.options.log.warn("realtime.connection_lost", { error: failure.message });
    this.#lose(failure);
    for (const listener of this.#onLost) listener(failure);
  }

  #lose(failure: ProviderFailure): void {
    for (const response of [...this.#asked, ...this.#running.values()]) {
      this.#lost(response, failure);
    }
  }
}
