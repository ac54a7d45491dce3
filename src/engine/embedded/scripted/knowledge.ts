/**
 * Knowledge files as entries: questions and a literal answer.
 * - .md: a heading is a question, the text under it its answer; "a / b" and `Also:` lines are
 *   alternative questions.
 * - .csv: columns question (q, frage …) and answer; further columns `alt…`. Other tables give one
 *   entry per row, named by its first column.
 * - .json: an array (or `{faq: […]}`) of `{q, a, alt}` / `{question, answer, alternatives}`.
 * - .txt: paragraphs; a line "Question?" and the text after it are a pair.
 */

import type { KnowledgeSnapshot } from "../../../conversation/call-config.ts";
import { headingOf } from "../../../features/knowledge/heading.ts";
import { parseCsv } from "./csv.ts";

export interface KnowledgeEntry {
  /** Empty for a bare paragraph. The agent reads the first one aloud in "did you mean". */
  readonly questions: readonly string[];
  readonly answer: string;
}

const PARSERS: Readonly<
  Record<KnowledgeSnapshot["format"], (content: string) => KnowledgeEntry[]>
> = { md: parseMarkdown, csv: parseTable, json: parseJson, txt: parseText };

/** More entries than callers could ever ask about. */
const ENTRIES_MAX = 2_000;
const ANSWER_CHARACTERS_MAX = 1_200;
const QUESTION_CHARACTERS_MAX = 300;
const QUESTIONS_OF_ENTRY_MAX = 30;

export function parseKnowledge(files: readonly KnowledgeSnapshot[]): readonly KnowledgeEntry[] {
  const reading = entriesInSteps(files);
  let step = reading.next();
  while (!step.done) step = reading.next();
  return step.value;
}

/** Yields after each entry, so that a thread can do other work between them. */
export function* entriesInSteps(
  files: readonly KnowledgeSnapshot[],
): Generator<void, readonly KnowledgeEntry[]> {
  const entries: KnowledgeEntry[] = [];
  for (const file of files)
    for (const entry of PARSERS[file.format](file.content)) {
      const tidied = tidy(entry);
      if (tidied.answer !== "") entries.push(tidied);
      if (entries.length === ENTRIES_MAX) return entries;
      yield;
    }
  return entries;
}

function parseMarkdown(content: string): KnowledgeEntry[] {
  const entries: KnowledgeEntry[] = [];
  let questions: string[] = [];
  let body: string[] = [];
  const finish = () => {
    const text = body.join("\n").trim();
    if (text !== "") {
      if (questions.length > 0) entries.push({ questions, answer: text });
      else entries.push(...parseText(text));
    }
    body = [];
  };
  for (const line of content.split(/\r?\n/)) {
    const heading = headingOf(line);
    const also = /^(?:also|alt|or)\s*:\s*(.+)$/i.exec(line.replace(/^[-*_\s]+/, ""));
    if (heading !== null) {
      finish();
      questions = alternatives(heading.title);
    } else if (also !== null && questions.length > 0) {
      questions.push(...alternatives((also[1] ?? "").replace(/[*_]{1,3}$/, "")));
    } else body.push(line);
  }
  finish();
  return entries;
}

function alternatives(text: string): string[] {
  return text
    .replace(/\s+/g, " ")
    .split(/ \/ |\||(?<=\?) /)
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

const QUESTION_COLUMN = /^(q|question|klausimas|jautājums|вопрос)$/i;
const ANSWER_COLUMN = /^(a|answer|atsakymas|atbilde|ответ)$/i;
const ALTERNATIVE_COLUMN = /^(alt|also|synonym|variant)/i;

function parseTable(content: string): KnowledgeEntry[] {
  const [header = [], ...rows] = parseCsv(content);
  const question = header.findIndex((name) => QUESTION_COLUMN.test(name.trim()));
  const answer = header.findIndex((name) => ANSWER_COLUMN.test(name.trim()));
  if (question < 0 || answer < 0) return rows.map((row) => entryOfRow(header, row));
  const others = header.flatMap((name, index) =>
    ALTERNATIVE_COLUMN.test(name.trim()) ? [index] : [],
  );
  return rows.map((row) => ({
    questions: [row[question] ?? "", ...others.flatMap((at) => alternatives(row[at] ?? ""))],
    answer: row[answer] ?? "",
  }));
}

/** A row of a table of things: its name is the question, its columns are the answer. */
function entryOfRow(header: readonly string[], row: readonly string[]): KnowledgeEntry {
  const [name = ""] = row;
  const facts = row
    .slice(1)
    .map((cell, index) => (cell.trim() === "" ? "" : `${header[index + 1] ?? ""}: ${cell.trim()}`))
    .filter((fact) => fact !== "");
  return { questions: [name], answer: facts.length === 0 ? "" : `${name}. ${facts.join(". ")}.` };
}

function parseJson(content: string): KnowledgeEntry[] {
  try {
    return entriesOfJson(JSON.parse(content), "");
  } catch {
    // Not JSON, or nested deeper than the stack.
    return [];
  }
}

function entriesOfJson(value: unknown, name: string): KnowledgeEntry[] {
  if (Array.isArray(value)) return value.flatMap((item) => entriesOfJson(item, name));
  if (typeof value === "string" || typeof value === "number") {
    return [{ questions: name === "" ? [] : [name], answer: String(value) }];
  }
  if (typeof value !== "object" || value === null) return [];
  const record = value as Record<string, unknown>;
  const question = record.q ?? record.question;
  const answer = record.a ?? record.answer;
  if (typeof answer === "string") {
    const other = record.alt ?? record.alternatives ?? record.also ?? [];
    const questions = [question, ...(Array.isArray(other) ? other : [other])];
    return [{ questions: questions.filter((item) => typeof item === "string"), answer }];
  }
  return Object.entries(record).flatMap(([key, item]) =>
    entriesOfJson(item, key.replace(/[_-]+/g, " ")),
  );
}

function parseText(content: string): KnowledgeEntry[] {
  return content.split(/\r?\n\s*\r?\n/).map((paragraph) => {
    const lines = paragraph.trim().split(/\r?\n/);
    const first = (lines[0] ?? "").replace(/^Q:\s*/i, "");
    if (lines.length > 1 && first.trim().endsWith("?")) {
      const answer = lines
        .slice(1)
        .join(" ")
        .replace(/^A:\s*/i, "");
      return { questions: [first], answer };
    }
    return { questions: [], answer: lines.join(" ") };
  });
}

/** Prepares text for speech: no Markdown marks, one space between words. */
function tidy(entry: KnowledgeEntry): KnowledgeEntry {
  const questions = entry.questions
    .slice(0, QUESTIONS_OF_ENTRY_MAX)
    .map((question) => plainText(question.slice(0, QUESTION_CHARACTERS_MAX)))
    .filter((question) => question !== "");
  const answer = entry.answer.slice(0, 4 * ANSWER_CHARACTERS_MAX);
  return { questions, answer: cutAtSentence(plainText(answer)) };
}

/**
 * Every repetition in these patterns is bounded or anchored. Tenants write the files, and this
 * thread serves all calls.
 */
function plainText(text: string): string {
  return text
    .trim()
    .replace(/!?\[([^\]]{0,200})\]\([^)]{0,2000}\)/g, "$1")
    .replace(/(^|\n)[^\S\n]*(?:[-*+]|\d{1,9}[.)])\s+/g, "$1")
    .replace(/[*_`~]{1,3}(?=\S)|(?<=\S)[*_`~]{1,3}/g, "")
    .replace(/([^\s.!?:;,])\s*\n\s*(?=\S)/g, "$1, ")
    .replace(/\s+/g, " ")
    .trim();
}

function cutAtSentence(text: string): string {
  if (text.length <= ANSWER_CHARACTERS_MAX) return text;
  const cut = text.slice(0, ANSWER_CHARACTERS_MAX);
  const end = Math.max(cut.lastIndexOf(". "), cut.lastIndexOf("! "), cut.lastIndexOf("? "));
  return end > 0 ? cut.slice(0, end + 1) : cut;
}
