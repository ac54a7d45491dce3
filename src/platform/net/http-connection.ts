/**
 * A connection that carries one HTTP/1.1 request after the other. What the other side sends is read by the
 * runtime's own parser (llhttp), as strictly as `node:https` reads it; that takes three times the thread for
 * the same, because it makes streams of each message. The owner checks where the socket leads and
 * limits time and size; `destroy` ends it at any moment.
 */
import { HTTPParser } from "node:_http_common";
import type { Socket } from "node:net";
import { OutboundHttpError } from "./outbound-http-error.ts";

export interface AnswerHead {
  readonly status: number;
  /** Lower-case names; of several with one name the first. */
  readonly headers: Readonly<Record<string, string | undefined>>;
}

/** What comes of a request: a head, pieces of a body, and `end`; `fail` may take the place of each. */
interface AnswerReader {
  head(head: AnswerHead): void;
  body(piece: Buffer): void;
  /** True: the connection may carry another request. */
  end(mayGoOn: boolean): void;
  fail(error: unknown): void;
}

const HEADER_BYTES_MAX = 16 * 1024;

export class HttpConnection {
  readonly #parser = new HTTPParser();
  #reader: AnswerReader | null = null;
  /** Who waits to hear that a resting connection has closed. */
  #rested: (() => void) | null = null;
  /** What is to be sent when the socket is ready for it. */
  #unsent: Buffer | null = null;
  #isReady = false;
  #headers: string[] = [];
  /** What is awaited of the answer; an interim one changes nothing. */
  #part: "head" | "body" | "whole" = "head";
  #mayGoOn = false;

  /** `ready` is the socket's event after which it may be written to. */
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

  /** Closes itself if it is not sent another request within this time. `closed`: however it came. */
  rest(ms: number, closed: () => void): void {
    this.#rested = closed;
    this.socket.setTimeout(ms);
  }

  /** Nothing more is told of the request. */
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
      // More than was asked for: what follows could be taken for the next answer.
      if (this.#part === "whole") this.#mayGoOn = false;
    };
    parser[HTTPParser.kOnHeaders] = (headers) => {
      // Not the trailers, of which there is no end.
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
    // Nothing was asked.
    if (!this.#reader) this.socket.destroy();
    const outcome = this.#reader && this.#parser.execute(piece);
    if (this.#part === "whole") this.#end(outcome === piece.length);
    else if (outcome instanceof Error) this.#fail(outcome);
  }

  /** An answer without a length ends with the connection. */
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
