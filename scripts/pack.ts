/**
 * Packs files for the web into one file that the binary embeds: one line of JSON (a `PackEntry` per
 * file), a newline, then the bodies one after another, each as brotli: the program makes gzip of it where that is asked for.
 * Deterministic.
 */
import { createHash } from "node:crypto";
import { brotliCompressSync, constants as zlib } from "node:zlib";

export interface PackEntry {
  /** The name under which it is served. */
  readonly name: string;
  readonly type: string;
  /** As the header has it, with its quotation marks. */
  readonly etag: string;
  /** Bytes unpacked. */
  readonly plain: number;
  /** Bytes of the body in the pack. */
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

/** Under a name that changes with its bytes. */
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
