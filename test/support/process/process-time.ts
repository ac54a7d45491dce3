/** CPU times of another process's main thread, from the kernel. */
import { readFileSync } from "node:fs";

const NS_PER_MS = 1e6;
const SAMPLE_EVERY_MS = 2;
const IDLE_MS_MAX = 1;
const IDLE_FOR_MS = 30;
const IDLE_WITHIN_MS = 15_000;

/**
 * Milliseconds for which it ran, and for which it was ready but got no CPU. On a busy machine the
 * latter is most of a start. Zero for a process that has ended.
 */
export function mainThreadTime(pid: number): { readonly ranMs: number; readonly waitedMs: number } {
  try {
    const [ran = 0, waited = 0] = readFileSync(`/proc/${pid}/schedstat`, "utf8")
      .split(" ")
      .map((ns) => Number(ns) / NS_PER_MS);
    return { ranMs: ran, waitedMs: waited };
  } catch {
    return { ranMs: 0, waitedMs: 0 };
  }
}

/** An event loop sleeps between two turns, but not while it reads a file or waits for a CPU. */
const isAsleep = (pid: number): boolean =>
  / S /.test(readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\)/, ""));

/**
 * Longest time in ms of CPU time for which the process's event loop was blocked while `work` ran
 * and until it was idle again. Never too short; two turns count as one unless the loop was seen
 * asleep between them.
 */
export async function longestTurnDuring(pid: number, work: () => Promise<void>): Promise<number> {
  let isDone = false;
  const working = work().finally(() => {
    isDone = true;
  });
  const limitMs = performance.now() + IDLE_WITHIN_MS;
  let longestMs = 0;
  let asleepMs = mainThreadTime(pid).ranMs;
  let idle = { ranMs: asleepMs, sinceMs: performance.now() };
  while (!(isDone && performance.now() - idle.sinceMs > IDLE_FOR_MS)) {
    if (performance.now() > limitMs) throw new Error("the main thread never became idle");
    await Bun.sleep(SAMPLE_EVERY_MS);
    const wasAsleep = isAsleep(pid);
    const { ranMs } = mainThreadTime(pid);
    longestMs = Math.max(longestMs, ranMs - asleepMs);
    if (wasAsleep) asleepMs = ranMs;
    if (!isDone || ranMs - idle.ranMs > IDLE_MS_MAX) idle = { ranMs, sinceMs: performance.now() };
  }
  await working;
  return longestMs;
}
