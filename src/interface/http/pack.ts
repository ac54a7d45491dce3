/** Serves files from a pack that the build embedded in the binary (scripts/pack.ts). */
import { createHash } from "node:crypto";

interface PackEntry {
  readonly name: string;
  readonly type: string;
  readonly etag: string;
  readonly gzip: number;
  readonly brotli: number;
}

/** One file in each encoding. */
export interface PackedAsset {
  readonly type: string;
  readonly etag: string;
  readonly gzip: Uint8Array<ArrayBuffer>;
  /** null: made while the program runs. */
  readonly brotli: Uint8Array<ArrayBuffer> | null;
}

const NEWLINE = 10;

async function unpack(file: string): Promise<ReadonlyMap<string, PackedAsset>> {
  const bytes = new Uint8Array(await Bun.file(file).arrayBuffer());
  const end = bytes.indexOf(NEWLINE);
  const index = JSON.parse(new TextDecoder().decode(bytes.subarray(0, end))) as PackEntry[];
  let at = end + 1;
  const next = (length: number) => {
    at += length;
    return bytes.subarray(at - length, at);
  };
  return new Map(
    index.map((entry) => [
      entry.name,
      {
        type: entry.type,
        etag: entry.etag,
        gzip: next(entry.gzip),
        brotli: next(entry.brotli),
      },
    ]),
  );
}

/** Returns a reader of a pack. The file is read at the first request and then kept in memory. */
export function openPack(file: string): () => Promise<ReadonlyMap<string, PackedAsset>> {
  let unpacked: Promise<ReadonlyMap<string, PackedAsset>> | null = null;
  return () => {
    unpacked ??= unpack(file);
    return unpacked;
  };
}

/** What the program itself wrote, as if it had come from a pack. */
export function packedText(type: string, text: string): PackedAsset {
  const etag = `"${createHash("sha256").update(text).digest("hex").slice(0, 32)}"`;
  return { type, etag, gzip: Bun.gzipSync(text), brotli: null };
}

/** Responds in the best encoding that the client accepts; 304 if it has this version. */
export function packedResponse(
  asset: PackedAsset,
  request: Request,
  headersOfSite: Readonly<Record<string, string>>,
): Response {
  const accepted = request.headers.get("accept-encoding") ?? "";
  const { type, etag } = asset;
  const headers = { ...headersOfSite, "content-type": type, etag, vary: "Accept-Encoding" };
  if (request.headers.get("if-none-match") === etag)
    return new Response(null, { status: 304, headers });
  if (asset.brotli && /\bbr\b/.test(accepted))
    return new Response(asset.brotli, { headers: { ...headers, "content-encoding": "br" } });
  if (/\bgzip\b/.test(accepted))
    return new Response(asset.gzip, { headers: { ...headers, "content-encoding": "gzip" } });
  return new Response(Bun.gunzipSync(asset.gzip), { headers });
}
