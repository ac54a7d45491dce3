/** Runs the pinned bun with the given arguments; signals and the exit code pass through. */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const bun = fileURLToPath(new URL("../node_modules/bun/bin/bun.exe", import.meta.url));
const child = spawn(bun, process.argv.slice(2), { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("exit", (code, signal) => process.exit(signal ? 1 : (code ?? 1)));
