/**
 * A disk of a few megabytes that fills up, and can be made read-only: a tmpfs, where the test may mount
 * one. `null` where it may not: the tests that need it say so and are skipped.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { closeSync, fsyncSync, mkdirSync, openSync, rmSync, statfsSync, writeSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "./temp-dir.ts";

export interface SmallDisk {
  readonly path: string;
  /** Leaves this many bytes free. */
  fill(freeBytes: number): void;
  /** Gives back what `fill` took. */
  empty(): void;
  readOnly(on: boolean): void;
  unmount(): void;
}

const BLOCK = 64 * 1024;
const COLLECTIONS_MAX = 40;

export function smallDisk(megabytes: number): SmallDisk | null {
  const path = join(tempDir(), "disk");
  mkdirSync(path);
  const options = ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", path];
  if (spawnSync("mount", options, { stdio: "ignore" }).status !== 0) return null;
  const ballast = join(path, "ballast");
  const free = () => {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  };
  return {
    path,
    fill(freeBytes) {
      const handle = openSync(ballast, "a");
      try {
        const block = new Uint8Array(BLOCK);
        while (free() > freeBytes) {
          const bytes = Math.min(BLOCK, free() - freeBytes);
          if (writeSync(handle, block, 0, bytes) < bytes) break;
        }
        fsyncSync(handle);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
      } finally {
        closeSync(handle);
      }
    },
    empty: () => rmSync(ballast, { force: true }),
    readOnly(on) {
      const arguments_ = ["-o", `remount,${on ? "ro" : "rw"}`, path];
      // A closed database's file is let go with its last statement, which the collector finds.
      for (let attempt = 0; attempt < COLLECTIONS_MAX; attempt++) {
        Bun.gc(true);
        if (spawnSync("mount", arguments_, { stdio: "ignore" }).status === 0) return;
        Bun.sleepSync(50);
      }
      execFileSync("mount", arguments_);
    },
    unmount: () => void spawnSync("umount", ["-l", path], { stdio: "ignore" }),
  };
}
