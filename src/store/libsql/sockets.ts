/**
 * Streams of a libSQL server over WebSocket (Hrana 2), one socket per stream. When the socket closes, the
 * server ends the stream and its transaction at once. Over HTTP it would keep a transaction whose reply was
 * lost, and every writer of every node would wait five seconds for it.
 *
 * A request without a timely reply closes its socket, which also ends its transaction.
 */
import type { Clock } from "../../core/clock.ts";
import {
  batchOf,
  errorOf,
  resultsOf,
  type SentBatch,
  type SentError,
  type Step,
  type StepResult,
} from "./hrana-json.ts";

export interface HranaStream {
  /** Runs the steps in one request, in order. If the request rejects, it is unknown which steps ran. */
  batch(steps: readonly Step[]): Promise<readonly StepResult[]>;
  /** Also ends its transaction. */
  close(): void;
  readonly closed: boolean;
}

/** Opens streams, over HTTP or over sockets. */
export interface StreamSource {
  openStream(): HranaStream;
}

interface SocketOptions {
  readonly url: string;
  readonly authToken: string | null;
  readonly clock: Clock;
  /** Timeout of one request. */
  readonly requestMs: number;
}

type ServerMessage =
  | { readonly type: "hello_ok" }
  | { readonly type: "hello_error"; readonly error: SentError }
  | { readonly type: "response_error"; readonly request_id: number; readonly error: SentError }
  | {
      readonly type: "response_ok";
      readonly request_id: number;
      readonly response: { readonly type: string; readonly result?: SentBatch };
    };

interface Asked {
  readonly steps: number;
  readonly resolve: (results: readonly StepResult[]) => void;
  readonly reject: (error: unknown) => void;
}

/** A socket has one stream. */
const STREAM = 0;

/** The same error name as a timeout of `fetch`. */
const timeoutAfter = (ms: number) =>
  Object.assign(new Error(`no answer within ${ms} ms`), { name: "TimeoutError" });

export function socketsTo(options: SocketOptions): StreamSource {
  const url = options.url.replace(/^libsql:/, "wss:").replace(/^http/, "ws");
  return { openStream: () => new SocketStream({ ...options, url }) };
}

class SocketStream implements HranaStream {
  readonly #socket: WebSocket;
  readonly #asked = new Map<number, Asked>();
  /** Messages to send after the socket opens; null once it is open. */
  #unsent: string[] | null = [];
  #lastId = 0;
  #failure: Error | null = null;

  constructor(private readonly options: SocketOptions) {
    const socket = new WebSocket(options.url, ["hrana2"]);
    this.#socket = socket;
    socket.onopen = () => this.#opened();
    socket.onmessage = ({ data }) => this.#received(data);
    socket.onerror = () => this.#end(new Error("the WebSocket has failed"));
    socket.onclose = ({ code, reason }) =>
      this.#end(new Error(`the WebSocket was closed with code ${code} ${reason}`));
    this.#send({ type: "hello", jwt: options.authToken ?? undefined });
    this.#send({
      type: "request",
      request_id: this.#lastId,
      request: { type: "open_stream", stream_id: STREAM },
    });
  }

  get closed(): boolean {
    return this.#failure !== null;
  }

  close(): void {
    this.#end(new Error("the stream was closed"));
  }

  async batch(steps: readonly Step[]): Promise<readonly StepResult[]> {
    if (this.#failure) throw this.#failure;
    const batch = batchOf(steps);
    const { clock, requestMs } = this.options;
    const id = ++this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<readonly StepResult[]>();
    this.#asked.set(id, { steps: steps.length, resolve, reject });
    const timer = clock.after(requestMs, () => {
      // Reject only this request as a timeout. The others fail with the closed socket, so they may retry at
      // once.
      reject(timeoutAfter(requestMs));
      this.close();
    });
    this.#send({
      type: "request",
      request_id: id,
      request: { type: "batch", stream_id: STREAM, batch },
    });
    try {
      return await promise;
    } finally {
      timer.cancel();
    }
  }

  #send(message: object): void {
    const text = JSON.stringify(message);
    if (this.#unsent) this.#unsent.push(text);
    else this.#socket.send(text);
  }

  #opened(): void {
    for (const text of this.#unsent ?? []) this.#socket.send(text);
    this.#unsent = null;
  }

  #received(data: unknown): void {
    if (this.#failure) return;
    try {
      this.#answered(JSON.parse(String(data)) as ServerMessage);
    } catch (error) {
      this.#end(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #answered(message: ServerMessage): void {
    if (message.type === "hello_ok") return;
    if (message.type === "hello_error") throw errorOf(message.error);
    const asked = this.#asked.get(message.request_id);
    this.#asked.delete(message.request_id);
    try {
      if (message.type === "response_error") throw errorOf(message.error);
      asked?.resolve(resultsOf(message.response?.result, asked.steps));
    } catch (error) {
      // The failed request was our `open_stream`, so the stream is unusable.
      if (!asked) throw error;
      asked.reject(error);
    }
  }

  #end(failure: Error): void {
    if (this.#failure) return;
    this.#failure = failure;
    for (const { reject } of this.#asked.values()) reject(failure);
    this.#asked.clear();
    this.#socket.close();
  }
}

/** False if the server, or a proxy before it, accepts only HTTP. */
export async function takesSockets(sockets: StreamSource): Promise<boolean> {
  const stream = sockets.openStream();
  try {
    await stream.batch([{ query: { sql: "SELECT 1", args: [] } }]);
    return true;
  } catch {
    return false;
  } finally {
    stream.close();
  }
}
