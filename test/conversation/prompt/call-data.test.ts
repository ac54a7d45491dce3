/** Limits of data about a call: lines, characters, names. */
import { expect, test } from "bun:test";
import { dataSection, labelOf } from "../../../src/conversation/prompt/call-data.ts";

const linesOf = (data: Parameters<typeof dataSection>[0]) => {
  const lines = dataSection(data, false).split("\n");
  return lines.slice(lines.indexOf("<call_data>") + 1, -1);
};

test("sixty lines of 2,000 characters are included, after empty ones are removed", () => {
  const data = Array.from({ length: 62 }, (_, n) => ({
    label: `l${n}`,
    text: n === 0 ? " " : "x",
  }));
  expect(linesOf(data).map((line) => line.split(":")[0])).toEqual(
    Array.from({ length: 60 }, (_, n) => `l${n + 1}`),
  );
  const [line = ""] = linesOf([{ label: "notes", text: "x".repeat(2_001) }]);
  expect(line.match(/x/g)).toHaveLength(2_000);
  expect(dataSection([{ label: "notes", text: "" }], true)).toBe("");
});

test("a name has at most 64 characters", () => {
  expect(labelOf("A b-c")).toBe("a_b_c");
  expect(labelOf("x".repeat(65))).toHaveLength(64);
});

test("only an unrecognised caller is marked as not verified", () => {
  const data = [{ label: "notes", text: "x" }];
  expect(dataSection(data, true)).toContain("reveal nothing private");
  expect(dataSection(data, false)).not.toContain("reveal nothing private");
});
