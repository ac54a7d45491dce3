/**
 * Returns memory pages to the system (madvise(2), `MADV_DONTNEED`). Later reads load pages of files
 * from the page cache again; our own pages are then zeros.
 */
import { dlopen, FFIType } from "bun:ffi";

/** Addresses: the first, and the one after the last. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

const DONT_NEED = 4;

/** Without such a libc, the pages stay resident; nothing else differs. */
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
    // The pages stay resident.
  }
}
