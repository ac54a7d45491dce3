/** Streams CSV with constant memory. */
import { sleep, systemClock } from "../core/clock.ts";

const CHUNK_CHARACTERS = 32 * 1024;

/** Takes lines without line ends. If the client disconnects, the generator stops. */
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
 * Streams the pieces as a response body and yields to the event loop between them. Database results arrive
 * without a yield, so awaiting them alone would block all calls until the last piece.
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
