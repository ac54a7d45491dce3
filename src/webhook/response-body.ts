/** Reads an answer's body with caps, on the wire and after decompression (a small bomb is big inside). */
import type { IncomingMessage } from "node:http";
import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib";
import { GuardedHttpError } from "./guarded-http-error.ts";

/**
 * Rejects with GuardedHttpError too_large or bad_response. `truncate` keeps the beginning and leaves a
 * compressed body as it is: who truncates only looks at the status.
 */
export async function readBody(
  response: IncomingMessage,
  bytesMax: number,
  onTooLarge: "fail" | "truncate",
): Promise<Buffer> {
  const raw = await collect(response, bytesMax, onTooLarge);
  return onTooLarge === "truncate" ? raw : decompress(raw, response, bytesMax);
}

const tooLarge = (bytesMax: number) =>
  new GuardedHttpError("too_large", `the answer is larger than ${bytesMax} bytes`);

function collect(
  response: IncomingMessage,
  bytesMax: number,
  onTooLarge: "fail" | "truncate",
): Promise<Buffer> {
  return new Promise((done, fail) => {
    const chunks: Buffer[] = [];
    let size = 0;
    response.on("data", (chunk: Buffer) => {
      const room = bytesMax - size;
      chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
      size += Math.min(room, chunk.length);
      if (chunk.length <= room) return;
      if (onTooLarge === "fail") fail(tooLarge(bytesMax));
      else done(Buffer.concat(chunks));
    });
    response.on("end", () => done(Buffer.concat(chunks)));
    response.on("error", fail);
    response.on("close", () => {
      if (!response.readableEnded)
        fail(new GuardedHttpError("bad_response", "the answer broke off"));
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
        throw new GuardedHttpError("bad_response", "the answer has an unknown content encoding");
    }
  } catch (error) {
    if (error instanceof GuardedHttpError) throw error;
    if ((error as { code?: string }).code === "ERR_BUFFER_TOO_LARGE") throw tooLarge(bytesMax);
    throw new GuardedHttpError("bad_response", "the answer does not decompress");
  }
}
