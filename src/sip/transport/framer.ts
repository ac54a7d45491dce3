/**
 * Cuts a byte stream into SIP messages by Content-Length (RFC 3261 18.3), however the bytes are
 * spread over chunks. Bounded by MESSAGE_BYTES_MAX; what cannot be framed for certain (no length,
 * two lengths) is an error, because everything behind it could mean something else to others.
 */
import { MESSAGE_BYTES_MAX } from "../message/index.ts";

export class UnframedStream extends Error {
  override readonly name = "UnframedStream";
  constructor(
    readonly kind: "oversized" | "malformed",
    message: string,
  ) {
    super(message);
  }
}

export type StreamItem =
  | { readonly kind: "message"; readonly bytes: Uint8Array }
  /** CRLF between messages: half a ping, or a pong (RFC 5626 4.4.1). */
  | { readonly kind: "crlf" };

const CR = 13;
const LF = 10;
const HEAD_END = Buffer.from("\r\n\r\n");
const LENGTH_LINES = /\r\n(?:content-length|l)[ \t]*:[ \t]*([^\r\n]*)/gi;

export class StreamFramer {
  #rest: Buffer = Buffer.alloc(0);
  /** How far the end of the head was looked for already. */
  #searched = 0;
  /** Bytes of the message at the front, once its head is there. */
  #wanted: number | null = null;

  /** True while a message has begun and is not complete. */
  get unfinished(): boolean {
    return this.#rest.length > 0;
  }

  /** What the chunk completes, in order. Throws UnframedStream: the connection is of no more use. */
  push(chunk: Uint8Array): StreamItem[] {
    this.#rest = this.#rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([this.#rest, chunk]);
    const items: StreamItem[] = [];
    for (let item = this.#next(); item; item = this.#next()) items.push(item);
    return items;
  }

  #next(): StreamItem | undefined {
    if (this.#wanted === null) {
      if (this.#rest[0] === CR && this.#rest[1] === LF) {
        this.#rest = this.#rest.subarray(2);
        return { kind: "crlf" };
      }
      this.#wanted = this.#frameLength();
    }
    if (this.#wanted === null || this.#rest.length < this.#wanted) return undefined;
    const bytes = this.#rest.subarray(0, this.#wanted);
    this.#rest = this.#rest.subarray(this.#wanted);
    this.#wanted = null;
    this.#searched = 0;
    return { kind: "message", bytes };
  }

  /** Null while the head is incomplete. */
  #frameLength(): number | null {
    const headEnd = this.#rest.indexOf(HEAD_END, this.#searched);
    if (headEnd < 0) {
      if (this.#rest.length > MESSAGE_BYTES_MAX) throw oversized();
      this.#searched = Math.max(0, this.#rest.length - HEAD_END.length + 1);
      return null;
    }
    const bodyBytes = contentLengthOf(this.#rest.toString("latin1", 0, headEnd));
    const length = headEnd + HEAD_END.length + bodyBytes;
    if (length > MESSAGE_BYTES_MAX) throw oversized();
    return length;
  }
}

const oversized = () =>
  new UnframedStream("oversized", `a message above ${MESSAGE_BYTES_MAX} bytes`);

function contentLengthOf(head: string): number {
  const unfolded = head.replace(/\r\n[ \t]+/g, " ");
  const [length, ...others] = [...unfolded.matchAll(LENGTH_LINES)].map((line) => line[1] ?? "");
  if (length === undefined) throw new UnframedStream("malformed", "no Content-Length");
  if (others.length > 0) throw new UnframedStream("malformed", "two Content-Lengths");
  if (!/^\d{1,9}[ \t]*$/.test(length)) throw new UnframedStream("malformed", "bad Content-Length");
  return Number(length);
}
