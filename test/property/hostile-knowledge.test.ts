/**
 * Knowledge and agents' words are the tenants' text, and are processed in threads that serve all calls: no
 * processing time grows quadratically. Measured in processor time of the thread, with a limit of ten times the
 * slowest case.
 */
import { expect, test } from "bun:test";
import type { KnowledgeSnapshot } from "../../src/conversation/call-config.ts";
import { knowledgeSection } from "../../src/conversation/prompt/knowledge-section.ts";
import { parseKnowledge } from "../../src/engine/embedded/scripted/knowledge.ts";
import { spokenText } from "../../src/engine/embedded/speech/spoken-text.ts";
import { knowledgeKeywords } from "../../src/engine/knowledge-keywords.ts";
import { SpokenPieces } from "../../src/engine/openai/spoken-pieces.ts";
import { headingOf } from "../../src/features/knowledge/heading.ts";
import { cutPassages } from "../../src/features/knowledge/passages.ts";

const CHARACTERS = 40_000;
const MS_MAX = 1_000;
const FORMATS = ["md", "csv"] as const;

function processorMs(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

const read = (format: KnowledgeSnapshot["format"], content: string) => {
  const knowledge: KnowledgeSnapshot[] = [{ filename: `f.${format}`, format, content }];
  cutPassages(format, content);
  parseKnowledge(knowledge);
  knowledgeKeywords(knowledge);
  knowledgeSection({ knowledge });
};

test.each([
  [" "],
  ["\u2028"],
  ["\n"],
  ["\r"],
  ["#"],
  ["*"],
  ["["],
  ["]("],
  ["|"],
  [" | "],
  ["<"],
  ["A"],
  ["? "],
])("40,000 characters of %j, whatever surrounds them", (unit) => {
  const many = unit.repeat(CHARACTERS / unit.length);
  for (const text of [
    ...[many, `a${many}b`, `A${many}?`, `1${many}b`, `<${many}b`],
    ...[`# x${many}y\nb`, `# ${many}y\nb`, `x?\nalso: y${many}z`],
  ])
    for (const format of FORMATS)
      expect(
        processorMs(() => read(format, text)),
        `${text.slice(0, 9)}… as ${format}`,
      ).toBeLessThan(MS_MAX);
});

test("a table with a single cell of the file's size", () => {
  const table = `a,b\n${"1 ".repeat(256_000)}`;
  expect(processorMs(() => cutPassages("csv", table))).toBeLessThan(MS_MAX);
});

test.each(["1. ", "\n ", "a. "])("20,000 times %j written by a model at once", (unit) => {
  const pieces = new SpokenPieces();
  expect(processorMs(() => pieces.push(unit.repeat(CHARACTERS / 2)))).toBeLessThan(MS_MAX);
});

test.each(["en", "lt", "lv", "ru"])("12,000 characters of digits, spoken: %s", (language) => {
  for (const unit of ["1.", "1.1.", "1 h ", "1% "])
    expect(
      processorMs(() => spokenText(unit.repeat(12_000 / unit.length), language)),
      unit,
    ).toBeLessThan(MS_MAX);
});

test.each([
  ["# Prices", 1, "Prices"],
  ["###### Deep ##", 6, "Deep"],
  ["##  Two  words  ## ", 2, "Two  words"],
  ["# C#", 1, "C"],
  ["# ##", 1, ""],
  ["#  ", 1, ""],
])("%j is a heading", (line, level, title) => {
  expect(headingOf(line)).toEqual({ level, title });
});

test.each([["#Prices"], ["####### Seven"], [" # Indented"], ["Prices"], ["#"], [""]])(
  "%j is not a heading",
  (line) => {
    expect(headingOf(line)).toBeNull();
  },
);
