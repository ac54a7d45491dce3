/** Long texts are split into several files within the size limit of one. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { systemClock, yieldToEventLoop } from "../../../src/core/clock.ts";
import { DOCUMENT_BYTES_MAX, partName } from "../../../src/features/knowledge/imports.ts";
import { splitMarkdown } from "../../../src/features/knowledge/split-markdown.ts";

test("a text is one file up to the limit, and two above it", async () => {
  const text = (bytes: number) => `${"a".repeat(40)}\n\n${"b".repeat(bytes - 43)}`;
  expect(await splitMarkdown(text(100), 101)).toEqual([`${text(100)}\n`]);
  expect(await splitMarkdown(text(101), 101)).toHaveLength(1);
  expect(await splitMarkdown(text(102), 101)).toHaveLength(2);
});

test("a part begins with the headings of its section", async () => {
  const sections = ["# Shop", "## Tools", "a".repeat(60), "### Saws", "b".repeat(60)];
  expect(await splitMarkdown(sections.join("\n\n"), 120)).toEqual([
    `# Shop\n\n## Tools\n\n${"a".repeat(60)}\n\n### Saws\n`,
    `# Shop\n\n## Tools\n\n### Saws\n\n${"b".repeat(60)}\n`,
  ]);
});

test("each part of a long table repeats the table's header", async () => {
  const rows = Array.from({ length: 40 }, (_, at) => `| Item ${at} | ${at} EUR |`);
  const table = ["| Item | Price |", "| --- | --- |", ...rows].join("\n");
  const parts = await splitMarkdown(table, 400);
  expect(parts.length).toBeGreaterThan(2);
  for (const part of parts) expect(part).toStartWith("| Item | Price |\n| --- | --- |\n| Item ");
  expect(rows.every((row) => parts.some((part) => part.includes(row)))).toBeTrue();
});

test("no part is larger than a file, whatever the text, and no word is lost", async () => {
  const words = fc.array(fc.constantFrom("# A", "ąžuolas", "x".repeat(150), "\n\n", "\n", "b c"));
  return fc.assert(
    fc.asyncProperty(words, async (parts) => {
      const text = parts.join(" ");
      const files = await splitMarkdown(text, 600);
      for (const file of files) expect(Buffer.byteLength(file)).toBeLessThanOrEqual(600);
      for (const word of text.split(/\s+/)) expect(files.join(" ")).toContain(word);
    }),
  );
});

test("splitting a line of millions of characters does not measure its length repeatedly", async () => {
  const startedAt = systemClock.monotonic();
  const files = await splitMarkdown("a ".repeat(1_500_000), 512_000);
  expect(files.map((file) => file.match(/a/g)?.length).reduce((sum = 0, n = 0) => sum + n)).toBe(
    1_500_000,
  );
  expect(systemClock.monotonic() - startedAt).toBeLessThan(5_000);
});

test("splitting megabytes of text does not block other work", async () => {
  const turns = async (text: string) => {
    let count = 0;
    let isCut = false;
    const cutting = splitMarkdown(text, 512_000).then(() => {
      isCut = true;
    });
    for (; !isCut; count++) await yieldToEventLoop();
    await cutting;
    return count;
  };
  const section = "## Question\n\nAnswer.\n\n";
  expect(await turns(section.repeat(200_000))).toBeGreaterThan(30);
  expect(await turns("word ".repeat(1_000_000))).toBeGreaterThan(30);
});

test("text longer than a file is split between lines, then between words", async () => {
  const cut = (text: string, bytes = 40) => splitMarkdown(text, bytes);
  expect(await cut("aaaa bbbb cccc dddd eeee ffff gggg hhhh iiii jjjj")).toEqual([
    ...["aaaa bbbb\ncccc dddd\n", "eeee ffff\ngggg hhhh\n\niiii jjjj\n"],
  ]);
  expect(await cut("aaaaaaaaa bbbbbbbbb\nccccccccc ddddddddd e")).toEqual([
    ...["aaaaaaaaa\nbbbbbbbbb\n", "ccccccccc\nddddddddd\n\ne\n"],
  ]);
  expect(await cut("ą".repeat(1_005), 3_000)).toEqual([
    `${"ą".repeat(1_000)}\n\n${"ą".repeat(5)}\n`,
  ]);
});

test("a document has at most 8 MB", () => {
  expect(DOCUMENT_BYTES_MAX).toBe(8_388_608);
});

test("files are named after the document", () => {
  expect([partName("Price list.pdf", 0), partName("Price list.pdf", 2)]).toEqual([
    "Price list.md",
    "Price list-3.md",
  ]);
  expect(partName(".pdf", 0)).toBe("document.md");
  expect(partName(`${"a".repeat(300)}.docx`, 9).length).toBeLessThanOrEqual(255);
});
