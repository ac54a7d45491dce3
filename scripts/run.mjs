/** Runs dist/linevoice with the given arguments; signals and the exit code pass through. */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const binary = fileURLToPath(new URL("../dist/linevoice", import.meta.url));
const child = spawn(binary, process.argv.slice(2), { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("exit", (code, signal) => process.exit(signal ? 1 : (code ?? 1)));
