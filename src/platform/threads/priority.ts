/**
 * Thread priorities: on a machine with all cores busy, audio comes first, then signalling, then
 * threads without time limits. On Linux each thread has its own nice value, which new threads
 * inherit (sched(7)). Lowering the priority needs no privilege; raising it needs RLIMIT_NICE or
 * CAP_SYS_NICE. If the system does not allow it (another system, a stricter sandbox), all run as
 * before.
 */
import { readdirSync, readlinkSync } from "node:fs";
import { getPriority, setPriority } from "node:os";

/** A third of the CPU time of an ordinary busy thread. */
const LOWERED_STEPS = 5;
/** Ten times the CPU time of the process's ordinary threads. */
const SIGNALLING_STEPS = 10;
/** Three times the CPU time of signalling. */
const AUDIO_STEPS = 15;
const NICE_MIN = -20;
const NICE_MAX = 19;

/** Original nice value of the main thread; null if unchanged. */
let ordinaryNice: number | null = null;

/** These two change only the calling thread. */
export const lowerThreadPriority = (): boolean => changeNice(LOWERED_STEPS);
/** The systemd unit of an older version permits fewer steps. */
export const raiseAudio = (): boolean => changeNice(-AUDIO_STEPS) || changeNice(-SIGNALLING_STEPS);

/**
 * Called by the main thread before it starts others. Also raises the runtime's compilers and
 * collectors, because the main thread waits for them: at a lower priority they would delay it.
 */
export function raiseSignalling(): void {
  const before = getPriority();
  if (!changeNice(-SIGNALLING_STEPS)) return;
  ordinaryNice = before;
  for (const thread of readdirSync("/proc/self/task").map(Number))
    if (thread !== process.pid) changeNice(-SIGNALLING_STEPS, thread);
}

/** Starts a thread or a process from the main thread without its raised priority. */
export function atOrdinaryPriority<Started>(start: () => Started): Started {
  if (ordinaryNice === null) return start();
  setPriority(process.pid, ordinaryNice);
  try {
    return start();
  } finally {
    changeNice(-SIGNALLING_STEPS);
  }
}

/** Default: the calling thread. Returns whether the system allows it. */
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
