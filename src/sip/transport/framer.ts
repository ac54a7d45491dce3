/**
 * Splits a byte stream into SIP messages by Content-Length (RFC 3261 18.3), whatever the chunk
 * boundaries. Bounded by MESSAGE_BYTES_MAX.
 *
 * A message with ambiguous framing (no length, two lengths) is an error. Exception: if a request
 * begins right after its head, it has no body, and that request is not lost. Bytes before a start
 * line, caused by a length that was too short, count as a separate broken message.
 */
import {
  BEGINS_MESSAGE,
  BEGINS_REQUEST,
  headOf,
  LATER_MESSAGE,
  MESSAGE_BYTES_MAX,
} from "../message/index.ts";

export class UnframedStream extends Error {
  override readonly name = "UnframedStream";
}

type StreamItem =
  | { readonly kind: "message"; readonly bytes: Uint8Array }
  /** CRLF between messages: half a ping, or a pong (RFC 5626 4.4.1). */
  | { readonly kind: "crlf" };

const CR = 13;
const LF = 10;
const HEAD_END = Buffer.from("\r\n\r\n");
/** For a message whose lines end with LF alone (message/line-ends.ts). */
const HEAD_END_LF = Buffer.from("\n\n");
const LENGTH_LINES = /\r\n(?:content-length|l)[ \t]*:[ \t]*([^\r\n]*)/gi;
const START_LINE_BYTES_MAX = 2200;

export class StreamFramer {
  #rest: Buffer = Buffer.alloc(0);
  /** End of the part already searched for the end of the head. */
  #searched = 0;
  /** Size of the first message, once its head is complete. */
  #wanted: number | null = null;

  /** True if a message has started and is not complete. */
  get unfinished(): boolean {
    return this.#rest.length > 0;
  }

  /**
   * Yields each completed item in order, before it searches for the next. Throws UnframedStream:
   * the connection can no longer be used, but earlier items are valid.
   */
  *push(chunk: Uint8Array): Generator<StreamItem, void> {
    this.#rest = this.#rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([this.#rest, chunk]);
    for (let item = this.#next(); item; item = this.#next()) yield item;
  }

  #next(): StreamItem | undefined {
    if (this.#wanted === null) {
      while (this.#rest[0] === LF) this.#rest = this.#rest.subarray(1);
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
    const bodyAt = this.#bodyAt();
    if (bodyAt === null) {
      if (this.#rest.length > MESSAGE_BYTES_MAX) throw oversized();
      this.#searched = Math.max(0, this.#rest.length - 3);
      return null;
    }
    const head = this.#rest.toString("latin1", 0, bodyAt);
    const garbage = BEGINS_MESSAGE.test(head) ? -1 : head.search(LATER_MESSAGE);
    if (garbage >= 0) return garbage + 1;
    const bodyBytes = contentLengthOf(headOf(head)?.text ?? head);
    if (typeof bodyBytes === "string") {
      const following = this.#rest.toString("latin1", bodyAt, bodyAt + START_LINE_BYTES_MAX);
      if (BEGINS_REQUEST.test(following)) return bodyAt;
      throw new UnframedStream(bodyBytes);
    }
    if (bodyAt + bodyBytes > MESSAGE_BYTES_MAX) throw oversized();
    return bodyAt + bodyBytes;
  }

  /** The first line determines the line ending of the whole head. */
  #bodyAt(): number | null {
    const firstLineEnd = this.#rest.indexOf(LF);
    const end = this.#rest[firstLineEnd - 1] === CR ? HEAD_END : HEAD_END_LF;
    const at = firstLineEnd < 0 ? -1 : this.#rest.indexOf(end, this.#searched);
    return at < 0 ? null : at + end.length;
  }
}

const oversized = () => new UnframedStream(`a message above ${MESSAGE_BYTES_MAX} bytes`);

/** Size of the body, or an error message. */
function contentLengthOf(head: string): number | string {
  const unfolded = head.replace(/\r\n[ \t]+/g, " ");
  const [length, ...others] = [...unfolded.matchAll(LENGTH_LINES)].map((line) => line[1] ?? "");
  if (length === undefined) return "no Content-Length";
  if (others.length > 0) return "two Content-Lengths";
  return /^\d{1,9}[ \t]*$/.test(length) ? Number(length) : "bad Content-Length";
}
