/**
 * `npm run release`: dist/release/linevoice-<version>-linux-{x64,arm64}.tar.xz, each with the
 * program, install.sh, unit, configuration, documents, the software inventory (CycloneDX) and
 * SHA256SUMS. The inventory and the archives' checksums are also separate files. The same commit
 * gives the same bytes: sorted names, fixed owners and times (the commit's), xz with one thread.
 * `npm run soak release` builds twice and compares.
 *
 * LINEVOICE_SIGNING_KEY is the path of the maintainers' private key (docs/upgrade.md explains how
 * to create it). With it, each archive has a signature, and the SHA256SUMS inside is signed;
 * `release-signers` contains the public key. Without it the release is unsigned, and --upgrade
 * needs --unsigned.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import manifest from "../package.json" with { type: "json" };
import { type CompileTarget, compile, sha256Of } from "./compile.ts";
import { generateSources } from "./generate.ts";
import { inventoryOf } from "./inventory.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
/** Tests write their release to another directory. */
const out = process.env.LINEVOICE_RELEASE_DIR ?? join(root, "dist/release");

/**
 * A program that a test has already built for this machine. The bytes equal those of a build here.
 */
const builtProgram = process.env.LINEVOICE_RELEASE_PROGRAM;

const signingKey = process.env.LINEVOICE_SIGNING_KEY;
/** Signer's name that install.sh expects. */
const SIGNER = "releases@linevoice";
const NAMESPACE = "linevoice-release";

const CONTENTS = [
  ...["install.sh", "README.md", "LICENSE", "CHANGELOG.md", "THIRD_PARTY.md", "SECURITY.md"],
  ...["config", "systemd", "docs"],
];
const TARGETS: Readonly<Record<string, CompileTarget>> = {
  x64: "bun-linux-x64",
  arm64: "bun-linux-arm64",
};

async function run(command: string[], cwd: string): Promise<string> {
  const child = Bun.spawn(command, { cwd, stdin: "ignore", stdout: "pipe", stderr: "inherit" });
  const text = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error(`${command.join(" ")} failed`);
  return text;
}

/** Seconds since the epoch: the commit's time, or SOURCE_DATE_EPOCH. */
async function sourceTime(): Promise<number> {
  const given = process.env.SOURCE_DATE_EPOCH;
  return Number(given ?? (await run(["git", "log", "-1", "--format=%ct"], root)).trim());
}

function filesBelow(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: "utf8" })
    .filter((name) => statSync(join(directory, name)).isFile())
    .sort();
}

/** The allowed-signers file for `ssh-keygen -Y verify`. */
async function allowedSigners(): Promise<string> {
  const publicKey = await run(["ssh-keygen", "-y", "-f", signingKey ?? ""], root);
  const [type = "", key = ""] = publicKey.trim().split(" ");
  return `${SIGNER} namespaces="${NAMESPACE}" ${type} ${key}\n`;
}

/** Writes `<file>.sig`. */
async function sign(file: string): Promise<void> {
  await run(["ssh-keygen", "-q", "-Y", "sign", "-f", signingKey ?? "", "-n", NAMESPACE, file], out);
}

/**
 * The architecture's filter makes machine code a twelfth smaller. Tests set XZ_OPT for a faster
 * compression.
 */
function packer(arch: string): string {
  if (process.env.XZ_OPT !== undefined) return "xz";
  return `xz --${arch === "x64" ? "x86" : arch} --lzma2=preset=9e --threads=1`;
}

async function archive(arch: string, time: number, inventory: string): Promise<string> {
  const name = `linevoice-${manifest.version}-linux-${arch}`;
  const directory = join(out, name);
  mkdirSync(directory, { recursive: true });
  const target = TARGETS[arch];
  if (!target) throw new Error(`no such architecture: ${arch}. There are: x64, arm64`);
  const program = join(directory, "linevoice");
  if (builtProgram && arch === process.arch) cpSync(builtProgram, program);
  else await compile(program, target);
  for (const part of CONTENTS)
    if (existsSync(join(root, part)))
      cpSync(join(root, part), join(directory, part), { recursive: true });
  await Bun.write(join(directory, "linevoice.cdx.json"), inventory);
  if (signingKey) await Bun.write(join(directory, "release-signers"), await allowedSigners());
  const sums: string[] = [];
  for (const file of filesBelow(directory))
    sums.push(`${await sha256Of(join(directory, file))}  ${file}\n`);
  await Bun.write(join(directory, "SHA256SUMS"), sums.join(""));
  if (signingKey) await sign(join(directory, "SHA256SUMS"));
  const file = join(out, `${name}.tar.xz`);
  await run(
    [
      ...["tar", "--sort=name", "--owner=0", "--group=0", "--numeric-owner", `--mtime=@${time}`],
      ...["--mode=u+rwX,go+rX,go-w", `--use-compress-program=${packer(arch)}`, "-cf", file, name],
    ],
    out,
  );
  rmSync(directory, { recursive: true });
  return file;
}

if (!signingKey) console.warn("not signed: set LINEVOICE_SIGNING_KEY to the private key's file");
const asked = process.argv.slice(2);
const architectures = asked.length > 0 ? asked : Object.keys(TARGETS);
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
await generateSources();
const time = await sourceTime();
const files: string[] = [];
const listed = [
  "npm",
  "sbom",
  "--sbom-format",
  "cyclonedx",
  "--package-lock-only",
  "--omit",
  "dev",
];
const inventory = inventoryOf(await run(listed, root), time);
for (const arch of architectures) files.push(await archive(arch, time, inventory));
const inventoryFile = join(out, `linevoice-${manifest.version}.cdx.json`);
await Bun.write(inventoryFile, inventory);
files.push(inventoryFile);
const sums = await Promise.all(
  files.map(async (file) => `${await sha256Of(file)}  ${relative(out, file)}\n`),
);
await Bun.write(join(out, "SHA256SUMS"), sums.join(""));
if (signingKey) for (const file of files) await sign(file);
for (const line of sums) console.log(line.trim());
