/**
 * Reads CSV files from spreadsheets (RFC 4180): separated by `,`, `;` or tabs, with or without a byte order
 * mark and a line `sep=;`. The first row is the header. Used for contacts and campaigns.
 */
import { Readable } from "node:stream";
import { csvCellText } from "../../core/csv.ts";
import { invalidField } from "../../core/errors.ts";
import { createYielder } from "../../core/event-loop.ts";

/** Maximum lines, without the header. */
export const CSV_LINES_MAX = 20_000;
const LINE_CHARACTERS_MAX = 16_384;
const PIECE_BYTES = 16_384;

interface CsvLine {
  readonly cells: readonly string[];
  /** Line of the file; the header is 1. */
  readonly line: number;
  /** Why the row is unreadable; missing if it is readable. */
  readonly problem?: string;
}

interface CsvFile {
  /** Empty if the file is empty. */
  readonly header: readonly string[];
  readonly lines: readonly CsvLine[];
}

interface Row {
  readonly record: string[];
  readonly info: { readonly lines: number };
}

async function* piecesOf(bytes: Buffer, turn: () => Promise<void>): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    // Yield here too: a piece may contain no complete row.
    await turn();
    yield bytes.subarray(at, at + PIECE_BYTES);
  }
}

/**
 * Rejects long lines before parsing. The parser does not count spaces and commas as row characters. It would
 * take two million of them as one row, and read it again with each piece. Throws valid_csv_required.
 */
function requireShortLines(csv: string): void {
  for (let at = 0; at + LINE_CHARACTERS_MAX < csv.length; ) {
    const piece = csv.slice(at, at + LINE_CHARACTERS_MAX + 1);
    const end = Math.max(piece.lastIndexOf("\n"), piece.lastIndexOf("\r"));
    if (end < 0)
      throw invalidField(
        "csv",
        `A line of \`csv\` is longer than ${LINE_CHARACTERS_MAX} characters.`,
      );
    at += end + 1;
  }
}

/**
 * Yields to the event loop. Reads one line more than allowed, so that the caller can detect a file that is too
 * long. Skips rows without text. Throws valid_csv_required.
 */
export async function readCsvFile(csv: string): Promise<CsvFile> {
  requireShortLines(csv);
  const { text, delimiter, linesBefore } = separatorOf(csv.replace(/^\ufeff/, ""));
  const [header, ...lines] = await rowsOf(text, delimiter).catch(() =>
    separateRows(text, delimiter),
  );
  if (header?.problem !== undefined)
    throw invalidField("csv", `\`csv\` cannot be read. Problem in its header: ${header.problem}`);
  const lineOf = ({ line, ...rest }: CsvLine): CsvLine => ({ ...rest, line: line + linesBefore });
  return { header: header?.cells.map(visibleText) ?? [], lines: lines.map(lineOf) };
}

/** Excel may write the separator into a first line `sep=;`. */
function separatorOf(csv: string): { text: string; delimiter: string; linesBefore: number } {
  const [named = "", delimiter] = /^"?sep=(.)"?[^\S\t]*\r?\n/i.exec(csv) ?? [];
  if (delimiter !== undefined) return { text: csv.slice(named.length), delimiter, linesBefore: 1 };
  const beginning = csv.slice(0, LINE_CHARACTERS_MAX);
  const firstLine = beginning.slice(0, beginning.search(/\r?\n|$/));
  const count = (separator: string) => firstLine.split(separator).length;
  const best = [";", "\t"].reduce((a, b) => (count(b) > count(a) ? b : a), ",");
  return { text: csv, delimiter: best, linesBefore: 0 };
}

const OPTIONS = {
  info: true,
  trim: true,
  skip_empty_lines: true,
  skip_records_with_empty_values: true,
  relax_column_count: true,
  max_record_size: LINE_CHARACTERS_MAX,
} as const;

/** Rejects if one row is unreadable. */
async function rowsOf(csv: string, delimiter: string): Promise<CsvLine[]> {
  const rows: CsvLine[] = [];
  const turn = createYielder();
  const { parse } = await import("csv-parse");
  const parser = parse({ ...OPTIONS, delimiter });
  for await (const row of Readable.from(piecesOf(Buffer.from(csv), turn)).pipe(parser)) {
    const { record, info } = row as Row;
    rows.push({ cells: record.map(csvCellText), line: info.lines });
    if (rows.length > CSV_LINES_MAX + 1) break;
    await turn();
  }
  return rows;
}

/**
 * Parses row by row, so that a stray quotation mark breaks only its row. A quoted cell may continue in the next
 * lines.
 */
async function separateRows(csv: string, delimiter: string): Promise<CsvLine[]> {
  const { parse } = await import("csv-parse/sync");
  const turn = createYielder();
  const read = (text: string): string[] | null => {
    try {
      const [row] = parse(text, { ...OPTIONS, delimiter }) as unknown as Row[];
      return row ? row.record.map(csvCellText) : [];
    } catch {
      return null;
    }
  };
  const lines = csv.split(/\r\n|\n|\r/);
  const rows: CsvLine[] = [];
  for (let at = 0; at < lines.length && rows.length <= CSV_LINES_MAX + 1; at++) {
    await turn();
    const own = lines[at] ?? "";
    let cells = read(own);
    for (let more = 1; cells === null && more <= QUOTED_LINES_MAX; more++) {
      const next = lines[at + more];
      if (next === undefined || !own.includes('"')) break;
      cells = read(lines.slice(at, at + more + 1).join("\n"));
      if (cells?.length !== rows[0]?.cells.length) cells = null;
      else at += more;
    }
    if (cells === null)
      rows.push({ cells: own.split(delimiter), line: at + 1, problem: STRAY_QUOTE });
    else if (cells.some((cell) => cell.trim() !== "")) rows.push({ cells, line: at + 1 });
  }
  return rows;
}

const QUOTED_LINES_MAX = 5;
const STRAY_QUOTE =
  'A quotation mark (") is not closed or is inside a cell. Remove it, or write it twice.';

/** Removes marks of writing direction and invisible spaces, which copied text often has. */
export const visibleText = (text: string): string =>
  text.replace(/[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g, "").trim();
