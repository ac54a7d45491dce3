/**
 * A process that raises its signalling priority first, as `serve` does. Prints nice values as JSON:
 * before; then of the main thread, the runtime's threads (once each), a worker and a child process;
 * then of the main thread again.
 */
import { readdirSync } from "node:fs";
import { getPriority } from "node:os";
import { atOrdinaryPriority, raiseSignalling } from "../../../src/platform/threads/priority.ts";

const before = getPriority();
raiseSignalling();
const main = getPriority();
const threads = readdirSync("/proc/self/task").map((thread) => getPriority(Number(thread)));
const runtime = [...new Set(threads)];
const worker = await new Promise((resolve) => {
  const thread = atOrdinaryPriority(
    () => new Worker(new URL("./niced-thread.ts", import.meta.url).href),
  );
  thread.addEventListener("message", ({ data }) => resolve(data.own - 5));
  thread.postMessage(false);
});
const child = atOrdinaryPriority(() => Bun.spawnSync(["cat", "/proc/self/stat"]));
const program = Number(child.stdout.toString().split(" ")[18]);
console.log(JSON.stringify({ before, main, runtime, worker, program, after: getPriority() }));
process.exit(0);
