/**
 * Returns memory to the system after the start: dead objects, free heap pages, and the pages of the program's
 * file that only the start has read (machine code, constants, sources and bytecode).
 */
import { closeSync, openSync, readFileSync, readSync } from "node:fs";
import { dropPages, type Span } from "../platform/memory/pages.ts";

/** Section of a compiled program that contains the application's files. */
const OWN_FILES = ".bun";

/** Takes about 30 ms, so the caller does not run it during a call. */
export function releaseStartupPages(): void {
  Bun.gc(true);
  Bun.shrink();
  dropFilePages();
}

function dropFilePages(): void {
  const program = process.execPath;
  dropPages((pageBytes) => {
    const maps = readFileSync("/proc/self/maps", "utf8");
    const spans = readOnlySpans(maps, program, sectionOf(program, OWN_FILES));
    return spans.flatMap((span) => filePages(span, pageBytes));
  });
}

/**
 * Memory ranges of `program` without writes at run time: its mappings without write access, and the part of
 * other mappings that `ownFiles` (byte range in its file) covers.
 */
export function readOnlySpans(maps: string, program: string, ownFiles: Span | null): Span[] {
  return maps.split("\n").flatMap((line) => {
    const found = /^([0-9a-f]+)-([0-9a-f]+) r(.)\S+ ([0-9a-f]+) \S+ \d+ +(.+)$/.exec(line);
    if (found?.[5] !== program) return [];
    const [start, end, offset] = [found[1], found[2], found[4]].map((hex) => Number(`0x${hex}`));
    if (start === undefined || end === undefined || offset === undefined) return [];
    if (found[3] === "-") return [{ start, end }];
    if (!ownFiles) return [];
    const part = {
      start: Math.max(start, start + ownFiles.start - offset),
      end: Math.min(end, start + ownFiles.end - offset),
    };
    return part.start < part.end ? [part] : [];
  });
}

/** Byte range of a section in a 64-bit ELF file; null: no section with that name. */
export function sectionOf(file: string, name: string): Span | null {
  const descriptor = openSync(file, "r");
  const read = (at: number, length: number) => {
    const bytes = Buffer.alloc(length);
    readSync(descriptor, bytes, 0, length, at);
    return bytes;
  };
  try {
    const header = read(0, 64);
    const [size, count] = [header.readUInt16LE(58), header.readUInt16LE(60)];
    const table = read(Number(header.readBigUInt64LE(40)), size * count);
    const sections = Array.from({ length: count }, (_, index) => {
      const entry = table.subarray(index * size);
      const start = Number(entry.readBigUInt64LE(24));
      return { name: entry.readUInt32LE(0), start, end: start + Number(entry.readBigUInt64LE(32)) };
    });
    const names = sections[header.readUInt16LE(62)];
    if (!names) return null;
    const texts = read(names.start, names.end - names.start).toString("latin1");
    return sections.find((section) => texts.startsWith(`${name}\0`, section.name)) ?? null;
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Whole pages of a span that still belong to the file. A written page, even by the loader, is a private copy:
 * dropping it would lose the changes.
 */
export function filePages({ start, end }: Span, pageBytes: number): Span[] {
  const first = Math.ceil(start / pageBytes);
  const count = Math.floor(end / pageBytes) - first;
  if (count <= 0) return [];
  const entries = Buffer.alloc(count * PAGEMAP_BYTES);
  const descriptor = openSync("/proc/self/pagemap", "r");
  try {
    readSync(descriptor, entries, 0, entries.length, first * PAGEMAP_BYTES);
  } finally {
    closeSync(descriptor);
  }
  const spans: { start: number; end: number }[] = [];
  for (let page = 0; page < count; page++) {
    const flags = entries[page * PAGEMAP_BYTES + PAGEMAP_BYTES - 1] ?? 0;
    if ((flags & FILE_PAGE) !== FILE_PAGE) continue;
    const at = (first + page) * pageBytes;
    const last = spans.at(-1);
    if (last?.end === at) last.end += pageBytes;
    else spans.push({ start: at, end: at + pageBytes });
  }
  return spans;
}

/** Size of an entry of /proc/self/pagemap, and two bits of its highest byte: present (63), file page (61). */
const PAGEMAP_BYTES = 8;
const FILE_PAGE = 0xa0;
