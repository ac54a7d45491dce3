/**
 * Memory still available to this process: of the machine, and of its control group (container,
 * systemd unit).
 */
import { readFileSync } from "node:fs";

const MEGABYTE = 1_000_000;

/** In MB; null if the system does not report it. `read` returns a file's text, or throws. */
export function availableMemoryMb(
  read: (path: string) => string = (path) => readFileSync(path, "utf8"),
): number | null {
  const [machine = null, group = null] = [() => ofMachine(read), () => ofGroup(read)].map(
    (measured) => {
      try {
        return measured();
      } catch {
        return null;
      }
    },
  );
  if (machine === null || group === null) return machine ?? group;
  return Math.min(machine, group);
}

function ofMachine(read: (path: string) => string): number | null {
  const kilobytes = /^MemAvailable:\s+(\d+) kB$/m.exec(read("/proc/meminfo"))?.[1];
  return kilobytes === undefined ? null : Math.floor((Number(kilobytes) * 1_024) / MEGABYTE);
}

/**
 * Control groups of version 2. The file cache counts as free: the kernel drops it first. Null if
 * there is no limit.
 */
function ofGroup(read: (path: string) => string): number | null {
  const path = /^0::(\/.*)$/m.exec(read("/proc/self/cgroup"))?.[1] ?? "/";
  const parts = path.split("/").filter((part) => part !== "");
  const limits = [...parts.keys(), parts.length].flatMap((depth) => {
    const directory = ["/sys/fs/cgroup", ...parts.slice(0, depth)].join("/");
    try {
      const limit = Number(read(`${directory}/memory.max`));
      const used = Number(read(`${directory}/memory.current`));
      const cache = Number(
        /^inactive_file (\d+)$/m.exec(read(`${directory}/memory.stat`))?.[1] ?? 0,
      );
      return Number.isFinite(limit) ? [limit - used + cache] : [];
    } catch {
      return [];
    }
  });
  return limits.length === 0 ? null : Math.max(0, Math.floor(Math.min(...limits) / MEGABYTE));
}
