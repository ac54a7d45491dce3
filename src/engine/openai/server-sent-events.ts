/**
 * Parses server-sent events (WHATWG HTML, 9.2.6 "Interpreting an event stream"). Lines may have any
 * of the three endings and be split anywhere. Several `data` lines are one text. Comments are
 * ignored.
 *
 * One deviation: an event without its final blank line at the end of the stream is returned,
 * because some servers end so. The reader must check whether it is complete.
 */
const EVENT_CHARACTERS_MAX = 1024 * 1024;

export class EventTooLong extends Error {
  override readonly name = "EventTooLong";
}

export class ServerSentEvents {
  readonly #decoder = new TextDecoder();
  #rest = "";
  #data: string[] = [];
  #dataLength = 0;

  /** Returns the `data` of each event that is now complete. Throws EventTooLong. */
  push(bytes: Uint8Array): string[] {
    return this.#take(this.#decoder.decode(bytes, { stream: true }));
  }

  /** End of the stream: returns the rest. */
  end(): string[] {
    const events = this.#take(`${this.#decoder.decode()}\n`);
    const last = this.#dispatch();
    return last === null ? events : [...events, last];
  }

  #take(text: string): string[] {
    const events: string[] = [];
    this.#rest += text;
    for (;;) {
      const end = this.#rest.search(/[\r\n]/);
      if (end < 0) break;
      const isCr = this.#rest[end] === "\r";
      // A CR at the very end may be half of a CRLF: wait for more.
      if (isCr && end === this.#rest.length - 1) break;
      const line = this.#rest.slice(0, end);
      const ending = isCr && this.#rest[end + 1] === "\n" ? 2 : 1;
      this.#rest = this.#rest.slice(end + ending);
      const event = this.#line(line);
      if (event !== null) events.push(event);
    }
    this.#checkLength();
    return events;
  }

  #line(line: string): string | null {
    if (line === "") return this.#dispatch();
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    if (field.replace(/^\uFEFF/, "") !== "data") return null;
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    this.#data.push(value);
    this.#dataLength += value.length;
    return null;
  }

  #dispatch(): string | null {
    if (this.#data.length === 0) return null;
    const data = this.#data.join("\n");
    this.#data = [];
    this.#dataLength = 0;
    return data;
  }

  #checkLength(): void {
    if (this.#rest.length + this.#dataLength > EVENT_CHARACTERS_MAX) {
      throw new EventTooLong(`an event of more than ${EVENT_CHARACTERS_MAX} characters`);
    }
  }
}
