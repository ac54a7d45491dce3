/** Serves files from a pack that the build embedded in the binary (scripts/pack.ts). */

interface PackEntry {
  readonly name: string;
  readonly type: string;
  readonly gzip: number;
  readonly brotli: number;
}

/** One file in each encoding. */
interface PackedAsset {
  readonly type: string;
  readonly gzip: Uint8Array<ArrayBuffer>;
  readonly brotli: Uint8Array<ArrayBuffer>;
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

/** Responds in the best encoding that the client accepts. */
export function packedResponse(
  asset: PackedAsset,
  request: Request,
  headersOfSite: Readonly<Record<string, string>>,
): Response {
  const accepted = request.headers.get("accept-encoding") ?? "";
  const headers = { ...headersOfSite, "content-type": asset.type, vary: "Accept-Encoding" };
  if (/\bbr\b/.test(accepted))
    return new Response(asset.brotli, { headers: { ...headers, "content-encoding": "br" } });
  if (/\bgzip\b/.test(accepted))
    return new Response(asset.gzip, { headers: { ...headers, "content-encoding": "gzip" } });
  return new Response(Bun.gunzipSync(asset.gzip), { headers });
}
