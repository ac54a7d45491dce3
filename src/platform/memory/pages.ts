/**
 * Gives pages of memory back to the system (madvise(2), `MADV_DONTNEED`): what is a file's comes back from the page
 * cache when it is read, what is our own is zeros then.
 */
import { dlopen, FFIType } from "bun:ffi";

/** Addresses: the first, and the one behind the last. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

const DONT_NEED = 4;

/** Where there is no such libc, the pages stay resident; nothing else differs. */
export function dropPages(spansOf: (pageBytes: number) => readonly Span[]): void {
  try {
    const { u64, i32 } = FFIType;
    const libc = dlopen("libc.so.6", {
      madvise: { args: [u64, u64, i32], returns: i32 },
      getpagesize: { args: [], returns: i32 },
    });
    for (const { start, end } of spansOf(libc.symbols.getpagesize()))
      libc.symbols.madvise(start, end - start, DONT_NEED);
    libc.close();
  } catch {
    // The pages stay.
  }
}
