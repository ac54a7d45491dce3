/**
 * A call's connection to a Realtime server: the socket, the session on it and the answers under way. Its
 * faces (STT, LLM, TTS) meet here.
 *
 * Reconnect rules: a socket that is lost is opened again when something is wanted next, at most
 * `CONNECTS_MAX` times in a call; the new session is told all that was said, as text. What was under
 * way on the lost one fails. A session that would expire is replaced before, in a moment when nothing
 * is under way.
 */

import type { Clock } from "../../../core/clock.ts";
import type { JsonObject } from "../../../core/json.ts";
import type { Log } from "../../../core/log.ts";
import type { AgentLanguage } from "../../../domain/agent/agent.ts";
import type { ChatMessage, EngineFailure } from "../../../domain/conversation/engine-port.ts";
import type { Trust } from "../../../platform/net/trust.ts";
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

/** What the session is to be; the language may change during a call. */
export interface LinkSession {
  /** `session.update` for a session that has just begun. */
  begin(dialect: Dialect, language: AgentLanguage): JsonObject;
  /** For a language that changes in the middle; null: the session needs not know. */
  switchLanguage(dialect: Dialect, language: AgentLanguage): JsonObject | null;
  /** Whether an update that was refused with this error is worth sending again, changed. */
  learn(error: JsonObject): boolean;
}

interface LinkOptions {
  /** With what names the model. */
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
  /** Each question needs passages before it is answered. Missing: false. */
  readonly looksUpKnowledge?: boolean;
  readonly clock: Clock;
  readonly log: Log;
}

const CONNECTS_MAX = 4;
const HISTORY_MAX = 300;
/** A server at its limit tells so with each answer. */
const RATE_LIMIT_LOG_MS = 10_000;
const RATE_LIMITS_MAX = 10;
/** Event ids of updates to another language begin with it. */
const LANGUAGE = "language";
/** Complaints about what is over already. */
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

  /** The answer that is being made in the conversation, if one is. */
  get active(): RealtimeResponse | null {
    return this.#responses.active;
  }

  /** How many sessions there were: a new one was told everything that is remembered. */
  get generation(): number {
    return this.#generation;
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
  onLost(listener: () => void): void {
    this.#onLost.push(listener);
  }

  /** While one of these is true the session is not exchanged for a new one. */
  busyWhile(isBusy: () => boolean): void {
    this.#isBusy.push(isBusy);
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
    if (!outOfBand) await this.#responses.untilIdle();
    return this.askNow(response, outOfBand);
  }

  /** The same without waiting; the session must stand. */
  askNow(response: JsonObject = {}, outOfBand = false): RealtimeResponse {
    return this.#responses.ask(response, outOfBand);
  }

  /** Stops an answer, here and at the server. */
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

  /** A text as an item of the conversation. */
  sendText(by: ChatMessage["by"], text: string): boolean {
    return this.send(this.#itemOf(by, text));
  }

  /** Facts for the next answer, under an id of ours: they are deleted when others take their place. */
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

  /** From now on this is the call's socket. */
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
