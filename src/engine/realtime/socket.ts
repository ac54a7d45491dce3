/**
 * The WebSocket to a Realtime server: connects, requests its session, then reports events. A lost
 * socket is not used again; its owner opens another one.
 *
 * Guarantees: `ready` settles within `connectTimeoutMs`, and resolves only if the server has
 * confirmed the requested session. Nothing is sent before. Every sent event has an `event_id`.
 * `onGone` is called exactly once, and nothing is called after it. Invalid frames are counted and
 * dropped. Too many invalid frames, too many frames, or one too long frame ends the socket.
 */

import type { EngineFailure } from "../../conversation/engine-port.ts";
import type { Clock, Timer } from "../../core/clock.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Trust } from "../../platform/net/trust.ts";
import { readErrorAnswer, reasonOfEvent, reasonOfStatus } from "../openai/error-answer.ts";
import {
  type ErrorAnswer,
  type FailureReason,
  ProviderFailure,
  withoutSecrets,
} from "../provider-failure.ts";
import { errorOf, objectField, readServerEvent, type ServerEvent, textField } from "./events.ts";

/** The session requested from the server. */
interface SessionRequest {
  /** The update after `session.created`. */
  update(created: ServerEvent): JsonObject;
  /**
   * Another update if the first one was rejected with this error; null if there is no alternative.
   */
  updateWithout(error: JsonObject): JsonObject | null;
  /** Error if the confirmed session is not the requested one; null if it is. */
  problemOf(session: JsonObject): string | null;
}

interface RealtimeSocketOptions {
  readonly url: string;
  readonly apiKey: string | null;
  readonly apiKeyHeader?: "authorization" | "api-key";
  /** If missing, the runtime's certificates. */
  readonly trust?: Trust | undefined;
  readonly connectTimeoutMs: number;
  readonly part: EngineFailure["part"];
  readonly clock: Clock;
  readonly session: SessionRequest;
  /** Events of a ready session. */
  readonly onEvent: (event: ServerEvent) => void;
  readonly onGone: (failure: ProviderFailure) => void;
}

interface RealtimeSession {
  /** Milliseconds since the epoch; null if the server does not report it. */
  readonly expiresAt: number | null;
}

const FRAME_CHARACTERS_MAX = 4 * 1024 * 1024;
const UNSENT_BYTES_MAX = 1024 * 1024;
const MALFORMED_MAX = 5;
/** A server sends some hundreds while it speaks, and all delayed ones at once after a stall. */
const FRAMES_PER_SECOND_MAX = 5_000;
/** Limit per session: each may be a line of the log. An interruption causes one now and then. */
const ERRORS_MAX = 1_000;
/** Bun's message if the handshake got a status other than 101. */
const REFUSED_HANDSHAKE = /status code: (\d{3})/;

/** Bun's message for an untrusted certificate or another host's. */
const BAD_CERTIFICATE = /handshake failed: (.*certificate.*)/i;

/** Bun's WebSocket supports headers; the DOM's type lacks them. */
const SocketWithHeaders = WebSocket as unknown as new (
  url: string,
  options: { readonly headers: Readonly<Record<string, string>> } & Trust,
) => WebSocket;

type State = "connecting" | "configuring" | "ready" | "gone";

export class RealtimeSocket {
  readonly #socket: WebSocket;
  readonly #ready = Promise.withResolvers<RealtimeSession>();
  readonly #timer: Timer;
  #state: State = "connecting";
  #malformed = 0;
  /** Frames since then. */
  #frames = 0;
  #framesSinceMs = 0;
  #errors = 0;
  #events = 0;
  #updateId = "";
  #expiresAt: number | null = null;
  /** Error from the server before it confirmed the session. */
  #complaint: ProviderFailure | null = null;

  constructor(private readonly options: RealtimeSocketOptions) {
    const { url, apiKey, apiKeyHeader = "authorization", trust } = options;
    const { clock, connectTimeoutMs } = options;
    this.#ready.promise.catch(() => {});
    const headers: Record<string, string> = {};
    if (apiKey !== null) {
      headers[apiKeyHeader] = apiKeyHeader === "api-key" ? apiKey : `Bearer ${apiKey}`;
    }
    this.#socket = new SocketWithHeaders(url, { headers, ...trust });
    this.#socket.onmessage = ({ data }) => this.#receive(data);
    this.#socket.onerror = (event) => this.#handshakeFailed(event);
    this.#socket.onclose = ({ code, reason }) => this.#closed(code, reason);
    this.#timer = clock.after(connectTimeoutMs, () =>
      this.#gone(
        this.#complaint ?? this.fail("connect", `no session within ${connectTimeoutMs} ms`),
      ),
    );
  }

  /** Resolves when the session is ready. Rejects with ProviderFailure. */
  get ready(): Promise<RealtimeSession> {
    return this.#ready.promise;
  }

  /** Ready, and not lost. */
  get isOpen(): boolean {
    return this.#state === "ready";
  }

  get alive(): boolean {
    return this.#state !== "gone";
  }

  fail(
    reason: FailureReason,
    message: string,
    more: { status?: number; retryAfterMs?: number } = {},
  ): ProviderFailure {
    const { part, url, apiKey } = this.options;
    const text = withoutSecrets(message, [apiKey]);
    const { host } = new URL(url);
    return new ProviderFailure({ part, reason, message: `${host}: ${text}`, ...more });
  }

  /** Only after `ready`. Returns false if not sent. */
  send(event: JsonObject): boolean {
    return this.#state === "ready" && this.#send(event) !== "";
  }

  /** Ends it without `onGone`. */
  close(): void {
    if (this.#state === "gone") return;
    this.#state = "gone";
    this.#timer.cancel();
    this.#ready.reject(this.fail("connect", "closed"));
    this.#socket.close(1000);
  }

  /** Ends it as if the server had closed it. */
  giveUp(failure: ProviderFailure): void {
    this.#gone(failure);
  }

  /** Converts an `error` event. */
  failureOf(body: ServerEvent["body"]): ProviderFailure {
    const error = errorOf(body);
    return this.fail(reasonOf(error), textField(error, "message") || textField(error, "code"));
  }

  /** Returns the event id; empty if not sent. */
  #send(event: JsonObject): string {
    if (this.#socket.bufferedAmount > UNSENT_BYTES_MAX) {
      this.#gone(this.fail("timeout", "the server reads too slowly"));
      return "";
    }
    const named = { event_id: `event_${++this.#events}`, ...event };
    this.#socket.send(JSON.stringify(named));
    return String(named.event_id);
  }

  #receive(data: unknown): void {
    if (this.#state === "gone") return;
    if (typeof data !== "string" || data.length > FRAME_CHARACTERS_MAX) {
      this.#gone(this.fail("protocol", "a frame that is too long or no text"));
      return;
    }
    if (this.#isFlooded()) {
      this.#gone(this.fail("protocol", "too many frames"));
      return;
    }
    const event = readServerEvent(data);
    if (!event) {
      this.#malformed++;
      if (this.#malformed > MALFORMED_MAX) {
        this.#gone(this.fail("protocol", "too many malformed frames"));
      }
      return;
    }
    if (event.type === "error" && ++this.#errors > ERRORS_MAX) {
      this.#gone(this.fail("protocol", "too many errors"));
      return;
    }
    if (this.#state === "ready") this.options.onEvent(event);
    else if (this.#state === "configuring") this.#configuring(event);
    else this.#first(event);
  }

  #isFlooded(): boolean {
    const now = this.options.clock.monotonic();
    if (now - this.#framesSinceMs >= 1_000) {
      this.#framesSinceMs = now;
      this.#frames = 0;
    }
    return ++this.#frames > FRAMES_PER_SECOND_MAX;
  }

  #first(event: ServerEvent): void {
    if (event.type === "error") {
      this.#gone(this.failureOf(event.body));
      return;
    }
    if (event.type !== "session.created") return;
    const { expires_at: expiresAt } = objectField(event.body, "session");
    if (typeof expiresAt === "number" && expiresAt > 0) this.#expiresAt = expiresAt * 1_000;
    this.#state = "configuring";
    this.#updateId = this.#send(this.options.session.update(event));
  }

  #configuring({ type, body }: ServerEvent): void {
    if (type === "error") {
      this.#updateRefused(body);
      return;
    }
    if (type !== "session.updated") return;
    const problem = this.options.session.problemOf(objectField(body, "session"));
    if (problem !== null) {
      this.#gone(this.fail("request", problem));
      return;
    }
    this.#timer.cancel();
    this.#state = "ready";
    this.#ready.resolve({ expiresAt: this.#expiresAt });
  }

  /** An error without our event id may be a warning: the session may be confirmed anyway. */
  #updateRefused(body: JsonObject): void {
    const error = errorOf(body);
    const failure = this.failureOf(body);
    this.#complaint = failure;
    if (textField(error, "event_id") !== this.#updateId) return;
    const other = this.options.session.updateWithout(error);
    if (other === null) this.#gone(failure);
    else this.#updateId = this.#send(other);
  }

  #handshakeFailed(event: Event): void {
    const { message } = event as { message?: unknown };
    const certificate = BAD_CERTIFICATE.exec(String(message))?.[1];
    if (certificate !== undefined) this.#gone(this.fail("connect", certificate));
    const status = Number(REFUSED_HANDSHAKE.exec(String(message))?.[1] ?? Number.NaN);
    if (!Number.isFinite(status) || status < 400) return;
    this.#gone(
      this.fail(reasonOfStatus(status, NOT_SAID), `the handshake got ${status}`, { status }),
    );
  }

  #closed(code: number, reason: string): void {
    if (this.#state === "gone") return;
    const text = `closed with ${code} ${reason}`.trim();
    const isAuth = /\b40[13]\b|unauthori[sz]ed|forbidden|authentication|api.?key/i.test(reason);
    const isNew = this.#state !== "ready";
    const failure = this.fail(isNew ? "connect" : "protocol", text);
    this.#gone(isAuth ? this.fail("auth", text) : (this.#complaint ?? failure));
  }

  #gone(failure: ProviderFailure): void {
    if (this.#state === "gone") return;
    this.#state = "gone";
    this.#timer.cancel();
    this.#ready.reject(failure);
    this.#socket.close();
    this.options.onGone(failure);
  }
}

const NOT_SAID: ErrorAnswer = { message: "", code: "", param: "" };
const BAD_KEY = /api_key|authentication|permission/i;
/** Errors of the type `invalid_request_error` that a retry may avoid. */
const PASSING = /session_expired|already_has_active_response/;

/** Uses the code rather than the type: nearly all have the type `invalid_request_error`. */
export function reasonOf(error: JsonObject): FailureReason {
  const code = `${textField(error, "type")} ${textField(error, "code")}`;
  if (BAD_KEY.test(code)) return "auth";
  if (PASSING.test(code)) return "server";
  const reason = reasonOfEvent(readErrorAnswer({ error }));
  return reason === "server" && /invalid_request/.test(code) ? "request" : reason;
}
