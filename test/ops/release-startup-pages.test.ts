/** Program memory that may be dropped after the start. */
import { expect, test } from "bun:test";
import { filePages, readOnlySpans, sectionOf } from "../../src/ops/release-startup-pages.ts";

const MAPS = `00200000-009a3000 r--p 00000000 fe:00 131 /opt/line voice/linevoice
009a3000-04f6e000 r-xp 007a2000 fe:00 131 /opt/line voice/linevoice
04f6e000-0531a000 r--p 04d6c000 fe:00 131 /opt/line voice/linevoice
0531a000-07b00000 rw-p 05117000 fe:00 131 /opt/line voice/linevoice
7f0000000000-7f0000010000 rwxp 00000000 00:00 0
7f0000200000-7f0000300000 r-xp 00028000 fe:00 99 /lib/libc.so.6
`;
const READ_ONLY = [
  { start: 0x00200000, end: 0x009a3000 },
  { start: 0x009a3000, end: 0x04f6e000 },
  { start: 0x04f6e000, end: 0x0531a000 },
];
const PROGRAM = "/opt/line voice/linevoice";

test("only read-only parts of the program are dropped: of its data only its own files", () => {
  expect(readOnlySpans(MAPS, PROGRAM, null)).toEqual(READ_ONLY);
  const ownFiles = { start: 0x05200000, end: 0x07000000 };
  expect(readOnlySpans(MAPS, PROGRAM, ownFiles)).toEqual([
    ...READ_ONLY,
    { start: 0x05403000, end: 0x07203000 },
  ]);
  expect(readOnlySpans(MAPS, "/opt/other", ownFiles)).toEqual([]);
});

test("a section is found by its name", () => {
  const text = sectionOf(process.execPath, ".text");
  expect(text?.end ?? 0).toBeGreaterThan((text?.start ?? 0) + 1_000_000);
  expect(sectionOf(process.execPath, ".none")).toBeNull();
});

test("a memory page without a file is never dropped", async () => {
  const maps = await Bun.file("/proc/self/maps").text();
  const spanOf = (line: RegExp) => {
    const [, start = "", end = ""] = line.exec(maps) ?? [];
    return { start: Number(`0x${start}`), end: Number(`0x${end}`) };
  };
  expect(filePages(spanOf(/^([0-9a-f]+)-([0-9a-f]+) .*\[stack\]$/m), 4096)).toEqual([]);
  expect(filePages(spanOf(/^([0-9a-f]+)-([0-9a-f]+) r-xp .*bun/m), 4096)).not.toEqual([]);
});
