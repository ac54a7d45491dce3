/** Decompresses a response body, with a limit on what comes of it (against decompression bombs). */
import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib";
import { OutboundHttpError } from "./outbound-http-error.ts";

export const tooLarge = (bytesMax: number) =>
  new OutboundHttpError("too_large", `the answer is larger than ${bytesMax} bytes`);

/** `contentEncoding`: the header. Throws OutboundHttpError too_large or bad_response. */
export function decompress(
  raw: Buffer,
  contentEncoding: string | undefined,
  bytesMax: number,
): Buffer {
  const encoding = contentEncoding?.trim().toLowerCase() ?? "identity";
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
