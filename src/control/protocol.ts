/**
 * The control socket's protocol: newline-delimited JSON over `<data>/control.sock`. The client sends one line
 * per connection: `{"hello":PROTOCOL,"operation","input","user"}`. The server replies with
 * `{"ok":true,"result"}` or `{"ok":false,"error"}`. A follower gets `{"item"}` lines first.
 */
import { z } from "zod";

export const PROTOCOL = 2;
const LINE_BYTES_MAX = 1_048_576;

export const requestLine = z.object({
  hello: z.number(),
  operation: z.string().max(100),
  input: z.unknown(),
  /** Operating system user for the audit log. Missing: the client is an older version. */
  user: z.string().max(100).default(""),
});

export const answerLine = z.union([
  z.object({ item: z.unknown() }),
  z.object({ ok: z.literal(true), result: z.unknown() }),
  z.object({
    ok: z.literal(false),
    code: z.string(),
    message: z.string(),
    field: z.string().nullable(),
  }),
]);
export type AnswerLine = z.output<typeof answerLine>;

class LineTooLong extends Error {
  override readonly name = "LineTooLong";
}

/** Splits a byte stream into lines. Throws LineTooLong. */
export class LineReader {
  #rest = Buffer.alloc(0);

  push(chunk: Buffer): string[] {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    const lines: string[] = [];
    for (let end = this.#rest.indexOf(10); end >= 0; end = this.#rest.indexOf(10)) {
      lines.push(this.#rest.toString("utf8", 0, end));
      this.#rest = this.#rest.subarray(end + 1);
    }
    if (this.#rest.length > LINE_BYTES_MAX) throw new LineTooLong("a line is too long");
    return lines;
  }
}
