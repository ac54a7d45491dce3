/**
 * A thread that raises or lowers its priority, and reports its own nice value and that of the
 * process's main thread.
 */
import { readFileSync, readlinkSync } from "node:fs";
import { lowerThreadPriority, raiseAudio } from "../../../src/platform/threads/priority.ts";

declare const self: Worker;

/** Field 19 of /proc/…/stat. Names may contain spaces, so fields are counted after the name. */
function niceOf(task: string): number {
  const stat = readFileSync(`/proc/${task}/stat`, "utf8");
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[16]);
}

self.onmessage = ({ data: isFirst }: MessageEvent<boolean>) => {
  if (isFirst) raiseAudio();
  else lowerThreadPriority();
  const own = readlinkSync("/proc/thread-self");
  self.postMessage({ own: niceOf(own), main: niceOf(`${process.pid}/task/${process.pid}`) });
};
