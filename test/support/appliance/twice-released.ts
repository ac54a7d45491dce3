/**
 * `npm run soak release`: two clean clones of the same commit in directories of different names, each
 * released from nothing, give the same bytes; the arm64 program runs where qemu-user-static and an arm64
 * C library are. Takes some ten minutes; exit 1 and the names of what differs otherwise.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = join(import.meta.dir, "../../..");
const LIBRARY = "/usr/aarch64-linux-gnu";
const directory = mkdtempSync(join(tmpdir(), "linevoice-twice-"));

async function run(command: string[], cwd: string): Promise<string> {
  const child = Bun.spawn(command, { cwd, stdin: "ignore", stdout: "pipe", stderr: "inherit" });
  const text = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error(`${command.join(" ")} failed in ${cwd}`);
  return text;
}

/** A clone's checksums, by file. */
async function released(name: string): Promise<string> {
  const clone = join(directory, name);
  await run(["git", "clone", "--quiet", root, clone], directory);
  await run(["npm", "run", "release"], clone);
  return readFileSync(join(clone, "dist/release/SHA256SUMS"), "utf8");
}

async function armRuns(release: string): Promise<string> {
  const qemu = Bun.which("qemu-aarch64-static");
  if (!qemu || !existsSync(LIBRARY))
    return "NOT RUN: apt-get install qemu-user-static libc6-arm64-cross";
  const archive = readdirSync(release).find((name) => name.endsWith("-arm64.tar.xz")) ?? "";
  await run(["tar", "-xf", archive], release);
  const program = join(release, archive.replace(".tar.xz", ""), "linevoice");
  return (await run([qemu, "-L", LIBRARY, program, "version", "--json"], release)).trim();
}

try {
  const one = await released("one");
  const other = await released("another/of-a-longer-name");
  process.stdout.write(one);
  if (one !== other) {
    console.error(`The second release differs:\n${other}`);
    process.exit(1);
  }
  console.log(`the same twice; arm64: ${await armRuns(join(directory, "one/dist/release"))}`);
} finally {
  rmSync(directory, { recursive: true, force: true });
}
