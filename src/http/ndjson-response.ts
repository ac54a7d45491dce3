/** Streams JSON lines as they become available. A failure before the first line returns a normal error. */
export const NDJSON = "application/x-ndjson";

/** `work` passes lines while it runs; its result is the last line. */
export async function ndjsonResponse(
  work: (line: (value: unknown) => void) => Promise<unknown>,
): Promise<Response> {
  const encoder = new TextEncoder();
  const started = Promise.withResolvers<void>();
  let reader: ReadableStreamDefaultController<Uint8Array> | null = null;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      reader = controller;
    },
    cancel() {
      reader = null;
    },
  });
  const send = (value: unknown) => {
    reader?.enqueue(encoder.encode(`${JSON.stringify(value)}\n`));
    started.resolve();
  };
  const done = work(send).then(send);
  done.then(
    () => reader?.close(),
    (error) => reader?.error(error),
  );
  await Promise.race([started.promise, done]);
  return new Response(body, { headers: { "content-type": NDJSON } });
}
