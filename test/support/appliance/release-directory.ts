/**
 * Release directories for install.sh in the format of `npm run release`: program, script,
 * configuration, unit, their checksums, and a signature by the test's key.
 */
import { expect } from "bun:test";
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "../../..");

/**
 * Creates the directory `name` in `releases`. `put` writes the program and its neighbouring files;
 * `who` signs.
 */
export function makeRelease(
  releases: string,
  name: string,
  put: (file: string) => void,
  who: "ours" | "theirs" | null = "ours",
) {
  const directory = join(releases, name);
  mkdirSync(directory);
  for (const part of ["install.sh", "config", "systemd"])
    cpSync(join(ROOT, part), join(directory, part), { recursive: true });
  put(join(directory, "linevoice"));
  chmodSync(join(directory, "linevoice"), 0o755);
  const key = who && keyOf(who, releases);
  if (key) {
    const [type, text] = readFileSync(`${key}.pub`, "utf8").split(" ");
    const signers = `releases@linevoice namespaces="linevoice-release" ${type} ${text}\n`;
    writeFileSync(join(directory, "release-signers"), signers);
  }
  const listed = "find . -type f ! -name 'SHA256SUMS*' -printf '%P\\n' | sort | xargs sha256sum";
  const sums = Bun.spawnSync(["sh", "-c", listed], { cwd: directory });
  writeFileSync(join(directory, "SHA256SUMS"), sums.stdout);
  if (key) keygen("-Y", "sign", "-f", key, "-n", "linevoice-release", `${directory}/SHA256SUMS`);
}

/** Stores the compiled program `binary` as `file`. */
export function putBuilt(binary: string, file: string) {
  cpSync(binary, file);
}

function keyOf(who: string, releases: string): string {
  const key = join(releases, `${who}.key`);
  if (!existsSync(key)) keygen("-t", "ed25519", "-N", "", "-C", who, "-f", key);
  return key;
}

function keygen(...args: readonly string[]) {
  const { exitCode, stderr } = Bun.spawnSync(["ssh-keygen", "-q", ...args]);
  expect({ exitCode, stderr: exitCode ? String(stderr) : "" }).toMatchObject({ exitCode: 0 });
}
