/**
 * Time that a thread of this process has waited for a processor. On an overloaded machine, threads
 * wait most of the time.
 */
import { readdirSync, readFileSync } from "node:fs";

/**
 * Milliseconds since its start, for the thread that waited longest (proc(5), schedstat); 0 if the
 * system does not report it. The sum over all threads would grow with their number, even on an idle
 * machine.
 */
export function processorWaitMs(): number {
  try {
    return Math.max(...readdirSync("/proc/self/task").map(waitOf));
  } catch {
    return 0;
  }
}

function waitOf(thread: string): number {
  try {
    const [, waitedNs] = readFileSync(`/proc/self/task/${thread}/schedstat`, "utf8").split(" ");
    return Number(waitedNs) / 1e6;
  } catch {
    return 0; // The thread has ended in the meantime.
  }
}
