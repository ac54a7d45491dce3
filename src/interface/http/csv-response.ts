/** CSV as an answer that is made while it is sent: bounded memory, whatever its length. */
import { sleep, systemClock } from "../../core/clock.ts";

const CHUNK_CHARACTERS = 32 * 1024;

/** Takes lines without line ends. If the reader goes away, the generator stops. */
export function csvResponse(lines: AsyncGenerator<string>, filename: string): Response {
  return new Response(streamOf(chunksOf(lines)), {
    headers: {
      "content-type": "text/csv; charset=utf-8; header=present",
      "content-disposition": `attachment; filename="${filename}"`,
    },
  });
}

async function* chunksOf(lines: AsyncGenerator<string>): AsyncGenerator<string> {
  let text = "";
  for await (const line of lines) {
    text += `${line}\r\n`;
    if (text.length < CHUNK_CHARACTERS) continue;
    yield text;
    text = "";
  }
  if (text !== "") yield text;
}

/**
 * The pieces as a response body. Other work runs between two pieces: the database answers at once,
 * so awaiting it alone would block every call until the last piece is sent.
 */
export function streamOf(pieces: AsyncIterable<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const iterator = pieces[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      await sleep(systemClock, 0);
      const { value, done } = await iterator.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await iterator.return?.();
    },
  });
}
