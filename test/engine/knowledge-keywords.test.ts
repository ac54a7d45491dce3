/** Words of an agent's knowledge for speech to text. */
import { expect, test } from "bun:test";
import { knowledgeKeywords } from "../../src/engine/knowledge-keywords.ts";

const keywordsOf = (content: string, format: "txt" | "md" | "csv" | "json" = "md") =>
  knowledgeKeywords([{ filename: `knowledge.${format}`, format, content }]);

test("names of people within sentences, in every language", () => {
  expect(keywordsOf("Ask for Ona Petraitienė. Our dentist is dr. Jonas Kazlauskas.")).toEqual([
    "Ona Petraitienė",
    "Jonas Kazlauskas",
  ]);
  expect(keywordsOf("Zvaniet, un atbildēs Līga Bērziņa.")).toEqual(["Līga Bērziņa"]);
  expect(keywordsOf("Вас примет врач Анна Смирнова.")).toEqual(["Анна Смирнова"]);
});

test("products at the head of a list, a row or a table", () => {
  expect(keywordsOf("- Teeth whitening: 90 EUR\n* Hygiene – 60 EUR\n| Implant | 900 |")).toEqual([
    "Teeth whitening",
    "Hygiene",
    "Implant",
  ]);
  const csv = "name,price\nTeeth whitening,90\nRoot canal,200\nRoot canal,210\n";
  expect(keywordsOf(csv, "csv")).toEqual(["Root canal", "Teeth whitening"]);
});

test("no prose, no abbreviations, no days of the week, nothing that a server rejects", () => {
  expect(keywordsOf("We are open on Monday and in March. It costs 90 EUR, VAT included.")).toEqual(
    [],
  );
  expect(
    keywordsOf("Please call us before you come, because the door is locked: ring twice."),
  ).toEqual([]);
  const found = keywordsOf("- **Gold <b>crown</b>**: 900\n");
  for (const keyword of found) expect(keyword).not.toMatch(/[<>*\n]/);
});

test("the number of keywords stays within the limit of speech to text", () => {
  const rows = Array.from({ length: 500 }, (_, index) => `- Product number ${index}: 9 EUR`);
  expect(keywordsOf(rows.join("\n"))).toHaveLength(60);
});
