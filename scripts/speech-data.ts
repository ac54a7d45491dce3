/**
 * Generates `src/engine/embedded/data/` from node_modules: the speech synthesiser with its
 * languages, compressed. Deterministic, ignored by git, skipped if up to date.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "..");
const ESPEAK = join(ROOT, "node_modules/espeak-ng");
const OUTPUT = join(ROOT, "src/engine/embedded/data");
const PROGRAM = join(OUTPUT, "espeak-ng.zst");
const STAMP = join(OUTPUT, "stamp");
const LEVEL = 19;

/** Returns false if the files were up to date. */
export async function buildSpeechData(): Promise<boolean> {
  const stamp = `${LEVEL} ${readFileSync(join(ESPEAK, "package.json"), "utf8")}`;
  if (existsSync(PROGRAM) && existsSync(STAMP) && readFileSync(STAMP, "utf8") === stamp)
    return false;
  rmSync(OUTPUT, { recursive: true, force: true });
  mkdirSync(OUTPUT, { recursive: true });
  const program = readFileSync(join(ESPEAK, "dist/espeak-ng.wasm"));
  writeFileSync(PROGRAM, Bun.zstdCompressSync(program, { level: LEVEL }));
  writeFileSync(STAMP, stamp);
  return true;
}

if (import.meta.main) {
  console.log((await buildSpeechData()) ? "speech data written" : "speech data is up to date");
}
