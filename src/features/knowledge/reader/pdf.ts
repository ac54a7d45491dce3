/**
 * Text of a PDF file, as Markdown. PDF has positions instead of paragraphs. Text at one height is a
 * line. Lines whose parts start at the same positions are a table. Lines in larger letters are
 * headings. Text repeated at the edges of the pages is dropped.
 */
import { readFileSync } from "node:fs";
import libraryFile from "./data/pdfjs.zst" with { type: "file" };
import { DocumentError } from "./document-error.ts";
import { CHARACTERS_MAX, tableText } from "./markdown.ts";

interface PdfText {
  readonly title: string;
  readonly markdown: string;
  readonly pages: number;
  /** Pages without text, such as scanned ones. */
  readonly emptyPages: number;
}

interface PdfLimits {
  readonly pagesMax: number;
  readonly charactersMax: number;
}

const LIMITS: PdfLimits = { pagesMax: 2_000, charactersMax: CHARACTERS_MAX };
/** Minimum per page; fewer letters are page numbers and stamps. */
const LETTERS_MIN = 20;
const TITLE_CHARACTERS_MAX = 200;
/**
 * Pages that the library keeps after reading. The limit saves a fifth of the memory for 2,000
 * pages.
 */
const PAGES_HELD_MAX = 50;

/** The part of pdf.js that we use. */
interface PdfItem {
  readonly str?: string;
  readonly width?: number;
  readonly height?: number;
  readonly transform?: readonly number[];
}
interface PdfPage {
  getTextContent(): Promise<{ readonly items: readonly PdfItem[] }>;
  cleanup(): void;
}
interface PdfDocument {
  readonly numPages: number;
  getPage(number: number): Promise<PdfPage>;
  /** Frees fonts and pages; the library loads them again when needed. */
  cleanup(): Promise<void>;
}
interface PdfLibrary {
  getDocument(options: object): { readonly promise: Promise<PdfDocument> };
}

let library: Promise<PdfLibrary> | null = null;

async function loadLibrary(): Promise<PdfLibrary> {
  const source = new Uint8Array(Bun.zstdDecompressSync(readFileSync(libraryFile)));
  const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  try {
    return await import(url);
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** Throws DocumentError. */
export async function readPdf(bytes: Uint8Array, limits = LIMITS): Promise<PdfText> {
  library ??= loadLibrary();
  const document = await opened(await library, bytes);
  if (document.numPages < 1) throw new DocumentError("broken");
  if (document.numPages > limits.pagesMax) throw new DocumentError("too_many_pages");
  const pages: Line[][] = [];
  let characters = 0;
  let damaged = 0;
  for (let number = 1; number <= document.numPages; number++) {
    const read = await linesOfPage(document, number);
    if (read === null) damaged++;
    const lines = read ?? [];
    for (const { parts } of lines) for (const { text } of parts) characters += text.length;
    if (characters > limits.charactersMax) throw new DocumentError("too_long");
    pages.push(lines);
    if (number % PAGES_HELD_MAX === 0) await document.cleanup();
  }
  const lettersOf = (lines: readonly Line[]) =>
    lines.reduce((sum, line) => sum + (textOf(line).match(/\p{L}/gu)?.length ?? 0), 0);
  const emptyPages = pages.filter((lines) => lettersOf(lines) < LETTERS_MIN).length;
  if (emptyPages === pages.length && pages.every((lines) => lettersOf(lines) === 0))
    throw new DocumentError(damaged > 0 ? "broken" : "no_text");
  const kept = withoutEdges(pages);
  const { markdown, title } = written(kept.some((lines) => lines.length > 0) ? kept : pages);
  return { title, markdown, pages: pages.length, emptyPages };
}

async function opened(library: PdfLibrary, data: Uint8Array): Promise<PdfDocument> {
  try {
    return await library.getDocument({
      data,
      verbosity: 0,
      isEvalSupported: false,
      useSystemFonts: false,
      disableFontFace: true,
      useWorkerFetch: false,
      enableXfa: false,
      maxImageSize: 1,
    }).promise;
  } catch (error) {
    const { name, message } = error instanceof Error ? error : { name: "", message: "" };
    const isEncrypted = name === "PasswordException" || /encryption/i.test(message);
    throw new DocumentError(isEncrypted ? "encrypted" : "broken");
  }
}

/** Text at one height without a wide gap. */
interface Part {
  readonly left: number;
  right: number;
  text: string;
}

interface Line {
  readonly parts: Part[];
  readonly baseline: number;
  /** Height of the letters. */
  height: number;
}

const textOf = ({ parts }: Line) => parts.map(({ text }) => text).join(" ");

/** Null if the page is damaged. */
async function linesOfPage(document: PdfDocument, number: number): Promise<Line[] | null> {
  try {
    const page = await document.getPage(number);
    const { items } = await page.getTextContent();
    page.cleanup();
    return linesOf(items);
  } catch {
    return null;
  }
}

/** In the order of the file, which is the reading order. Text at the same height is one line. */
function linesOf(items: readonly PdfItem[]): Line[] {
  const lines: Line[] = [];
  for (const { str = "", width = 0, height = 0, transform = [] } of items) {
    const [, , , scale = 0, left = 0, baseline = 0] = transform;
    const letters = height || Math.abs(scale);
    if (str.trim() === "" || letters === 0) continue;
    const last = lines.at(-1);
    const isSame = (line: Line) => Math.abs(line.baseline - baseline) < 0.4 * letters;
    const line = last && isSame(last) ? last : cellBeside(lines, left, isSame);
    if (line) addTo(line, { left, right: left + width, text: str }, letters);
    else {
      const part = { left, right: left + width, text: str };
      lines.push({ parts: [part], baseline, height: letters });
    }
  }
  for (const { parts } of lines) for (const part of parts) part.text = part.text.trim();
  return lines;
}

const CELL_CHARACTERS_MAX = 40;
const LINES_BACK_MAX = 60;

/**
 * A table may be written column by column: its short cells then start to the right of the line's
 * end.
 */
function cellBeside(lines: readonly Line[], left: number, isSame: (line: Line) => boolean) {
  const found = lines.slice(-LINES_BACK_MAX).find(isSame);
  const last = found?.parts.at(-1);
  if (!found || !last || left < last.right) return undefined;
  return found.parts.every(({ text }) => text.length <= CELL_CHARACTERS_MAX) ? found : undefined;
}

function addTo(line: Line, part: Part, letters: number): void {
  const last = line.parts.at(-1);
  const gap = last ? part.left - last.right : 0;
  line.height = Math.max(line.height, letters);
  // A gap wider than spaces between words: another cell. To the left of the end: another column.
  if (!last || gap > 1.2 * letters || gap < -letters) {
    line.parts.push(part);
    return;
  }
  const joins = gap < 0.15 * letters || /\s$/.test(last.text) || /^\s/.test(part.text);
  last.text += joins ? part.text : ` ${part.text}`;
  last.right = part.right;
}

const EDGE_LINES = 2;
const EDGE_PAGES_MIN = 3;

/**
 * Removes headers, footers and page numbers: text at the edge of most pages, apart from numbers.
 */
function withoutEdges(pages: readonly Line[][]): Line[][] {
  if (pages.length < EDGE_PAGES_MIN) return [...pages];
  const keyOf = (line: Line) => textOf(line).replace(/\d+/g, "0");
  const edgesOf = (lines: readonly Line[]) => {
    const byHeight = lines.toSorted((a, b) => b.baseline - a.baseline);
    return new Set([...byHeight.slice(0, EDGE_LINES), ...byHeight.slice(-EDGE_LINES)]);
  };
  const counts = new Map<string, number>();
  for (const lines of pages)
    for (const key of new Set([...edgesOf(lines)].map(keyOf)))
      counts.set(key, (counts.get(key) ?? 0) + 1);
  const repeats = (line: Line) => (counts.get(keyOf(line)) ?? 0) > pages.length / 2;
  return pages.map((lines) => {
    const edges = edgesOf(lines);
    return lines.filter((line) => !edges.has(line) || !repeats(line));
  });
}

/** The most common letter height. */
function bodyHeight(pages: readonly (readonly Line[])[]): number {
  const letters = new Map<number, number>();
  for (const line of pages.flat()) {
    const height = Math.round(line.height * 2) / 2;
    letters.set(height, (letters.get(height) ?? 0) + textOf(line).length);
  }
  const [most] = [...letters].sort(([, a], [, b]) => b - a);
  return most?.[0] ?? 0;
}

const HEADING_FACTOR = 1.15;
const TITLE_FACTOR = 1.6;
const HEADING_CHARACTERS_MAX = 150;

/** 0 if it is not a heading. */
function headingLevel(line: Line, body: number): number {
  const text = textOf(line);
  if (line.height < HEADING_FACTOR * body || text.length > HEADING_CHARACTERS_MAX) return 0;
  if (!/\p{L}/u.test(text)) return 0;
  return line.height >= TITLE_FACTOR * body ? 1 : 2;
}

function written(pages: readonly (readonly Line[])[]): { markdown: string; title: string } {
  const body = bodyHeight(pages);
  const blocks: string[] = [];
  let title = "";
  for (const lines of pages) {
    for (let at = 0; at < lines.length; ) {
      const line = lines[at];
      if (!line) break;
      const level = headingLevel(line, body);
      const rows = level > 0 ? [] : tableAt(lines, at);
      if (level > 0) {
        const text = textOf(line);
        if (title === "") title = text.slice(0, TITLE_CHARACTERS_MAX);
        blocks.push(`${"#".repeat(level)} ${text}`);
        at++;
      } else if (rows.length > 1) {
        blocks.push(tableText(rows));
        at += rows.length;
      } else {
        const end = paragraphEnd(lines, at, body);
        blocks.push(paragraphOf(lines.slice(at, end)));
        at = end;
      }
    }
  }
  return { markdown: blocks.join("\n\n"), title };
}

/** Rows of a table that begins here. Fewer than two: not a table. */
function tableAt(lines: readonly Line[], at: number): string[][] {
  const first = lines[at];
  if (!first || first.parts.length < 2) return [];
  const columns = first.parts.map(({ left, right }) => ({ left, right }));
  const rows: string[][] = [];
  for (const line of lines.slice(at)) {
    const row = rowOf(line, columns);
    if (!row || line.height > HEADING_FACTOR * first.height) break;
    rows.push(row);
  }
  return rows;
}

/** Null if the line's parts don't fit the columns. */
function rowOf(line: Line, columns: readonly { left: number; right: number }[]): string[] | null {
  if (line.parts.length < 2 || line.parts.length > columns.length) return null;
  const row = columns.map(() => "");
  for (const { left, right, text } of line.parts) {
    const at = columns.findIndex((column, number) => {
      const nextLeft = columns[number + 1]?.left ?? Number.POSITIVE_INFINITY;
      const overlaps = left < column.right && right > column.left;
      return overlaps || (Math.abs(left - column.left) < line.height && right <= nextLeft);
    });
    if (at < 0 || row[at] !== "") return null;
    row[at] = text;
  }
  return row;
}

/** End of a paragraph: its lines follow each other at normal line distance. */
function paragraphEnd(lines: readonly Line[], from: number, body: number): number {
  let at = from + 1;
  for (; at < lines.length; at++) {
    const [before, line] = [lines[at - 1], lines[at]];
    if (!before || !line || headingLevel(line, body) > 0 || tableAt(lines, at).length > 1) break;
    const gap = before.baseline - line.baseline;
    if (gap > 1.7 * Math.max(before.height, line.height) || gap < 0) break;
    if (LIST_ITEM.test(textOf(line))) break;
  }
  return at;
}

const LIST_ITEM = /^\s*(?:[•●▪‣–·*-]|\d{1,3}[.)])\s+/;

function paragraphOf(lines: readonly Line[]): string {
  let text = "";
  for (const line of lines) {
    const words = textOf(line);
    // A hyphenated word at the end of a line.
    if (/\p{Ll}[-\u00ad]$/u.test(text) && /^\p{Ll}/u.test(words)) text = text.slice(0, -1) + words;
    else text += text === "" ? words : ` ${words}`;
  }
  return text
    .replace(/\u00ad/g, "")
    .replace(/^\s*[•●▪‣·]\s*/, "- ")
    .replace(/^#+(?=\s)/, "\\$&");
}
