/**
 * Closes files that an ended thread had open. The runtime closes them only at the end of the
 * process, and until then a deleted file keeps its disk space. Linux lists open files (proc(5)); on
 * other systems they stay open.
 *
 * It waits first, because the runtime may still write or close files for the thread. It closes the
 * descriptors that the thread named; otherwise all open for writing only. So code that reads or
 * repairs the file in the meantime is not affected.
 */
import { close, readdirSync, readFileSync, readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Clock, Timer } from "../../core/clock.ts";

const WAIT_MS = 10_000;
const ACCESS = 3;
const WRITE_ONLY = 1;
const DESCRIPTORS = "/proc/self/fd";

export class LeftOpenFiles {
  readonly #timers = new Set<Timer>();

  constructor(private readonly clock: Clock) {}

  /** Files of a thread that has just ended. No other thread may open them for writing again. */
  add(paths: readonly string[], named?: readonly number[]): void {
    if (paths.length === 0) return;
    const files = new Set(paths.map(withoutLinks));
    const timer = this.clock.after(WAIT_MS, () => {
      this.#timers.delete(timer);
      for (const name of descriptors())
        if (files.has(fileOf(name)) && (named?.includes(Number(name)) ?? isWriteOnly(name)))
          close(Number(name), () => {});
    });
    this.#timers.add(timer);
  }

  /** Drops all waiting files without closing them. */
  stop(): void {
    for (const timer of this.#timers) timer.cancel();
  }
}

/** The kernel's name of the file. The file itself may already be deleted. */
function withoutLinks(path: string): string {
  try {
    return join(realpathSync(dirname(path)), basename(path));
  } catch {
    return path;
  }
}

function descriptors(): string[] {
  try {
    return readdirSync(DESCRIPTORS);
  } catch {
    return [];
  }
}

/** Empty if it was closed in the meantime. */
function fileOf(name: string): string {
  try {
    return readlinkSync(`${DESCRIPTORS}/${name}`).replace(/ \(deleted\)$/, "");
  } catch {
    return "";
  }
}

function isWriteOnly(name: string): boolean {
  const flags = /^flags:\s+([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${name}`, "utf8"))?.[1];
  return (Number.parseInt(flags ?? "0", 8) & ACCESS) === WRITE_ONLY;
}
