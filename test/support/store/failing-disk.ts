/**
 * A small ext4 file system in a file of the test. After a triggered error it is read-only, also for
 * open files. `null` if loop devices cannot be mounted: tests that need it are skipped.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, truncateSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { tempDir } from "../temp-dir.ts";

export interface FailingDisk {
  readonly path: string;
  /** Makes every later write fail with EROFS. */
  fail(): void;
  unmount(): void;
}

const MEBIBYTE = 1024 * 1024;

export function failingDisk(megabytes: number): FailingDisk | null {
  const home = tempDir();
  const [image, path] = [join(home, "disk.ext4"), join(home, "disk")];
  mkdirSync(path);
  writeFileSync(image, "");
  truncateSync(image, megabytes * MEBIBYTE);
  const made = spawnSync("mkfs.ext4", ["-q", "-F", image], { stdio: "ignore" }).status === 0;
  const mount = () =>
    spawnSync("mount", ["-o", "loop,errors=remount-ro", image, path], { stdio: "ignore" }).status;
  if (!made || mount() !== 0) return null;
  const trigger = () => {
    const device = execFileSync("findmnt", ["-no", "SOURCE", path], { encoding: "utf8" }).trim();
    return `/sys/fs/ext4/${basename(device)}/trigger_fs_error`;
  };
  const unmount = () => void spawnSync("umount", ["-l", path], { stdio: "ignore" });
  if (!existsSync(trigger())) {
    unmount();
    return null;
  }
  return {
    path,
    fail: () => writeFileSync(trigger(), "1"),
    unmount,
  };
}
