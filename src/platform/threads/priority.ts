/**
 * Threads that only have to be done some time give way to those that keep time: on a machine whose
 * cores are all busy, audio goes first, then signalling. A thread of Linux has a nice value of its own, which threads that
 * it starts inherit (sched(7)). Giving way needs no privilege; going first needs RLIMIT_NICE or CAP_SYS_NICE. Where
 * the system refuses (another system, a stricter sandbox), all run as before.
 */
import { readdirSync, readlinkSync } from "node:fs";
import { getPriority, setPriority } from "node:os";

/** A third of the processor that somebody else with work gets. */
const LOWERED_STEPS = 5;
/** Ten times as much of it as the process's ordinary threads. */
const SIGNALLING_STEPS = 10;
/** Three times as much of it as signalling. */
const AUDIO_STEPS = 15;
const NICE_MIN = -20;
const NICE_MAX = 19;

/** Of the main thread; null: as it was started. */
let ordinaryNice: number | null = null;

/** These two are for the calling thread alone. */
export const lowerThreadPriority = (): boolean => changeNice(LOWERED_STEPS);
/** A unit of an older version permits fewer steps. */
export const raiseAudio = (): boolean => changeNice(-AUDIO_STEPS) || changeNice(-SIGNALLING_STEPS);

/**
 * Of the main thread, before it starts others: raises it with the runtime's compilers and collectors, for which it
 * waits: at a lower priority than its own they held it up for longer than they were worth.
 */
export function raiseSignalling(): void {
  const before = getPriority();
  if (!changeNice(-SIGNALLING_STEPS)) return;
  ordinaryNice = before;
  for (const thread of readdirSync("/proc/self/task").map(Number))
    if (thread !== process.pid) changeNice(-SIGNALLING_STEPS, thread);
}

/** What the main thread starts here, a thread or a process, has no part in its priority. */
export function atOrdinaryPriority<Started>(start: () => Started): Started {
  if (ordinaryNice === null) return start();
  setPriority(process.pid, ordinaryNice);
  try {
    return start();
  } finally {
    changeNice(-SIGNALLING_STEPS);
  }
}

/** Default: of the calling thread. Returns whether the system allows it. */
function changeNice(steps: number, other?: number): boolean {
  try {
    const thread = other ?? Number(readlinkSync("/proc/thread-self").split("/").at(-1));
    const nice = getPriority(thread) + steps;
    setPriority(thread, Math.max(NICE_MIN, Math.min(NICE_MAX, nice)));
    return true;
  } catch {
    return false;
  }
}
