/** Packages whose bytes the program keeps compressed beside its code do as they did. */
import { expect, test } from "bun:test";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createDecoder, createEncoder } from "libopus-wasm";
import tokenizer from "llama-tokenizer-js";
import { TOTP } from "otpauth";
import { smallerPackages } from "../scripts/smaller-packages.ts";
import { tempDir } from "./support/temp-dir.ts";

interface Packages {
  createDecoder: typeof createDecoder;
  createEncoder: typeof createEncoder;
  tokenizer: typeof tokenizer;
  TOTP: typeof TOTP;
}

const at = (name: string) => JSON.stringify(fileURLToPath(import.meta.resolve(name)));
const ENTRY = `
export { createDecoder, createEncoder } from ${at("libopus-wasm")};
export { default as tokenizer } from ${at("llama-tokenizer-js")};
export { TOTP } from ${at("otpauth")};
`;
const SAMPLES = 320;
const CODE_BYTES_MAX = 150_000;

async function results({ createEncoder, createDecoder, tokenizer, TOTP }: Packages) {
  const encoder = await createEncoder({ sampleRate: 16_000, channels: 1 });
  const decoder = await createDecoder({ sampleRate: 16_000, channels: 1 });
  const tone = Int16Array.from({ length: SAMPLES }, (_, time) => 9_000 * Math.sin(time / 5));
  const packet = encoder.encode(tone, { frameSize: SAMPLES });
  const heard = decoder.decode(packet);
  const tokens = tokenizer.encode("Which river is the longest?");
  const token = new TOTP({ secret: "JBSWY3DPEHPK3PXP" }).generate({ timestamp: 0 });
  return { packet, heard, tokens, text: tokenizer.decode(tokens), token };
}

test("packages that are made smaller answer as before, and are small and plain", async () => {
  const directory = tempDir();
  const [entry, outdir] = [join(directory, "entry.ts"), join(directory, "out")];
  writeFileSync(entry, ENTRY);
  const built = await Bun.build({
    ...{ entrypoints: [entry], outdir, target: "bun", minify: { whitespace: true } },
    ...{ root: directory, publicPath: `${outdir}/`, plugins: [smallerPackages] },
  });
  expect(built.success).toBe(true);
  const bundle = join(outdir, "entry.js");
  const code = await Bun.file(bundle).bytes();
  expect(code.length).toBeLessThan(CODE_BYTES_MAX);
  expect(code.every((byte) => byte < 128)).toBe(true);
  expect(readdirSync(outdir).length).toBe(4);
  const smaller: Packages = await import(bundle);
  const asBefore = await results({ createDecoder, createEncoder, tokenizer, TOTP });
  expect(await results(smaller)).toEqual(asBefore);
  expect(asBefore.text).toBe("Which river is the longest?");
});
