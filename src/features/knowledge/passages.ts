/**
 * Cuts a knowledge file into passages, each of which may answer a question. A heading keeps its paragraphs
 * together. Each table row becomes a passage with the column names. A long section is cut between paragraphs,
 * then between sentences.
 */
import { parse } from "csv-parse/sync";
import type { FileFormat } from "./content.ts";
import { headingOf } from "./heading.ts";

export interface Passage {
  /** Headings above it, or the name of a row; empty if neither exists. */
  readonly heading: string;
  readonly text: string;
}

export const PASSAGE_CHARACTERS_MAX = 1_200;
const HEADING_CHARACTERS_MAX = 200;
/** Shorter paragraphs without a heading are joined to the next one. */
const PASSAGE_CHARACTERS_MIN = 200;

export function cutPassages(format: FileFormat, content: string): Passage[] {
  const text = content.replace(/^\uFEFF/, "");
  const cut = { md: sectionsOf, txt: paragraphsOf, csv: rowsOf, json: jsonOf }[format](text);
  return cut
    .map(({ heading, text }) => ({
      // A cell names its pieces, and a cell may be as large as the file.
      heading: heading
        .slice(0, 2 * HEADING_CHARACTERS_MAX)
        .replace(/\s+/g, " ")
        .trim()
        .slice(0, HEADING_CHARACTERS_MAX),
      text: text.trim(),
    }))
    .filter(({ text }) => text !== "");
}

function sectionsOf(content: string): Passage[] {
  const passages: Passage[] = [];
  const headings: string[] = [];
  let body: string[] = [];
  const finish = () => {
    const heading = headings.filter((part) => part).join(" › ");
    passages.push(...piecesOf(heading, body.join("\n")));
    body = [];
  };
  for (const line of content.split(/\r?\n/)) {
    const found = headingOf(line);
    if (!found) {
      body.push(line);
      continue;
    }
    finish();
    const { level, title } = found;
    headings.length = Math.min(headings.length, level - 1);
    headings[level - 1] = title;
  }
  finish();
  return passages;
}

const paragraphsOf = (content: string): Passage[] => {
  const passages: Passage[] = [];
  for (const paragraph of content.split(/\r?\n\s*\r?\n/)) {
    const lines = paragraph.trim().split(/\r?\n/);
    const [first = ""] = lines;
    const isPair = lines.length > 1 && first.trim().endsWith("?");
    if (isPair) {
      passages.push(...piecesOf(first, lines.slice(1).join("\n")));
      continue;
    }
    const last = passages.at(-1);
    const joined = last && `${last.text}\n\n${paragraph.trim()}`;
    const joins = last?.heading === "" && last.text.length < PASSAGE_CHARACTERS_MIN;
    if (joins && joined && joined.length <= PASSAGE_CHARACTERS_MAX)
      passages[passages.length - 1] = { heading: "", text: joined };
    else passages.push(...piecesOf("", paragraph));
  }
  return passages;
};

/** One passage per section, or several if it is long. */
function piecesOf(heading: string, body: string): Passage[] {
  const text = body.trim();
  if (text.length <= PASSAGE_CHARACTERS_MAX) return text === "" ? [] : [{ heading, text }];
  const pieces: string[] = [];
  for (const paragraph of text.split(/\r?\n\s*\r?\n/))
    for (const part of isTable(paragraph) ? tableRows(paragraph) : partsOf(paragraph)) {
      const last = pieces.at(-1);
      const room = PASSAGE_CHARACTERS_MAX - (last?.length ?? PASSAGE_CHARACTERS_MAX) - 2;
      if (last !== undefined && part.length <= room)
        pieces[pieces.length - 1] = `${last}\n\n${part}`;
      else pieces.push(part);
    }
  return pieces.map((piece) => ({ heading, text: piece }));
}

/** True if it contains a table: a row, and below it the line between header and rows. */
function isTable(paragraph: string): boolean {
  const lines = paragraph.split(/\r?\n/).map((line) => line.trim());
  return lines.some(
    (line, at) => /^\|.*\|$/.test(line) && /^\|[\s:|-]+\|$/.test(lines[at + 1] ?? ""),
  );
}

/** Groups of rows of a Markdown table, each with the table's header. */
function tableRows(table: string): string[] {
  const [names = "", rule = "", ...rows] = table.trim().split(/\r?\n/);
  const head = `${names}\n${rule}`;
  const groups: string[] = [];
  for (const row of rows) {
    const last = groups.at(-1);
    if (last !== undefined && last.length + row.length < PASSAGE_CHARACTERS_MAX)
      groups[groups.length - 1] = `${last}\n${row}`;
    else groups.push(`${head}\n${row}`.slice(0, 2 * PASSAGE_CHARACTERS_MAX));
  }
  return groups;
}

/** Cuts a long paragraph between sentences, and a long sentence between words. */
function partsOf(paragraph: string): string[] {
  const parts: string[] = [];
  let rest = paragraph.trim();
  while (rest.length > PASSAGE_CHARACTERS_MAX) {
    const window = rest.slice(0, PASSAGE_CHARACTERS_MAX);
    const sentence = Math.max(...[". ", "! ", "? ", "\n"].map((end) => window.lastIndexOf(end)));
    const space = window.lastIndexOf(" ");
    const end = sentence > 0 ? sentence + 1 : space === -1 ? PASSAGE_CHARACTERS_MAX : space;
    parts.push(rest.slice(0, end).trim());
    rest = rest.slice(end).trim();
  }
  return rest === "" ? parts : [...parts, rest];
}

function rowsOf(content: string): Passage[] {
  const first = content.split(/\r?\n/, 1)[0] ?? "";
  const delimiter = [",", ";", "\t"].find((mark) => first.includes(mark)) ?? ",";
  const [header = [], ...rows]: string[][] = parse(content, {
    delimiter,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
  });
  return rows.flatMap((row) => {
    const cells = row.map((cell, index) => `${header[index] ?? ""}: ${cell.trim()}`);
    const text = cells.filter((cell) => !/:\s*$/.test(cell)).join("\n");
    return piecesOf(row[0] ?? "", text);
  });
}

function jsonOf(content: string): Passage[] {
  try {
    return valuePassages(JSON.parse(content), "");
  } catch {
    return piecesOf("", content);
  }
}

/** An object of plain values is one passage; nested values get separate ones. */
function valuePassages(value: unknown, name: string): Passage[] {
  if (Array.isArray(value)) return value.flatMap((item) => valuePassages(item, name));
  if (typeof value !== "object" || value === null) return piecesOf(name, String(value ?? ""));
  const entries = Object.entries(value);
  const isPlain = (item: unknown) =>
    typeof item !== "object" ||
    (Array.isArray(item) && item.every((one) => typeof one !== "object"));
  const plain = entries.filter(([, item]) => isPlain(item));
  const lines = plain.map(
    ([key, item]) => `${key}: ${Array.isArray(item) ? item.join(", ") : item}`,
  );
  const title = plain.find(([key]) => /^(q|question|name|title)$/i.test(key))?.[1];
  const heading = typeof title === "string" ? title : name;
  const nested = entries.filter(([, item]) => !isPlain(item));
  return [
    ...piecesOf(heading, lines.join("\n")),
    ...nested.flatMap(([key, item]) => valuePassages(item, key.replace(/[_-]+/g, " "))),
  ];
}
