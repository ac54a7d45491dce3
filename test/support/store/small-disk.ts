/**
 * A disk of a few megabytes that can be filled and made read-only: a tmpfs, if the test may mount
 * one. `null` if not: the tests that need it print a note and are skipped.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { closeSync, fsyncSync, mkdirSync, openSync, rmSync, statfsSync, writeSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "../temp-dir.ts";

export interface SmallDisk {
  readonly path: string;
  /** Leaves this many bytes free. */
  fill(freeBytes: number): void;
  /** Frees the space that `fill` used. */
  empty(): void;
  readOnly(on: boolean): void;
  unmount(): void;
}

const BLOCK = 64 * 1024;

/** `inodes`: default as many as fit. */
export function smallDisk(megabytes: number, inodes = 0): SmallDisk | null {
  const path = join(tempDir(), "disk");
  mkdirSync(path);
  const options = ["-t", "tmpfs", "-o", `size=${megabytes}m,nr_inodes=${inodes}`, "tmpfs", path];
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
    readOnly: (on) => void execFileSync("mount", ["-o", `remount,${on ? "ro" : "rw"}`, path]),
    unmount: () => void spawnSync("umount", ["-l", path], { stdio: "ignore" }),
  };
}
