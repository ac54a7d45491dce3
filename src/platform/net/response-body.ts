/**
 * Decompresses a response body, with a limit on the result (against decompression bombs). Megabytes
 * take a tenth of a second, on another thread.
 */
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate, type ZlibOptions } from "node:zlib";
import { OutboundHttpError } from "./outbound-http-error.ts";

export const tooLarge = (bytesMax: number) =>
  new OutboundHttpError("too_large", `the answer is larger than ${bytesMax} bytes`);

type Unpack = (raw: Buffer, limit: ZlibOptions) => Promise<Buffer>;
const unpackGzip: Unpack = promisify(gunzip);
const unpackDeflate: Unpack = promisify(inflate);
const unpackBrotli: Unpack = promisify(brotliDecompress);

/** `contentEncoding`: the header. Rejects with OutboundHttpError too_large or bad_response. */
export async function decompress(
  raw: Buffer,
  contentEncoding: string | undefined,
  bytesMax: number,
): Promise<Buffer> {
  const encoding = contentEncoding?.trim().toLowerCase() ?? "identity";
  const limit = { maxOutputLength: bytesMax };
  try {
    switch (encoding) {
      case "":
      case "identity":
        return raw;
      case "gzip":
      case "x-gzip":
        return await unpackGzip(raw, limit);
      case "deflate":
        return await unpackDeflate(raw, limit);
      case "br":
        return await unpackBrotli(raw, limit);
      default:
        throw new OutboundHttpError("bad_response", "the answer has an unknown content encoding");
    }
  } catch (error) {
    if (error instanceof OutboundHttpError) throw error;
    if ((error as { code?: string }).code === "ERR_BUFFER_TOO_LARGE") throw tooLarge(bytesMax);
    throw new OutboundHttpError("bad_response", "the answer does not decompress");
  }
}
