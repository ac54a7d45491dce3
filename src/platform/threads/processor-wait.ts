/** How long the threads of this process have waited for a processor: on a machine with too much work, most of the time. */
import { readdirSync, readFileSync } from "node:fs";

/** Milliseconds of all threads together since each was started (proc(5), schedstat); 0 where the system does not tell. */
export function processorWaitMs(): number {
  try {
    return readdirSync("/proc/self/task").reduce((sum, thread) => sum + waitOf(thread), 0);
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
