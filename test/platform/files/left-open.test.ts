/** Files that a terminated thread had open, in this process's table of descriptors. */
import { expect, test } from "bun:test";
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { join } from "node:path";
import { LeftOpenFiles } from "../../../src/platform/files/left-open.ts";
import { eventually } from "../../support/eventually.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { tempDir } from "../../support/temp-dir.ts";

const WAIT_MS = 10_000;

/** The descriptors of this directory, with their states. */
function openIn(directory: string): string[] {
  return readdirSync("/proc/self/fd").flatMap((name) => {
    try {
      const target = readlinkSync(`/proc/self/fd/${name}`);
      return target.startsWith(`${directory}/`) ? [target.slice(directory.length + 1)] : [];
    } catch {
      return [];
    }
  });
}

/** Resolves when the thread has ended. */
async function openedAndEnded(paths: readonly string[]): Promise<void> {
  const worker = new Worker(
    new URL("../../support/process/opening.worker.ts", import.meta.url).href,
  );
  const closed = new Promise((resolve) => worker.addEventListener("close", resolve));
  const opened = new Promise((resolve) => worker.addEventListener("message", resolve));
  worker.postMessage(paths);
  await opened;
  worker.terminate();
  await closed;
}

test("files of an ended thread are closed after ten seconds, deleted ones too, and no other's", async () => {
  const [directory, clock] = [tempDir(), fakeClock()];
  const left = new LeftOpenFiles(clock);
  const path = (name: string) => join(directory, name);
  await openedAndEnded(["kept", "deleted", "another"].map(path));
  rmSync(path("deleted"));
  const [reader, repairer] = [openSync(path("kept"), "r"), openSync(path("kept"), "r+")];
  const all = ["another", "deleted (deleted)", "kept", "kept", "kept"];
  expect(openIn(directory).sort()).toEqual(all);

  left.add([path("kept"), path("deleted")]);
  await clock.advance(WAIT_MS - 1);
  expect(openIn(directory).sort()).toEqual(all);
  await clock.advance(1);
  await eventually(() => openIn(directory).length === 3, "two are closed");
  expect(openIn(directory).sort()).toEqual(["another", "kept", "kept"]);
  closeSync(reader);
  closeSync(repairer);
});

test("a path that leads over a link is the same file", async () => {
  const [directory, clock] = [tempDir(), fakeClock()];
  mkdirSync(join(directory, "real"));
  symlinkSync(join(directory, "real"), join(directory, "link"));
  await openedAndEnded([join(directory, "link", "call")]);
  expect(openIn(directory)).toEqual(["real/call"]);
  new LeftOpenFiles(clock).add([join(directory, "link", "call")]);
  await clock.advance(WAIT_MS);
  await eventually(() => openIn(directory).length === 0, "it is closed");
});

test("stopped, it keeps no timer", () => {
  const clock = fakeClock();
  const left = new LeftOpenFiles(clock);
  left.add(["/nowhere"]);
  left.add([]);
  expect(clock.pendingTimers).toBe(1);
  left.stop();
  expect(clock.pendingTimers).toBe(0);
});
