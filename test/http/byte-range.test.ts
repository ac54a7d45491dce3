/** Range headers (RFC 9110 14). */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { byteRange } from "../../src/http/byte-range.ts";

const part = (start: number, end: number) => ({ kind: "part" as const, start, end });
const whole = { kind: "whole" as const };
const unsatisfiable = { kind: "unsatisfiable" as const };

test.each([
  ["bytes=0-4", part(0, 4)],
  ["bytes=5-", part(5, 9)],
  ["bytes=-3", part(7, 9)],
  ["bytes=-30", part(0, 9)],
  ["bytes=9-100", part(9, 9)],
  ["bytes=10-", unsatisfiable],
  ["bytes=-0", unsatisfiable],
  ["bytes=4-2", whole],
  ["bytes=0-1,3-4", whole],
  ["bytes=-", whole],
  ["lines=0-4", whole],
  [null, whole],
])("%p of ten bytes is %j", (header, expected) => {
  expect(byteRange(header, 10)).toEqual(expected);
});

test("a part is always inside, also of an empty file", () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string(), fc.stringMatching(/^bytes=\d{0,4}-\d{0,4}$/)),
      fc.integer({ min: 0, max: 2000 }),
      (header, size) => {
        const range = byteRange(header, size);
        if (range.kind !== "part") return;
        expect(range.start).toBeGreaterThanOrEqual(0);
        expect(range.end).toBeGreaterThanOrEqual(range.start);
        expect(range.end).toBeLessThan(size);
      },
    ),
  );
});
