import { expect, test } from "bun:test";
import { parseKnowledge } from "../../../src/engine/embedded/scripted/knowledge.ts";
import { createRetriever } from "../../../src/engine/embedded/scripted/retrieval.ts";
import {
  CLINIC_KNOWLEDGE,
  CLINIC_OFF_TOPIC,
  CLINIC_PARAPHRASED,
} from "../../support/speech/dental-clinic.ts";

function parse(format: "txt" | "md" | "csv" | "json", content: string) {
  return parseKnowledge([{ filename: `file.${format}`, format, content }]);
}

test("Markdown headings are questions, Also lines are other wordings", () => {
  expect(
    parse("md", "# Shop\n\n## When open? / Hours?\n**Nine** to [five](http://x).\nAlso: Times"),
  ).toEqual([{ questions: ["When open?", "Hours?", "Times"], answer: "Nine to five." }]);
});

test("CSV with question and answer columns gives pairs, quotes and commas included", () => {
  expect(parse("csv", 'question,answer,alt\n"Open, when?","From 9 ""sharp""",Hours?\n')).toEqual([
    { questions: ["Open, when?", "Hours?"], answer: 'From 9 "sharp"' },
  ]);
});

test("another CSV table gives one entry per row", () => {
  expect(parse("csv", "item;price;stock\nTea;2 EUR;yes\n")).toEqual([
    { questions: ["Tea"], answer: "Tea. price: 2 EUR. stock: yes." },
  ]);
});

test("JSON pairs are read in both spellings, also inside an object", () => {
  const content = JSON.stringify({
    faq: [
      { q: "A?", a: "1", alt: ["B?"] },
      { question: "C?", answer: "2" },
    ],
  });
  expect(parse("json", content)).toEqual([
    { questions: ["A?", "B?"], answer: "1" },
    { questions: ["C?"], answer: "2" },
  ]);
});

test("broken JSON gives nothing instead of throwing", () => {
  expect(parse("json", "{")).toEqual([]);
});

test("text paragraphs are entries, a question line above makes a pair", () => {
  expect(parse("txt", "We love tea.\n\nDo you sell tea?\nYes, green tea.")).toEqual([
    { questions: [], answer: "We love tea." },
    { questions: ["Do you sell tea?"], answer: "Yes, green tea." },
  ]);
});

const clinic = parse("md", CLINIC_KNOWLEDGE);
const retrieve = createRetriever(clinic, "en");

test("paraphrased questions find their entry", () => {
  const wrong = CLINIC_PARAPHRASED.filter(({ said, entry }) => {
    const found = clinic[retrieve(said)?.entry ?? -1];
    return found?.questions[0] !== entry;
  });
  expect(wrong).toEqual([]);
});

test("a synonym finds the entry, but with a lower score than the word itself", () => {
  const entries = parse(
    "md",
    "## How do I end my membership?\nBy letter.\n\n## Is there a discount?\nYes.\n\n## Do you have a sauna?\nYes.",
  );
  const find = createRetriever(entries, "en");
  expect(find("I want to quit")).toMatchObject({ entry: 0 });
  expect(find("Is it cheaper for groups?")).toMatchObject({ entry: 1 });
  const [ended = 0] = find.scores("How do I end my membership?");
  const [cancelled = 0] = find.scores("How do I cancel my membership?");
  expect(cancelled).toBeGreaterThan(0.6);
  expect(cancelled).toBeLessThan(ended);
  expect(find("Who painted the Mona Lisa?")?.score ?? 0).toBeLessThan(0.1);
});

test("off-topic questions score below answered ones", () => {
  for (const said of CLINIC_OFF_TOPIC) expect(retrieve(said)?.score ?? 0).toBeLessThan(0.45);
});
