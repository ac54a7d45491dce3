/**
 * Reads a response body with size limits on the wire and after decompression (against decompression
 * bombs).
 */
import type { IncomingMessage } from "node:http";
import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib";
import { OutboundHttpError } from "./outbound-http-error.ts";

/** Rejects with OutboundHttpError too_large or bad_response. */
export async function readBody(response: IncomingMessage, bytesMax: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const isWhole = await take(response, bytesMax, (chunk) => chunks.push(chunk));
  if (!isWhole) throw tooLarge(bytesMax);
  return decompress(Buffer.concat(chunks), response, bytesMax);
}

/**
 * Reads and discards the body. Resolves at its end or after `bytesMax`; rejects if the response
 * breaks off.
 */
export async function skipBody(response: IncomingMessage, bytesMax: number): Promise<void> {
  await take(response, bytesMax, () => undefined);
}

const tooLarge = (bytesMax: number) =>
  new OutboundHttpError("too_large", `the answer is larger than ${bytesMax} bytes`);

/** Returns false if there is more than `bytesMax`. */
function take(
  response: IncomingMessage,
  bytesMax: number,
  keep: (chunk: Buffer) => void,
): Promise<boolean> {
  return new Promise((done, fail) => {
    let size = 0;
    response.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > bytesMax) done(false);
      else keep(chunk);
    });
    response.on("end", () => done(true));
    response.on("error", fail);
    response.on("close", () => {
      if (!response.readableEnded)
        fail(new OutboundHttpError("bad_response", "the answer broke off"));
    });
  });
}

function decompress(raw: Buffer, response: IncomingMessage, bytesMax: number): Buffer {
  const encoding = response.headers["content-encoding"]?.trim().toLowerCase() ?? "identity";
  const limit = { maxOutputLength: bytesMax };
  try {
    switch (encoding) {
      case "":
      case "identity":
        return raw;
      case "gzip":
      case "x-gzip":
        return gunzipSync(raw, limit);
      case "deflate":
        return inflateSync(raw, limit);
      case "br":
        return brotliDecompressSync(raw, limit);
      default:
        throw new OutboundHttpError("bad_response", "the answer has an unknown content encoding");
    }
  } catch (error) {
    if (error instanceof OutboundHttpError) throw error;
    if ((error as { code?: string }).code === "ERR_BUFFER_TOO_LARGE") throw tooLarge(bytesMax);
    throw new OutboundHttpError("bad_response", "the answer does not decompress");
  }
}
