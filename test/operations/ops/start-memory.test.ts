/** What of the program's memory may be dropped after the start. */
import { expect, test } from "bun:test";
import { codeMappings } from "../../../src/operations/ops/start-memory.ts";

const MAPS = `00200000-009a3000 r--p 00000000 fe:00 131 /opt/line voice/linevoice
009a3000-04f6e000 r-xp 007a2000 fe:00 131 /opt/line voice/linevoice
04f6e000-0531a000 r--p 04d6c000 fe:00 131 /opt/line voice/linevoice
0531a000-07b00000 rw-p 05117000 fe:00 131 /opt/line voice/linevoice
7f0000000000-7f0000010000 rwxp 00000000 00:00 0
7f0000200000-7f0000300000 r-xp 00028000 fe:00 99 /lib/libc.so.6
`;

test("only the program's own code is dropped: what may have been written stays", () => {
  expect(codeMappings(MAPS, "/opt/line voice/linevoice")).toEqual([
    { start: 0x009a3000n, end: 0x04f6e000n },
  ]);
  expect(codeMappings(MAPS, "/opt/other")).toEqual([]);
});
