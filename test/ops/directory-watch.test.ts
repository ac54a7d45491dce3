import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { silentLog } from "../../src/core/log.ts";
import { watchDirectory } from "../../src/ops/directory-watch.ts";
import { fakeClock } from "../support/fake-clock.ts";
import { testWhere } from "../support/privileges.ts";
import { smallDisk } from "../support/store/small-disk.ts";
import { tempDir } from "../support/temp-dir.ts";

/** Three inodes, one of them for the root. */
const full = smallDisk(1, 3);
afterAll(() => full?.unmount());

function watched() {
  const directory = join(tempDir(), "recordings");
  mkdirSync(directory);
  const clock = fakeClock();
  const events: string[] = [];
  const note = (event: string) => void events.push(event);
  const log = { ...silentLog, warn: note, error: note };
  const watch = watchDirectory({ directory, clock, log });
  return { directory, clock, events, watch };
}

test("an existing directory is not touched", async () => {
  const { clock, events, watch } = watched();
  await clock.advance(20_000);
  expect(watch.problem()).toBeNull();
  expect(events).toEqual([]);
  watch.stop();
  expect(clock.pendingTimers).toBe(0);
});

test("a deleted directory is created again at the next check, for its owner only", async () => {
  const { directory, clock, events, watch } = watched();
  rmSync(directory, { recursive: true });
  await clock.advance(4_999);
  expect(existsSync(directory)).toBe(false);
  await clock.advance(1);
  expect(statSync(directory).mode & 0o777).toBe(0o700);
  expect(watch.problem()).toBeNull();
  expect(events).toEqual(["directory.recreated"]);
  watch.stop();
});

testWhere(full !== null, "mounting")(
  "a disk without inodes is reported, until it has some",
  async () => {
    const clock = fakeClock();
    const directory = full?.path ?? "";
    const watch = watchDirectory({ directory, clock, log: silentLog });
    const leaves = (count: number) => writeFileSync(join(directory, `${count}`), "");
    expect(watch.problem()).toBeNull();
    leaves(1);
    await clock.advance(5_000);
    expect(watch.problem()).toBeNull();
    leaves(0);
    await clock.advance(5_000);
    expect(watch.problem()).toContain("inode");
    rmSync(join(directory, "0"));
    await clock.advance(5_000);
    expect(watch.problem()).toBeNull();
    watch.stop();
  },
);

test("a directory that cannot be created is reported once, and again when it can", async () => {
  const { directory, clock, events, watch } = watched();
  rmSync(directory, { recursive: true });
  writeFileSync(directory, "a file where the directory was");
  await clock.advance(15_000);
  expect(watch.problem()).not.toBeNull();
  expect(events).toEqual(["directory.not_writable"]);
  rmSync(directory);
  await clock.advance(5_000);
  expect(watch.problem()).toBeNull();
  expect(existsSync(directory)).toBe(true);
  watch.stop();
});

test("the directories of a missing disk are not created", async () => {
  const { directory, clock, events, watch } = watched();
  const disk = join(directory, "..");
  rmSync(disk, { recursive: true });
  await clock.advance(5_000);
  expect(existsSync(disk)).toBe(false);
  expect(watch.problem()).toContain("ENOENT");
  expect(events).toEqual(["directory.not_writable"]);
  mkdirSync(disk);
  await clock.advance(5_000);
  expect(watch.problem()).toBeNull();
  watch.stop();
});
