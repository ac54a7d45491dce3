/**
 * Server-sent events out of bytes (WHATWG HTML, 9.2.6 "Interpreting an event stream"): lines may end in
 * each of the three ways and be cut anywhere; several `data` lines are one text; comments say nothing.
 *
 * One departure: an event that the end of the stream cuts off before its blank line is handed out
 * all the same, because servers end so. Whether it is whole is the reader's to judge.
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

  /** The `data` of each event that is complete now. Throws EventTooLong. */
  push(bytes: Uint8Array): string[] {
    return this.#take(this.#decoder.decode(bytes, { stream: true }));
  }

  /** The stream has ended: what was left. */
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
      // A CR at the very end may be half of CRLF: wait for what follows.
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
