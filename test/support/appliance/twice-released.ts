/**
 * `npm run soak release`: releases two clean clones of the same commit in directories with
 * different names; both must give the same bytes. If qemu-user-static and an arm64 C library are
 * installed, the arm64 program must serve, and its C thread must send packets. Takes about ten
 * minutes; exit 1 with the differences otherwise.
 */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
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

/** Checksums of a clone's release, by file. */
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
  const emulated = [qemu, "-L", LIBRARY, program];
  const version = (await run([...emulated, "version", "--json"], release)).trim();
  await armServes(emulated);
  return version;
}

/** Throws with its log unless it serves with all features that need the C library. */
async function armServes(emulated: readonly string[]): Promise<void> {
  const data = join(directory, "arm-data");
  mkdirSync(data);
  const config = join(directory, "arm.toml");
  writeFileSync(
    config,
    `[storage]\ndata_dir = "${data}"\n[server]\nlisten = "127.0.0.1:0"\nmetrics_listen = ""\n[sip]\nbind = "127.0.0.1:0"\n`,
  );
  const child = Bun.spawn([...emulated, "serve", "--config", config], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  let log = "";
  const decoder = new TextDecoder();
  const read = async (stream: ReadableStream<Uint8Array>) => {
    for await (const chunk of stream) {
      log += decoder.decode(chunk, { stream: true });
      if (log.includes('"app.started"')) child.kill();
    }
  };
  await Promise.all([read(child.stdout), read(child.stderr), child.exited]);
  if (!log.includes('"app.started"') || log.includes("_unavailable")) throw new Error(log);
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
