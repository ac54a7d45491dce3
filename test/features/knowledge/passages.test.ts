/** How files are split into passages. */
import { expect, test } from "bun:test";
import { cutPassages, PASSAGE_CHARACTERS_MAX } from "../../../src/features/knowledge/passages.ts";

test("a section is a passage, named by the headings above it", () => {
  const text =
    "# Prices\nAll with tax.\n\n## Whitening\nIt costs 90 EUR.\n\nTwo visits.\n# Hours\nNine to five.";
  expect(cutPassages("md", text)).toEqual([
    { heading: "Prices", text: "All with tax." },
    { heading: "Prices › Whitening", text: "It costs 90 EUR.\n\nTwo visits." },
    { heading: "Hours", text: "Nine to five." },
  ]);
});

test("a row of a table is a passage that repeats its column names", () => {
  expect(
    cutPassages("csv", '\uFEFFname;price;note\nCrown;400;\n"Root; canal";250;two visits\n'),
  ).toEqual([
    { heading: "Crown", text: "name: Crown\nprice: 400" },
    { heading: "Root; canal", text: "name: Root; canal\nprice: 250\nnote: two visits" },
  ]);
});

test("each object of JSON is a passage", () => {
  const faq = JSON.stringify([
    { q: "Open?", a: "Nine.", alt: ["Hours?"] },
    { staff: { Ona: "dentist" } },
  ]);
  expect(cutPassages("json", faq)).toEqual([
    { heading: "Open?", text: "q: Open?\na: Nine.\nalt: Hours?" },
    { heading: "staff", text: "Ona: dentist" },
  ]);
});

test("a question on its own line names its paragraph, short paragraphs stay together", () => {
  const text = "Parking?\nBehind the house.\n\nWe are a clinic.\n\nIn Vilnius.";
  expect(cutPassages("txt", text)).toEqual([
    { heading: "Parking?", text: "Behind the house." },
    { heading: "", text: "We are a clinic.\n\nIn Vilnius." },
  ]);
});

test("a question without an answer below it and lines without a question name nothing", () => {
  expect(cutPassages("txt", "Any questions?\n\nCall us.\nWe answer.")).toEqual([
    { heading: "", text: "Any questions?\n\nCall us.\nWe answer." },
  ]);
});

test.each([
  [PASSAGE_CHARACTERS_MAX - 1, 1],
  [PASSAGE_CHARACTERS_MAX, 1],
  [PASSAGE_CHARACTERS_MAX + 1, 2],
])("a section of %i characters is split into %i", (length, pieces) => {
  const body = "Word and more. "
    .repeat(200)
    .slice(0, length - 1)
    .replace(/ $/, "x");
  const text = `${body}.`;
  expect(text.length).toBe(length);
  const passages = cutPassages("md", `# Long\n${text}`);
  expect(passages.length).toBe(pieces);
  expect(passages.every(({ text }) => text.length <= PASSAGE_CHARACTERS_MAX)).toBe(true);
  expect(passages.map(({ text }) => text).join(" ")).toBe(text);
});

test("a paragraph without sentences is split between words, and a very long word inside", () => {
  const cut = (text: string) => cutPassages("md", `# A\n${text}`).map((passage) => passage.text);
  const words = "word ".repeat(400).trim();
  expect(cut(words).map((part) => part.length)).toEqual([1_199, 799]);
  expect(cut(`. ${words}`)[0]).toBe(`. ${words}`.slice(0, 1_196));
  expect(cut("a".repeat(2_500)).map((part) => part.length)).toEqual([1_200, 1_200, 100]);
  expect(cut(`One! ${words}`)[0]).toBe("One!");
});

test("each piece of a long table keeps the table's header", () => {
  const rows = Array.from({ length: 80 }, (_, n) => `| Treatment number ${n} | ${n} EUR |`);
  const passages = cutPassages(
    "md",
    `# Prices\n| What | Price |\n| --- | --- |\n${rows.join("\n")}`,
  );
  expect(passages.length).toBeGreaterThan(1);
  for (const { text } of passages)
    expect(text).toStartWith("| What | Price |\n| --- | --- |\n| Tr");
});

test("a heading has 200 characters at most, and six levels", () => {
  const [long] = cutPassages("md", `# ${"a".repeat(201)}\nText.`);
  expect(long?.heading).toBe("a".repeat(200));
  const levels =
    "# A\n## B\n### C\n#### D\n##### E\n###### F\nDeep.\n### G\nUp.\n####### H\n# I\nTop.";
  expect(cutPassages("md", levels)).toEqual([
    { heading: "A › B › C › D › E › F", text: "Deep." },
    { heading: "A › B › G", text: "Up.\n####### H" },
    { heading: "I", text: "Top." },
  ]);
});

test.each([
  [199, 1],
  [200, 2],
])("a paragraph of %d characters and the next one are %d passages", (length, count) => {
  expect(cutPassages("txt", `${"a".repeat(length)}\n\nNext.`)).toHaveLength(count);
});

test("short paragraphs are joined up to 1,200 characters", () => {
  const joined = (length: number) => cutPassages("txt", `Short.\n\n${"a".repeat(length)}`);
  expect(joined(1_200 - 8).map(({ text }) => text.length)).toEqual([1_200]);
  expect(joined(1_200 - 7).map(({ text }) => text.length)).toEqual([6, 1_193]);
});

test("paragraphs of a long section are joined up to 1,200 characters", () => {
  const lengths = (second: number) =>
    cutPassages("md", `# A\n${"a".repeat(600)}\n\n${"b".repeat(second)}\n\n${"c".repeat(600)}`).map(
      ({ text }) => text.length,
    );
  expect(lengths(598)).toEqual([1_200, 600]);
  expect(lengths(599)).toEqual([600, 599, 600].toSpliced(1, 2, 599, 600));
});

test("rows of a table are joined up to 1,200 characters with their line ends", () => {
  const head = "| A |\n| --- |";
  const lengths = (second: number) => {
    const rows = [`| ${"a".repeat(600)} |`, `| ${"b".repeat(second)} |`, `| ${"c".repeat(600)} |`];
    return cutPassages("md", `# A\n${head}\n${rows.join("\n")}`).map(({ text }) => text.length);
  };
  const one = head.length + 1 + 604;
  expect(lengths(1_200 - one - 4 - 1)).toEqual([1_200, one]);
  expect(lengths(1_200 - one - 4)).toEqual([one, head.length + 1 + 1_200 - one, one]);
});

test("a table's row is split if it would fill two passages", () => {
  const table = `| A |\n| --- |\n| ${"a".repeat(3_000)} |\n| b |`;
  expect(cutPassages("md", `# A\n${table}`).map(({ text }) => text.length)).toEqual([
    ...[2_400, "| A |\n| --- |\n| b |".length],
  ]);
});

test("a table begins with its first line that is not empty", () => {
  expect(cutPassages("csv", "\nname,price\nCrown,400\n")).toEqual([
    { heading: "Crown", text: "name: Crown\nprice: 400" },
  ]);
});

test("a table may have rows of other lengths, stray quotes and empty lines", () => {
  expect(cutPassages("csv", 'name,price\nCrown,400,extra\n\n5" screen,20\nBridge\n')).toEqual([
    { heading: "Crown", text: "name: Crown\nprice: 400\n: extra" },
    { heading: '5" screen', text: 'name: 5" screen\nprice: 20' },
    { heading: "Bridge", text: "name: Bridge" },
  ]);
});

test("a paragraph of 1,200 characters is one passage, of 1,201 two", () => {
  const paragraph = (length: number) => `${"word ".repeat(300)}`.slice(0, length - 1).concat("x");
  expect(cutPassages("txt", paragraph(1_200))).toEqual([{ heading: "", text: paragraph(1_200) }]);
  expect(cutPassages("txt", paragraph(1_201))).toHaveLength(2);
});
