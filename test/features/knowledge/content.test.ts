/** Content that matches its file type, and the line of the first mismatch. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { AppError } from "../../../src/core/errors.ts";
import { checkContent, type FileFormat } from "../../../src/features/knowledge/content.ts";

function lineOf(format: FileFormat, content: string): number | null {
  try {
    checkContent(format, content);
    return null;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    expect(error.code).toBe("valid_content_required");
    return Number(/line (\d+)/.exec(error.publicMessage)?.[1]);
  }
}

test("every JSON text passes, however it is indented", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.integer({ min: 0, max: 4 }), (value, indent) => {
      expect(lineOf("json", JSON.stringify(value, null, indent))).toBeNull();
    }),
  );
});

test("a byte order mark may precede JSON and CSV, and line numbers stay the same", () => {
  expect(lineOf("json", '\ufeff{"a": 1}')).toBeNull();
  expect(lineOf("json", '\ufeff{"a": 1,\n')).toBe(2);
  expect(lineOf("csv", "\ufeffname,price\nfilling,40\n")).toBeNull();
  expect(lineOf("json", '{"a": 1}\ufeff')).toBe(1);
});

test("cut or changed JSON is refused exactly if the parser refuses it", () => {
  fc.assert(
    fc.property(
      fc.jsonValue(),
      fc.nat(),
      fc.constantFrom("", ",", "}", "]", '"', ":", "x", "\n"),
      (value, at, put) => {
        const text = JSON.stringify(value, null, 1);
        const cut = at % (text.length + 1);
        const changed = text.slice(0, cut) + put + text.slice(cut + 1);
        let valid = true;
        try {
          JSON.parse(changed);
        } catch {
          valid = false;
        }
        const line = lineOf("json", changed);
        expect(line === null).toBe(valid);
        if (line !== null) {
          expect(line).toBeGreaterThanOrEqual(1);
          expect(line).toBeLessThanOrEqual(changed.split("\n").length);
        }
      },
    ),
  );
});

test.each([
  ["json", '{\n "a": 1,\n "a" 2\n}', 3],
  ["json", "[1,\n2,\n]", 3],
  ["json", "", 1],
  ["csv", "name;price\nA;1", null],
  ["csv", "name\tprice\nA\t1", null],
  ["csv", '"full name","price"\n"A, B","1 ""x"""', null],
  ["csv", "\n\nname,price\n", null],
  ["csv", "1,2\n3,4", 1],
  ["csv", "name,\nA,1", 1],
  ["txt", "", null],
  ["md", "# ž\n\ud800", 2],
] as const)("%s %j: line %p", (format, content, line) => {
  expect(lineOf(format, content)).toBe(line);
});

test.each(["txt", "md", "csv", "json"] as const)("a picture named .%s is not text", (format) => {
  expect(lineOf(format, "PNG\nIHDR\0\0")).toBe(2);
});
