/** Resource usage of another process from proc(5). Works under any load. */
import { readdirSync, readFileSync } from "node:fs";

const CLOCK_TICKS_PER_SECOND = 100;

/** CPU time (utime + stime) of a process and its threads, in seconds. */
export function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / CLOCK_TICKS_PER_SECOND;
}

/** Time for which the first thread of a process ran, and for which it waited for a CPU. */
export function mainThreadTimes(pid = process.pid): {
  readonly ranMs: number;
  readonly waitedMs: number;
} {
  const stat = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8");
  const [ran = 0, waited = 0] = stat.split(" ").map(Number);
  return { ranMs: ran / 1e6, waitedMs: waited / 1e6 };
}

export interface Resident {
  /** Memory in MB: total; its own (heaps, stacks); file pages, which the kernel can drop. */
  readonly all: number;
  readonly own: number;
  readonly files: number;
}

export function residentMemory(pid: number): Resident {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const megabytes = (name: string) =>
    Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024;
  return { all: megabytes("VmRSS"), own: megabytes("RssAnon"), files: megabytes("RssFile") };
}

/** The process ids of a process and all its current descendants. */
export function processTree(pid: number): number[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync("/proc")) {
    const parent = /^\d+$/.test(name) ? parentOf(Number(name)) : null;
    if (parent !== null) children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const below = (of: number): number[] => [of, ...(children.get(of) ?? []).flatMap(below)];
  return below(pid);
}

function parentOf(pid: number): number | null {
  try {
    return Number(/PPid:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0);
  } catch {
    return null; // the process has already ended
  }
}
