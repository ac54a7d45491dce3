/**
 * Makes src/features/knowledge/reader/data/pdfjs.zst: pdf.js, compressed to a quarter. Skipped if
 * the package did not change.
 */
import { existsSync, mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const LIBRARY = `${root}node_modules/unpdf/dist/pdfjs.mjs`;
const OUT = `${root}src/features/knowledge/reader/data`;

export async function buildPdfReader(): Promise<void> {
  const library = await Bun.file(LIBRARY).bytes();
  const stamp = new Bun.CryptoHasher("sha256").update(library).digest("hex");
  const [packed, stampFile] = [`${OUT}/pdfjs.zst`, `${OUT}/stamp`];
  const isMade = existsSync(packed) && existsSync(stampFile);
  if (isMade && (await Bun.file(stampFile).text()) === stamp) return;
  mkdirSync(OUT, { recursive: true });
  await Bun.write(packed, Bun.zstdCompressSync(library, { level: 22 }));
  await Bun.write(stampFile, stamp);
}
