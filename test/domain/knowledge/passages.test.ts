/** How files are cut into passages. */
import { expect, test } from "bun:test";
import { cutPassages, PASSAGE_CHARACTERS_MAX } from "../../../src/domain/knowledge/passages.ts";

test("a section is a passage, named by the headings above it", () => {
  const text =
    "# Prices\nAll with tax.\n\n## Whitening\nIt costs 90 EUR.\n\nTwo visits.\n# Hours\nNine to five.";
  expect(cutPassages("md", text)).toEqual([
    { heading: "Prices", text: "All with tax." },
    { heading: "Prices › Whitening", text: "It costs 90 EUR.\n\nTwo visits." },
    { heading: "Hours", text: "Nine to five." },
  ]);
});

test("a row of a table is a passage that names its columns", () => {
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

test.each([
  [PASSAGE_CHARACTERS_MAX - 1, 1],
  [PASSAGE_CHARACTERS_MAX, 1],
  [PASSAGE_CHARACTERS_MAX + 1, 2],
])("a section of %i characters is cut into %i", (length, pieces) => {
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

test("each piece of a long table keeps the table's head", () => {
  const rows = Array.from({ length: 80 }, (_, n) => `| Treatment number ${n} | ${n} EUR |`);
  const passages = cutPassages(
    "md",
    `# Prices\n| What | Price |\n| --- | --- |\n${rows.join("\n")}`,
  );
  expect(passages.length).toBeGreaterThan(1);
  for (const { text } of passages)
    expect(text).toStartWith("| What | Price |\n| --- | --- |\n| Tr");
});
