/**
 * The WebSocket to a Realtime server: connects, waits for the server's first event, then says what
 * comes and goes. One life: a socket that is gone is not used again, its owner opens another.
 *
 * Guarantees: `ready` settles within `connectTimeoutMs`; `onGone` comes exactly once, after which
 * nothing else does; frames that are no event are counted and dropped, too many of them or one too
 * long end the socket; what is sent before `ready` waits, bounded.
 */
import type { Clock, Timer } from "../../../core/clock.ts";
import type { JsonObject } from "../../../core/json.ts";
import type { EngineFailure } from "../../../domain/conversation/engine-port.ts";
import { ProviderFailure, withoutSecrets } from "../provider-failure.ts";
import {
  type Dialect,
  dialectOf,
  objectField,
  readServerEvent,
  type ServerEvent,
  textField,
} from "./events.ts";

interface RealtimeSocketOptions {
  readonly url: string;
  readonly apiKey: string | null;
  readonly connectTimeoutMs: number;
  readonly part: EngineFailure["part"];
  readonly clock: Clock;
  readonly onEvent: (event: ServerEvent) => void;
  readonly onGone: (failure: ProviderFailure) => void;
}

const FRAME_CHARACTERS_MAX = 4 * 1024 * 1024;
const UNSENT_BYTES_MAX = 1024 * 1024;
const MALFORMED_MAX = 5;

/** Bun's WebSocket takes headers; the DOM's type does not say so. */
const SocketWithHeaders = WebSocket as unknown as new (
  url: string,
  options: { readonly headers: Readonly<Record<string, string>> },
) => WebSocket;

type State = "connecting" | "ready" | "gone";

export class RealtimeSocket {
  readonly #socket: WebSocket;
  readonly #ready = Promise.withResolvers<Dialect>();
  readonly #timer: Timer;
  #state: State = "connecting";
  #malformed = 0;

  constructor(private readonly options: RealtimeSocketOptions) {
    const { url, apiKey, clock, connectTimeoutMs } = options;
    this.#ready.promise.catch(() => {});
    const headers: Record<string, string> =
      apiKey === null ? {} : { authorization: `Bearer ${apiKey}` };
    this.#socket = new SocketWithHeaders(url, { headers });
    this.#socket.onmessage = ({ data }) => this.#receive(data);
    this.#socket.onclose = ({ code, reason }) => this.#closed(code, reason);
    this.#timer = clock.after(connectTimeoutMs, () =>
      this.#gone(this.fail("connect", `no session within ${connectTimeoutMs} ms`)),
    );
  }

  /** The server has spoken: in this dialect. Rejects with ProviderFailure. */
  get ready(): Promise<Dialect> {
    return this.#ready.promise;
  }

  /** Ready, and not gone. */
  get isOpen(): boolean {
    return this.#state === "ready";
  }

  get alive(): boolean {
    return this.#state !== "gone";
  }

  fail(
    reason: ProviderFailure["reason"],
    message: string,
    more: { status?: number; retryAfterMs?: number } = {},
  ): ProviderFailure {
    const { part, url, apiKey } = this.options;
    const text = withoutSecrets(message, [apiKey]);
    const { host } = new URL(url);
    return new ProviderFailure({ part, reason, message: `${host}: ${text}`, ...more });
  }

  /** After `ready`. False: not sent. */
  send(event: JsonObject): boolean {
    if (this.#state !== "ready") return false;
    if (this.#socket.bufferedAmount > UNSENT_BYTES_MAX) {
      this.#gone(this.fail("timeout", "the server reads too slowly"));
      return false;
    }
    this.#socket.send(JSON.stringify(event));
    return true;
  }

  /** Ends it; `onGone` does not come for what we end ourselves. */
  close(): void {
    if (this.#state === "gone") return;
    this.#state = "gone";
    this.#timer.cancel();
    this.#ready.reject(this.fail("connect", "closed"));
    this.#socket.close(1000);
  }

  #receive(data: unknown): void {
    if (this.#state === "gone") return;
    if (typeof data !== "string" || data.length > FRAME_CHARACTERS_MAX) {
      this.#gone(this.fail("protocol", "a frame that is too long or no text"));
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
    if (this.#state === "connecting") this.#first(event);
    else this.options.onEvent(event);
  }

  #first({ type, body }: ServerEvent): void {
    if (type === "error") {
      this.#gone(this.failureOf(body));
      return;
    }
    if (type !== "session.created") return;
    this.#timer.cancel();
    this.#state = "ready";
    this.#ready.resolve(dialectOf(objectField(body, "session")));
  }

  /** What an `error` event means. */
  failureOf(body: ServerEvent["body"]): ProviderFailure {
    const error = objectField(body, "error");
    const code = `${textField(error, "type")} ${textField(error, "code")}`;
    const message = textField(error, "message") || code;
    if (/invalid_api_key|authentication|permission|quota/i.test(code)) {
      return this.fail("auth", message);
    }
    if (/rate_limit/i.test(code)) return this.fail("rate_limited", message);
    if (/invalid_request/i.test(code)) return this.fail("request", message);
    return this.fail("server", message);
  }

  #closed(code: number, reason: string): void {
    if (this.#state === "gone") return;
    const text = `closed with ${code} ${reason}`.trim();
    if (/401|403|unauthori[sz]ed|forbidden|api.?key/i.test(reason)) {
      this.#gone(this.fail("auth", text));
    } else this.#gone(this.fail(this.#state === "connecting" ? "connect" : "protocol", text));
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
