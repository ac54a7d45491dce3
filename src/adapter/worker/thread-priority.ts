/**
 * Threads that only have to be done some time give way to those that keep time: on a machine whose
 * cores are all busy, audio leaves first. A thread of Linux has a nice value of its own (sched(7)).
 * Giving way needs no privilege; going first needs RLIMIT_NICE or CAP_SYS_NICE. Where the system
 * refuses (another system, a stricter sandbox), the thread runs as before.
 */
import { readlinkSync } from "node:fs";
import { getPriority, setPriority } from "node:os";

/** A third of the processor that somebody else with work gets. */
const LOWERED_STEPS = 5;
/** Ten times as much of it as the process's other threads. */
const RAISED_STEPS = 10;
const NICE_MIN = -20;
const NICE_MAX = 19;

export const lowerThreadPriority = (): void => changeNice(LOWERED_STEPS);
export const raiseThreadPriority = (): void => changeNice(-RAISED_STEPS);

/** From the process's nice value, for the calling thread alone. */
function changeNice(steps: number): void {
  try {
    const thread = Number(readlinkSync("/proc/thread-self").split("/").at(-1));
    const nice = getPriority(process.pid) + steps;
    setPriority(thread, Math.max(NICE_MIN, Math.min(NICE_MAX, nice)));
  } catch {
    // As before.
  }
}
