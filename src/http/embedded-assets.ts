/** Serves files from a pack that the build embedded in the binary (scripts/pack.ts). */
import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { brotliDecompress, gzip as gzipCallback } from "node:zlib";
import { namesVersion } from "./versions.ts";

interface PackEntry {
  readonly name: string;
  readonly type: string;
  readonly etag: string;
  readonly brotli: number;
}

/** One file in each encoding. */
export interface PackedAsset {
  readonly type: string;
  readonly etag: string;
  gzip(): Promise<Uint8Array<ArrayBuffer>>;
  /** null: generated at run time. */
  readonly brotli: Uint8Array<ArrayBuffer> | null;
}

const NEWLINE = 10;

// Asynchronous versions run in the thread pool, so a large file blocks nothing.
const compress = promisify(gzipCallback);
const decompress = promisify(brotliDecompress);

async function unpack(file: string): Promise<ReadonlyMap<string, PackedAsset>> {
  const bytes = new Uint8Array(await Bun.file(file).arrayBuffer());
  const end = bytes.indexOf(NEWLINE);
  const index = JSON.parse(new TextDecoder().decode(bytes.subarray(0, end))) as PackEntry[];
  let at = end + 1;
  return new Map(
    index.map(({ name, type, etag, brotli: length }) => {
      const brotli = bytes.subarray(at, at + length);
      at += length;
      return [name, { type, etag, gzip: remade(brotli), brotli }];
    }),
  );
}

/** Created at the first request without brotli (browsers without TLS), then kept. */
function remade(brotli: Uint8Array): PackedAsset["gzip"] {
  let made: Promise<Uint8Array<ArrayBuffer>> | null = null;
  return () => {
    made ??= decompress(brotli).then((plain) => compress(plain));
    return made;
  };
}

/** Returns a reader of a pack. The file is read at the first request and then kept in memory. */
export function openEmbeddedAssets(file: string): () => Promise<ReadonlyMap<string, PackedAsset>> {
  let unpacked: Promise<ReadonlyMap<string, PackedAsset>> | null = null;
  return () => {
    unpacked ??= unpack(file);
    return unpacked;
  };
}

/** Wraps a generated text as a packed asset. */
export function packedText(type: string, text: string): PackedAsset {
  const etag = `"${createHash("sha256").update(text).digest("hex").slice(0, 32)}"`;
  const gzip = Bun.gzipSync(text);
  return { type, etag, gzip: async () => gzip, brotli: null };
}

/** Responds in the best encoding that the client accepts; 304 if it has this version. */
export async function packedResponse(
  asset: PackedAsset,
  request: Request,
  headersOfSite: Readonly<Record<string, string>>,
): Promise<Response> {
  const accepted = request.headers.get("accept-encoding") ?? "";
  const { type, etag } = asset;
  const headers = { ...headersOfSite, "content-type": type, etag, vary: "Accept-Encoding" };
  const known = request.headers.get("if-none-match");
  if (known !== null && namesVersion(known, etag))
    return new Response(null, { status: 304, headers });
  if (asset.brotli && /\bbr\b/.test(accepted))
    return new Response(asset.brotli, { headers: { ...headers, "content-encoding": "br" } });
  if (/\bgzip\b/.test(accepted))
    return new Response(await asset.gzip(), {
      headers: { ...headers, "content-encoding": "gzip" },
    });
  return new Response(Bun.gunzipSync(await asset.gzip()), { headers });
}
