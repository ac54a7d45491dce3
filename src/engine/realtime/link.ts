/**
 * A call's connection to a Realtime server: the socket, its session and the active responses. STT,
 * LLM and TTS share it.
 *
 * Reconnection: a lost socket is opened again when it is needed, at most `CONNECTS_MAX` times per
 * call. The new session gets the history as text. Responses in progress on the lost one fail. An
 * expiring session is replaced while it is idle.
 */

import type { ChatMessage, EngineFailure } from "../../conversation/engine-port.ts";
import type { Clock } from "../../core/clock.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Log } from "../../core/log.ts";
import type { AgentLanguage } from "../../features/agent/agent.ts";
import type { Trust } from "../../platform/net/trust.ts";
import { ProviderFailure } from "../provider-failure.ts";
import { AudioDecoder } from "./audio-codec.ts";
import {
  type AudioFormat,
  type Dialect,
  dialectOf,
  errorOf,
  type ServerEvent,
  textField,
} from "./events.ts";
import type { RealtimeResponse } from "./response.ts";
import { Responses } from "./responses.ts";
import { SessionRenewal } from "./session-renewal.ts";
import { formatProblem } from "./session-update.ts";
import { RealtimeSocket } from "./socket.ts";

/** Session settings. The language may change during a call. */
export interface LinkSession {
  /** `session.update` for a new session. */
  begin(dialect: Dialect, language: AgentLanguage): JsonObject;
  /** Update for a new language; null if the session does not depend on it. */
  switchLanguage(dialect: Dialect, language: AgentLanguage): JsonObject | null;
  /** Returns whether an update rejected with this error should be repeated with changes. */
  learn(error: JsonObject): boolean;
}

interface LinkOptions {
  /** Contains the model's name. */
  readonly url: string;
  readonly apiKey: string | null;
  readonly apiKeyHeader?: "authorization" | "api-key";
  readonly trust?: Trust | undefined;
  readonly part: EngineFailure["part"];
  readonly format: AudioFormat;
  readonly connectTimeoutMs: number;
  readonly responseTimeoutMs: number;
  readonly session: LinkSession;
  readonly language: AgentLanguage;
  readonly sampleRateHz: number;
  readonly history: readonly ChatMessage[];
  /** Each question needs passages before the answer. Default: false. */
  readonly looksUpKnowledge?: boolean;
  readonly clock: Clock;
  readonly log: Log;
}

const CONNECTS_MAX = 4;
const HISTORY_MAX = 300;
/** A server at its limit reports it with each answer. */
const RATE_LIMIT_LOG_MS = 10_000;
const RATE_LIMITS_MAX = 10;
/** Prefix of the event ids of language updates. */
const LANGUAGE = "language";
/** Errors about something that has already ended. */
const HARMLESS = /cancel_not_active|commit_empty|item_not_found|truncat|item.*not.*exist/i;

export class RealtimeLink {
  readonly history: ChatMessage[];
  #language: AgentLanguage;
  #socket: RealtimeSocket | null = null;
  readonly #renewal: SessionRenewal;
  #dialect: Dialect = "ga";
  #ready: Promise<void> = Promise.resolve();
  #connects = 0;
  #generation = 0;
  #updates = 0;
  #closed = false;
  #rateLimitLoggedAt = Number.NEGATIVE_INFINITY;
  readonly #responses: Responses;
  readonly #listeners: ((event: ServerEvent) => void)[] = [];
  readonly #onReconnect: (() => void)[] = [];
  readonly #onLost: (() => void)[] = [];
  readonly #isBusy: (() => boolean)[] = [];

  constructor(readonly options: LinkOptions) {
    const { history, language, part, format, sampleRateHz, responseTimeoutMs, clock } = options;
    this.history = [...history];
    this.#language = language;
    this.#responses = new Responses({
      send: (event) => this.send(event),
      fail: (reason, message) => this.fail(part, reason, message),
      createDecoder: () => new AudioDecoder(format, sampleRateHz),
      sampleRateHz,
      firstMsMax: responseTimeoutMs,
      clock,
    });
    this.#renewal = new SessionRenewal({
      clock,
      open: () => this.#open(),
      isIdle: () => this.#responses.isIdle && !this.#isBusy.some((isBusy) => isBusy()),
      succeed: (successor) => this.#succeed(successor),
      onFailed: ({ message }) => options.log.warn("realtime.not_renewed", { error: message }),
    });
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

  /** The current response in the conversation, or null. */
  get active(): RealtimeResponse | null {
    return this.#responses.active;
  }

  /** Number of sessions so far. A new session gets the whole history. */
  get generation(): number {
    return this.#generation;
  }

  /** Field of `response.create` for a text-only answer. */
  get isTextOnly(): JsonObject {
    return { [this.#dialect === "ga" ? "output_modalities" : "modalities"]: ["text"] };
  }

  onEvent(listener: (event: ServerEvent) => void): void {
    this.#listeners.push(listener);
  }

  /** Called when a session starts without anything sent before. */
  onReconnect(listener: () => void): void {
    this.#onReconnect.push(listener);
  }

  /** Called when the socket is lost. `ready` opens another one. */
  onLost(listener: () => void): void {
    this.#onLost.push(listener);
  }

  /** While one of these returns true, the session is not replaced. */
  busyWhile(isBusy: () => boolean): void {
    this.#isBusy.push(isBusy);
  }

  /**
   * Resolves when the session is ready. Opens it again if it is lost. Rejects with ProviderFailure.
   */
  async ready(): Promise<void> {
    if (!this.alive) this.#connect();
    await this.#ready;
  }

  /** Returns false if there is no session. */
  send(event: JsonObject): boolean {
    return this.#socket?.send(event) ?? false;
  }

  remember(message: ChatMessage): void {
    this.history.push(message);
    if (this.history.length > HISTORY_MAX) this.history.shift();
  }

  /** Requests a response. A response in the conversation waits for the end of the previous one. */
  async ask(response: JsonObject = {}, outOfBand = false): Promise<RealtimeResponse> {
    await this.ready();
    if (!outOfBand) await this.#responses.untilIdle();
    return this.askNow(response, outOfBand);
  }

  /** Like `ask`, without waiting. The session must be ready. */
  askNow(response: JsonObject = {}, outOfBand = false): RealtimeResponse {
    return this.#responses.ask(response, outOfBand);
  }

  /** Stops a response, here and at the server. */
  cancel(response: RealtimeResponse): void {
    this.#responses.cancel(response);
  }

  switchLanguage(language: AgentLanguage): void {
    this.#language = language;
    this.#tellLanguage();
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
    this.#renewal.close();
    this.#socket?.close();
    this.#responses.lose(this.fail(this.options.part, "connect", "the call is over"));
  }

  sendText(by: ChatMessage["by"], text: string): boolean {
    return this.send(this.#itemOf(by, text));
  }

  /** Sends facts for the next answer under our own id, so that they can be deleted later. */
  sendFacts(id: string, text: string): boolean {
    const content = [{ type: "input_text", text }];
    const item = { id, type: "message", role: "system", content };
    return this.send({ type: "conversation.item.create", item });
  }

  #tellLanguage(): void {
    const update = this.options.session.switchLanguage(this.#dialect, this.#language);
    if (update) this.send({ event_id: `${LANGUAGE}_${++this.#updates}`, ...update });
  }

  #connect(): void {
    const { part } = this.options;
    const successor = this.#renewal.take();
    if (successor) {
      this.#adopt(successor);
      return;
    }
    if (this.#closed || this.#connects >= CONNECTS_MAX) {
      this.#ready = Promise.reject(this.fail(part, "connect", "lost too often in one call"));
      this.#ready.catch(() => {});
      return;
    }
    this.#connects++;
    this.#adopt(this.#open());
  }

  #open(): RealtimeSocket {
    const { session, format } = this.options;
    const update = () => session.begin(this.#dialect, this.#language);
    const socket: RealtimeSocket = new RealtimeSocket({
      ...this.options,
      session: {
        update: (created) => {
          this.#dialect = dialectOf(created);
          return update();
        },
        updateWithout: (error) => (session.learn(error) ? update() : null),
        problemOf: (told) => formatProblem(told, format, ["input", "output"]),
      },
      onEvent: (event) => {
        if (socket === this.#socket) this.#receive(event);
      },
      onGone: (failure) => {
        if (socket === this.#socket) this.#onSocketGone(failure);
      },
    });
    return socket;
  }

  /** Uses the socket for the call from now on. */
  #adopt(socket: RealtimeSocket): void {
    this.#socket = socket;
    this.#generation++;
    this.#ready = socket.ready.then(({ expiresAt }) => {
      if (socket !== this.#socket) return;
      for (const { by, text } of this.history) this.send(this.#itemOf(by, text));
      this.#renewal.schedule(expiresAt);
      for (const listener of this.#onReconnect) listener();
    });
    this.#ready.catch(() => {});
  }

  #succeed(successor: RealtimeSocket): void {
    const before = this.#socket;
    this.#adopt(successor);
    before?.close();
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
    if (type.startsWith("response.")) this.#responses.receive(event);
    else if (type === "error") this.#complaint(body);
    else if (type === "rate_limits.updated") this.#noteRateLimits(body);
    for (const listener of this.#listeners) listener(event);
  }

  #complaint(body: JsonObject): void {
    const failure = this.#socket?.failureOf(body);
    if (!failure || this.#responses.rejected(body, failure)) return;
    const error = errorOf(body);
    const detail = `${textField(error, "code")} ${textField(error, "message")}`;
    if (!HARMLESS.test(detail)) {
      this.options.log.warn("realtime.error", { error: failure.message });
    }
    if (/session_expired/.test(detail)) this.#socket?.giveUp(failure);
    const isLanguage = textField(error, "event_id").startsWith(LANGUAGE);
    if (isLanguage && this.options.session.learn(error)) this.#tellLanguage();
  }

  #noteRateLimits(body: JsonObject): void {
    const { clock, log } = this.options;
    if (clock.monotonic() - this.#rateLimitLoggedAt < RATE_LIMIT_LOG_MS) return;
    const limits = Array.isArray(body.rate_limits) ? body.rate_limits : [];
    for (const limit of limits.slice(0, RATE_LIMITS_MAX)) {
      if (typeof limit !== "object" || limit === null || Array.isArray(limit)) continue;
      if (typeof limit.remaining !== "number" || limit.remaining > 0) continue;
      const resetSeconds = typeof limit.reset_seconds === "number" ? limit.reset_seconds : null;
      const name = textField(limit, "name");
      log.warn("realtime.rate_limit", { name, reset_sec: resetSeconds });
      this.#rateLimitLoggedAt = clock.monotonic();
    }
  }

  #onSocketGone(failure: ProviderFailure): void {
    this.#renewal.cancel();
    this.options.log.warn("realtime.connection_lost", { error: failure.message });
    this.#responses.lose(failure);
    for (const listener of this.#onLost) listener();
  }
}
