/**
 * Threads that only have to be done some time give way to those that keep time: on a machine whose
 * cores are all busy, audio leaves first. A thread of Linux has a nice value of its own (sched(7)), and
 * raising it needs no privilege.
 */
import { readlinkSync } from "node:fs";
import { getPriority, setPriority } from "node:os";

/** A third of the processor that somebody else with work gets. */
const STEPS = 5;
const NICE_MAX = 19;

/**
 * Raises the calling thread's nice value above its process's. Where that cannot be
 * done (another system, a stricter sandbox), the thread runs as before.
 */
export function lowerThreadPriority(): void {
  try {
    const thread = Number(readlinkSync("/proc/thread-self").split("/").at(-1));
    setPriority(thread, Math.min(NICE_MAX, getPriority(process.pid) + STEPS));
  } catch {
    // As before.
  }
}
