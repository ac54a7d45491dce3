/** What counts as JSON that comes from elsewhere. */
import { expect, test } from "bun:test";
import { parseJson } from "../../src/core/json.ts";

const nested = (depth: number, inner = "") => `${"[".repeat(depth)}${inner}${"]".repeat(depth)}`;

test.each([
  ["500 levels", nested(500), true],
  ["501 levels", nested(501), false],
  ["501 levels of objects", `${'{"a":'.repeat(501)}1${"}".repeat(501)}`, false],
  ["a hundred thousand levels", nested(100_000), false],
  ["many values beside each other", `[${"[],".repeat(10_000)}1]`, true],
  ["brackets in a text", JSON.stringify("[{".repeat(1_000)), true],
  ["brackets after a quoted quote", JSON.stringify(`"${"[".repeat(1_000)}`), true],
  ["brackets after a text that ends in a backslash", `["\\\\",${nested(500)}]`, false],
])("%s: %#", (_, text, isRead) => {
  expect(parseJson(text) !== undefined).toBe(isRead);
});
