/** What another process has used, from proc(5): works however loaded the machine is. */
import { readFileSync } from "node:fs";

const CLOCK_TICKS_PER_SECOND = 100;

/** utime + stime of a process and its threads, seconds. */
export function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / CLOCK_TICKS_PER_SECOND;
}

export interface Resident {
  /** Megabytes in all; of them its own (heaps, stacks); of them pages of files, which the kernel
   * drops when it needs room. */
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
