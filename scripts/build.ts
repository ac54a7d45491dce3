/**
 * Builds the single executable dist/linevoice, and dist/SHA256SUMS for install.sh: generated sources first, then
 * one compile. `--if-changed` does nothing when no input changed since the last build.
 */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { compile, sha256Of } from "./compile.ts";
import { generateSources } from "./generate.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const outfile = `${root}dist/linevoice`;
const checksums = `${root}dist/SHA256SUMS`;
const stamp = `${root}dist/.build-stamp`;

async function inputHash(): Promise<string> {
  const hash = createHash("sha256");
  const globs = [
    "src/**/*",
    "docs/**/*",
    "migrations/*.sql",
    "rehearsals/**/*",
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
  const made = [outfile, checksums, stamp].every((file) => existsSync(file));
  return made && (await Bun.file(stamp).text()) === hash;
}

await generateSources();
const hash = await inputHash();
if (!(process.argv.includes("--if-changed") && (await isCurrent(hash)))) {
  await mkdir(`${root}dist`, { recursive: true });
  await compile(outfile, null);
  await Bun.write(checksums, `${await sha256Of(outfile)}  linevoice\n`);
  await Bun.write(stamp, hash);
  console.error(`built dist/linevoice (${Math.round(Bun.file(outfile).size / 1e6)} MB)`);
}
