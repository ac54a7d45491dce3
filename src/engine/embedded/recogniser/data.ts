/**
 * Data of the transcriber's thread, compressed and embedded in the program. Written by
 * scripts/hearing-data.ts.
 */
import { readFileSync } from "node:fs";
import decoder from "./data/decoder.zst" with { type: "file" };
import encoder from "./data/encoder.zst" with { type: "file" };
import meaning from "./data/meaning.zst" with { type: "file" };
import runtime from "./data/runtime.zst" with { type: "file" };

const FILES = { decoder, encoder, meaning, runtime };

export const data = (name: keyof typeof FILES): Uint8Array =>
  Bun.zstdDecompressSync(readFileSync(FILES[name]));
