/**
 * Builds the single executable dist/linevoice: generated sources first, then one compile with every
 * worker as an entry point. `--if-changed` does nothing when no input changed since the last build.
 *
 * Server code is never minified (it breaks Elysia's analysis of handlers), and the binary reads
 * neither .env nor bunfig.toml of the directory it runs in.
 */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, rename } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { generateSources } from "./generate.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const outfile = `${root}dist/linevoice`;
const stamp = `${root}dist/.build-stamp`;

async function inputHash(): Promise<string> {
  const hash = createHash("sha256");
  const globs = [
    "src/**/*",
    "migrations/*.sql",
    "scripts/*.ts",
    "package.json",
    "package-lock.json",
  ];
  for (const pattern of globs) {
    const files = (await Array.fromAsync(new Bun.Glob(pattern).scan({ cwd: root }))).sort();
    for (const file of files) hash.update(file).update(await Bun.file(root + file).bytes());
  }
  return hash.digest("hex");
}

async function isCurrent(hash: string): Promise<boolean> {
  return existsSync(outfile) && existsSync(stamp) && (await Bun.file(stamp).text()) === hash;
}

await generateSources();
const hash = await inputHash();
if (!(process.argv.includes("--if-changed") && (await isCurrent(hash)))) {
  await mkdir(`${root}dist`, { recursive: true });
  const result = await Bun.build({
    entrypoints: [
      `${root}src/main.ts`,
      `${root}src/worker/call.worker.ts`,
      `${root}src/worker/speech.worker.ts`,
      `${root}src/worker/encoder.worker.ts`,
      `${root}src/worker/database.worker.ts`,
    ],
    root: `${root}src`,
    target: "bun",
    format: "esm",
    bytecode: true,
    minify: false,
    compile: { outfile: `${outfile}.new`, autoloadDotenv: false, autoloadBunfig: false },
  });
  if (!result.success) throw new AggregateError(result.logs, "build failed");
  await rename(`${outfile}.new`, outfile);
  await Bun.write(stamp, hash);
  console.error(`built dist/linevoice (${Math.round(Bun.file(outfile).size / 1e6)} MB)`);
}
