/**
 * Makes a fresh checkout ready with nothing but Node.js >= 20 and npm: installs the locked
 * dependencies when the lock changed, and repairs the bun binary where install scripts are off.
 * Runs before every npm script; does nothing (0.1 s) when all is in place. With `--offline` it
 * installs nothing, and ends only where nothing can run.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const stamp = `${root}node_modules/.bootstrap-stamp`;
const bun = `${root}node_modules/bun/bin/bun.exe`;

const wanted = createHash("sha256")
  .update(readFileSync(`${root}package-lock.json`))
  .update(process.platform + process.arch)
  .digest("hex");
const bunWorks = () => existsSync(bun) && spawnSync(bun, ["--version"]).status === 0;
const upToDate = () => existsSync(stamp) && readFileSync(stamp, "utf8") === wanted && bunWorks();

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
  // Bun's own script is run below; that of the tests' database server fails.
  const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const install = spawnSync("npm", ["ci", ...options], {
    cwd: root,
    stdio: ["ignore", 2, 2],
    shell: process.platform === "win32",
  });
  if (install.status !== 0) process.exit(install.status ?? 1);
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
