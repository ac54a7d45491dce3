/**
 * Preloaded into a call worker: reports the longest turn of its event loop every 100 ms, in ms of CPU
 * time (event-loop-meter.ts).
 */
import { readlinkSync } from "node:fs";
import { startEventLoopMeter } from "./event-loop-meter.ts";

export const TURNS_CHANNEL = "turns-of-call-workers";

export interface TurnReport {
  /** Path of the thread below /proc. */
  readonly thread: string;
  readonly longestMs: number;
}

const REPORT_EVERY_MS = 100;

if (!Bun.isMainThread) {
  const meter = startEventLoopMeter();
  const channel = new BroadcastChannel(TURNS_CHANNEL);
  const thread = readlinkSync("/proc/thread-self");
  setInterval(() => {
    const report: TurnReport = { thread, longestMs: meter.longestMs() };
    channel.postMessage(report);
  }, REPORT_EVERY_MS);
}
