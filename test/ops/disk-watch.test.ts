/** The watermarks of the disk: below, at and above, with hysteresis. */
import { expect, test } from "bun:test";
import { silentLog } from "../../src/core/log.ts";
import {
  CALL_BYTES_MIN,
  type DiskLevel,
  RECORDING_BYTES_MIN,
  watchDisk,
} from "../../src/ops/disk-watch.ts";
import { fakeClock } from "../support/fake-clock.ts";

const LOOK_MS = 5_000;

test("each watermark is exact, and returning needs a tenth more", async () => {
  const clock = fakeClock();
  let free = RECORDING_BYTES_MIN;
  const watch = watchDisk({ freeBytes: () => free, clock, log: silentLog });
  const levels: [number, DiskLevel][] = [
    [RECORDING_BYTES_MIN, "ample"],
    [RECORDING_BYTES_MIN - 1, "no_recordings"],
    [RECORDING_BYTES_MIN * 1.05, "no_recordings"],
    [RECORDING_BYTES_MIN * 1.1, "ample"],
    [CALL_BYTES_MIN, "no_recordings"],
    [CALL_BYTES_MIN - 1, "no_calls"],
    [CALL_BYTES_MIN * 1.05, "no_calls"],
    [CALL_BYTES_MIN * 1.1, "no_recordings"],
    [0, "no_calls"],
    [RECORDING_BYTES_MIN * 2, "ample"],
  ];
  for (const [bytes, level] of levels) {
    free = bytes;
    await clock.advance(LOOK_MS);
    expect([bytes, watch.level]).toEqual([bytes, level]);
    expect(watch.mayRecord()).toBe(level === "ample");
    expect(watch.rejection() === null).toBe(level !== "no_calls");
    expect(watch.warning() === null).toBe(level !== "no_recordings");
  }
  watch.stop();
  expect(clock.pendingTimers).toBe(0);
});

test("an unresponsive disk keeps its level", async () => {
  const clock = fakeClock();
  let answers = true;
  const freeBytes = () => {
    if (!answers) throw new Error("EIO");
    return CALL_BYTES_MIN - 1;
  };
  const watch = watchDisk({ freeBytes, clock, log: silentLog });
  answers = false;
  await clock.advance(LOOK_MS);
  expect(watch.level).toBe("no_calls");
  watch.stop();
});
