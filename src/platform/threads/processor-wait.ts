/** How long a thread of this process has waited for a processor: on a machine with too much work, most of the time. */
import { readdirSync, readFileSync } from "node:fs";

/**
 * Milliseconds since it was started, of the thread that waited longest (proc(5), schedstat); 0 where the system does not
 * tell. All together would tell of many threads, not of a machine without room.
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
    return 0; // It has ended meanwhile.
  }
}
