/**
 * Closes files that a thread had open when it was ended: the runtime closes them at the end of the process only, and
 * until then a deleted file keeps its room on the disk. Linux says what is open (proc(5)); elsewhere they stay open.
 *
 * It waits first, as the runtime may still write, or close, what the thread asked for. It closes the descriptors that
 * the thread named, else what is open for writing alone, so that whoever reads or repairs the file meanwhile is not met.
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

  /** Of a thread that has just been ended, and that no thread opens for writing again. */
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

  /** Leaves open what waits. */
  stop(): void {
    for (const timer of this.#timers) timer.cancel();
  }
}

/** As the kernel calls it. The file itself may be deleted by now. */
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

/** Empty: it was closed meanwhile. */
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
