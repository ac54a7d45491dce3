/** Waiting with a limit. */

import { expect, test } from "bun:test";
import { join } from "node:path";
import { systemClock, within } from "../../src/core/clock.ts";
import { fakeClock } from "../support/fake-clock.ts";

test("work in time gives its result or its error, late work gives null; no timer is left", async () => {
  const clock = fakeClock();
  expect(await within(clock, 100, Promise.resolve("done"))).toBe("done");
  await expect(within(clock, 100, Promise.reject(new Error("broken")))).rejects.toThrow("broken");
  const late = within(clock, 100, new Promise<string>(() => {}));
  await clock.advance(100);
  expect(await late).toBeNull();
  expect(clock.pendingTimers).toBe(0);
});

test("thirty days are not over at once", async () => {
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  const timers = [
    systemClock.after(30 * 86_400_000, over),
    systemClock.every(30 * 86_400_000, over),
  ];
  await Bun.sleep(50);
  for (const timer of timers) timer.cancel();
  expect(isOver).toBeFalse();
});

test.each([
  ["the answer", true],
  ["the limit", false],
])("in a process that was stopped, %s comes first", async (first, isAnswered) => {
  const program = join(import.meta.dir, "../support/process/waiting-process.ts");
  const child = Bun.spawn([process.execPath, program], { stdout: "pipe" });
  const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const port = Number((await lines.read()).value);
  // Until it waits in the kernel.
  await Bun.sleep(300);
  child.kill("SIGSTOP");
  const socket = await Bun.udpSocket({ hostname: "127.0.0.1" });
  await Bun.sleep(100);
  if (isAnswered) socket.send("200 OK", port, "127.0.0.1");
  await Bun.sleep(3_000);
  child.kill("SIGCONT");
  expect((await lines.read()).value?.trim()).toBe(first);
  socket.close();
});
