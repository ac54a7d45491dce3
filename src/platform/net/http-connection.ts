/**
 * A connection for one HTTP/1.1 request after another. The runtime's own parser (llhttp) reads the
 * responses, as strictly as `node:https`. `node:https` itself takes three times the CPU, because it
 * creates streams for each message. The owner checks the socket's remote address and limits time
 * and size; `destroy` ends it at any moment.
 */
import { HTTPParser } from "node:_http_common";
import type { Socket } from "node:net";
import { OutboundHttpError } from "./outbound-http-error.ts";

export interface AnswerHead {
  readonly status: number;
  /** Lower-case names. If a header is repeated, the first value. */
  readonly headers: Readonly<Record<string, string | undefined>>;
}

/** Receives the response: a head, pieces of a body, and `end`. `fail` may replace any of them. */
interface AnswerReader {
  head(head: AnswerHead): void;
  body(piece: Buffer): void;
  /** True if the connection may carry another request. */
  end(mayGoOn: boolean): void;
  fail(error: unknown): void;
}

const HEADER_BYTES_MAX = 16 * 1024;

export class HttpConnection {
  readonly #parser = new HTTPParser();
  #reader: AnswerReader | null = null;
  /** Callback for the end of an idle connection. */
  #rested: (() => void) | null = null;
  /** Request to send when the socket is ready. */
  #unsent: Buffer | null = null;
  #isReady = false;
  #headers: string[] = [];
  /** Expected part of the response; an interim response does not change it. */
  #part: "head" | "body" | "whole" = "head";
  #mayGoOn = false;

  /** `ready`: the socket's event after which it is writable. */
  constructor(
    private readonly socket: Socket,
    ready: "connect" | "secureConnect",
  ) {
    socket.once(ready, () => {
      this.#isReady = true;
      this.#write();
    });
    socket.on("data", (piece: Buffer) => this.#read(piece));
    socket.once("end", () => this.#closed());
    socket.once("close", () => this.#closed());
    socket.on("timeout", () => this.destroy());
    socket.on("error", (error) => this.#fail(error));
    this.#listen();
  }

  get isOpen(): boolean {
    return !this.socket.destroyed && this.socket.readable;
  }

  /** Only one request at a time. */
  send(request: Buffer, reader: AnswerReader): void {
    this.#reader = reader;
    this.#rested = null;
    this.#unsent = request;
    this.#part = "head";
    this.#parser.initialize(HTTPParser.RESPONSE, {}, HEADER_BYTES_MAX);
    this.#write();
  }

  /** Closes itself without another request within this time. `closed`: called after any close. */
  rest(ms: number, closed: () => void): void {
    this.#rested = closed;
    this.socket.setTimeout(ms);
  }

  /** Nothing more is reported about the request. */
  destroy(): void {
    this.#reader = null;
    this.socket.destroy();
  }

  #write(): void {
    if (!this.#unsent || !this.#isReady || this.socket.destroyed) return;
    this.socket.setTimeout(0);
    this.socket.write(this.#unsent);
    this.#unsent = null;
  }

  #listen(): void {
    const parser = this.#parser;
    parser[HTTPParser.kOnMessageBegin] = () => {
      this.#headers = [];
      // Data after the end of the response could be mistaken for the next response.
      if (this.#part === "whole") this.#mayGoOn = false;
    };
    parser[HTTPParser.kOnHeaders] = (headers) => {
      // Trailers are unlimited, so they are ignored.
      if (this.#part === "head") this.#headers.push(...headers);
    };
    parser[HTTPParser.kOnHeadersComplete] = (
      ...[, , headers, , , status, , isUpgrade, mayGoOn]
    ) => {
      const isInterim = status < 200 && !isUpgrade;
      if (this.#part !== "head" || isInterim) return 0;
      this.#part = "body";
      this.#mayGoOn = mayGoOn && !isUpgrade;
      this.#reader?.head({ status, headers: named(headers ?? this.#headers) });
      return 0;
    };
    parser[HTTPParser.kOnBody] = (piece) => {
      if (this.#part === "body") this.#reader?.body(piece);
    };
    parser[HTTPParser.kOnMessageComplete] = () => {
      if (this.#part === "body") this.#part = "whole";
    };
  }

  #read(piece: Buffer): void {
    // Data without a request.
    if (!this.#reader) this.socket.destroy();
    const outcome = this.#reader && this.#parser.execute(piece);
    if (this.#part === "whole") this.#end(outcome === piece.length);
    else if (outcome instanceof Error) this.#fail(outcome);
  }

  /** A response without a length ends with the connection. */
  #closed(): void {
    this.#rested?.();
    this.#rested = null;
    const outcome = this.#reader && this.#parser.finish();
    if (this.#part === "whole") this.#end(false);
    else
      this.#fail(
        outcome ?? new OutboundHttpError("connection_failed", "the connection was closed"),
      );
  }

  #end(readAll: boolean): void {
    const reader = this.#reader;
    this.#reader = null;
    reader?.end(readAll && this.#mayGoOn);
  }

  #fail(error: unknown): void {
    const reader = this.#reader;
    this.destroy();
    reader?.fail(error);
  }
}

function named(raw: readonly string[]): Record<string, string | undefined> {
  const headers: Record<string, string | undefined> = {};
  for (let index = 0; index < raw.length; index += 2)
    headers[(raw[index] ?? "").toLowerCase()] ??= raw[index + 1];
  return headers;
}
