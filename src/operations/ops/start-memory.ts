/**
 * Returns the memory of the start to the system: dead objects, free heap pages, and the pages of
 * the program's own code that only the start has used.
 */
import { dlopen, FFIType } from "bun:ffi";
import { readFileSync } from "node:fs";

/** `MADV_DONTNEED` of madvise(2): what is needed again comes back from the page cache. */
const DONT_NEED = 4;

/** Takes about 30 ms, so the caller does not run it during a call. */
export function releaseStartMemory(): void {
  dropCode();
  Bun.gc(true);
  Bun.shrink();
}

function dropCode(): void {
  try {
    const { u64, i32 } = FFIType;
    const libc = dlopen("libc.so.6", { madvise: { args: [u64, u64, i32], returns: i32 } });
    for (const { start, end } of codeMappings(readFileSync("/proc/self/maps", "utf8")))
      libc.symbols.madvise(start, end - start, DONT_NEED);
    libc.close();
  } catch {
    // No /proc, or another libc: the pages stay resident, nothing else differs.
  }
}

/**
 * The mappings of `program` that hold code. Nobody writes to them (`r-xp`), so dropping their pages
 * loses nothing. Other read-only mappings may hold addresses that the loader wrote.
 */
export function codeMappings(
  maps: string,
  program = process.execPath,
): { readonly start: bigint; readonly end: bigint }[] {
  return maps.split("\n").flatMap((line) => {
    const found = /^([0-9a-f]+)-([0-9a-f]+) r-xp \S+ \S+ \d+ +(.+)$/.exec(line);
    if (found?.[3] !== program) return [];
    return [{ start: BigInt(`0x${found[1]}`), end: BigInt(`0x${found[2]}`) }];
  });
}
