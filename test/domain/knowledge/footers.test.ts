/** How much of a page's foot is kept. */
import { expect, test } from "bun:test";
import {
  FOOTER_CHARACTERS_MAX,
  withFooter,
  withFooters,
} from "../../../src/domain/knowledge/footers.ts";

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

test("a page without a foot stays as it is; one of a foot alone is that", async () => {
  expect(withFooter(page, "")).toBe("Text");
  expect(withFooter({ title: "Clinic", markdown: "" }, "Open 9–17")).toBe("# Clinic\n\nOpen 9–17");
  expect(await withFooters([])).toEqual([]);
});

test("what a foot says twice it says once, and a heading without text goes", () => {
  expect(kept("Open\n\n## Hours\n\nOpen\n\n## Where\n\nHere")).toBe("Open\n\n## Where\n\nHere");
});

test("a foot has a hundred blocks: below, at and above", () => {
  const blocks = (count: number) => Array.from({ length: count }, (_, at) => `${at}`).join("\n\n");
  for (const count of [99, 100]) expect(kept(blocks(count))).toBe(blocks(count));
  expect(kept(blocks(101))).toBe(blocks(100));
});
