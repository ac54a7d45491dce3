/** How much of a page's footer is kept. */
import { expect, test } from "bun:test";
import {
  FOOTER_CHARACTERS_MAX,
  withFooter,
  withFooters,
} from "../../../src/features/knowledge/footers.ts";

const page = { title: "", markdown: "Text" };
const kept = (footer: string) => withFooter(page, footer).slice("Text\n\n".length);
const long = "a".repeat(FOOTER_CHARACTERS_MAX - 5);

test.each([
  [`${long} abcd`, `${long} abcd`],
  [`${long}\n\nabc`, `${long}\n\nabc`],
  [`${long} abcde`, long],
  [`${long}\n\nab cdef`, `${long}\n\nab`],
  [`${long} abcd\n\nmore`, `${long} abcd`],
])("at, below and above 4,000 characters whole words are kept: %#", (footer, expected) => {
  expect(kept(footer)).toBe(expected);
});

test("a page without a footer stays unchanged; a page with only a footer is that footer", async () => {
  expect(withFooter(page, "")).toBe("Text");
  expect(withFooter({ title: "Clinic", markdown: "" }, "Open 9–17")).toBe("# Clinic\n\nOpen 9–17");
  expect(await withFooters([])).toEqual([]);
});

test("a repeated line of a footer is kept once, and a heading without text is removed", () => {
  expect(kept("Open\n\n## Hours\n\nOpen\n\n## Where\n\nHere")).toBe("Open\n\n## Where\n\nHere");
});

test("a footer has at most a hundred blocks: below, at and above", () => {
  const blocks = (count: number) => Array.from({ length: count }, (_, at) => `${at}`).join("\n\n");
  for (const count of [99, 100]) expect(kept(blocks(count))).toBe(blocks(count));
  expect(kept(blocks(101))).toBe(blocks(100));
});
