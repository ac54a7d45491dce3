/**
 * Packs web files into one file for the binary: one line of JSON (one `PackEntry` per file), a
 * newline, then the bodies in brotli. The program converts a body to gzip on request.
 * Deterministic.
 */
import { createHash } from "node:crypto";
import { brotliCompressSync, constants as zlib } from "node:zlib";

export interface PackEntry {
  /** Name in the URL. */
  readonly name: string;
  readonly type: string;
  /** Value of the `ETag` header, with quotation marks. */
  readonly etag: string;
  /** Uncompressed size in bytes. */
  readonly plain: number;
  /** Size of the body in the pack, in bytes. */
  readonly brotli: number;
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  json: "application/json",
  md: "text/markdown; charset=utf-8",
  png: "image/png",
  svg: "image/svg+xml",
  txt: "text/plain; charset=utf-8",
  webp: "image/webp",
  woff2: "font/woff2",
};

/** A file before packing. */
export interface PackedFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Names a file by a hash of its content. */
export function hashedFile(stem: string, extension: string, bytes: Uint8Array): PackedFile {
  const digest = createHash("sha256").update(bytes).digest("hex").slice(0, 8);
  return { name: `${stem}-${digest}.${extension}`, bytes };
}

export function packed(files: readonly PackedFile[]): Uint8Array {
  const index: PackEntry[] = [];
  const bodies: Uint8Array[] = [];
  for (const { name, bytes } of [...files].sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const brotli = brotliCompressSync(bytes, {
      params: { [zlib.BROTLI_PARAM_QUALITY]: 11, [zlib.BROTLI_PARAM_SIZE_HINT]: bytes.length },
    });
    index.push({
      name,
      type: CONTENT_TYPES[name.split(".").pop() ?? ""] ?? "application/octet-stream",
      etag: `"${createHash("sha256").update(bytes).digest("hex").slice(0, 32)}"`,
      plain: bytes.length,
      brotli: brotli.length,
    });
    bodies.push(brotli);
  }
  return Buffer.concat([Buffer.from(`${JSON.stringify(index)}\n`), ...bodies]);
}
