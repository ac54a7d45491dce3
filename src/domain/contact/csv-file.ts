/**
 * Reads a CSV file as spreadsheets write it (RFC 4180): separated by `,` or `;`, UTF-8 with or
 * without a byte order mark, the header in the first row. For contacts and campaigns.
 */
import { Readable } from "node:stream";
import { type E164, isE164, isShortNumber } from "../../core/e164.ts";
import { invalidField } from "../../core/errors.ts";
import { createYielder } from "../../core/event-loop.ts";
import { type Country, e164Candidates, networkNumber } from "../number/national-form.ts";

/** Without the header. */
export const CSV_LINES_MAX = 20_000;
const LINE_CHARACTERS_MAX = 16_384;
const PIECE_BYTES = 16_384;

interface CsvLine {
  readonly cells: readonly string[];
  /** Line of the file; the header is 1. */
  readonly line: number;
}

interface CsvFile {
  /** Empty if the file is. */
  readonly header: readonly string[];
  readonly lines: readonly CsvLine[];
}

interface Row {
  readonly record: string[];
  readonly info: { readonly lines: number };
}

async function* piecesOf(bytes: Buffer, turn: () => Promise<void>): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    // Not every piece has a row in it.
    await turn();
    yield bytes.subarray(at, at + PIECE_BYTES);
  }
}

/**
 * The parser counts neither spaces nor commas as characters of a row: two million of them would be one row, which it
 * reads anew with each piece. Throws valid_csv_required.
 */
function requireShortLines(csv: string): void {
  for (let at = 0; at + LINE_CHARACTERS_MAX < csv.length; ) {
    const piece = csv.slice(at, at + LINE_CHARACTERS_MAX + 1);
    const end = Math.max(piece.lastIndexOf("\n"), piece.lastIndexOf("\r"));
    if (end < 0)
      throw invalidField(
        "csv",
        `A line of \`csv\` may have ${LINE_CHARACTERS_MAX} characters; one is longer.`,
      );
    at += end + 1;
  }
}

/**
 * Yields to the event loop. Reads one line more than allowed, so that the caller notices a file
 * that is too long. Throws valid_csv_required.
 */
export async function readCsvFile(csv: string): Promise<CsvFile> {
  requireShortLines(csv);
  const beginning = csv.slice(0, LINE_CHARACTERS_MAX);
  const firstLine = beginning.slice(0, beginning.search(/\r?\n|$/));
  const delimiter = firstLine.split(";").length > firstLine.split(",").length ? ";" : ",";
  const rows: Row[] = [];
  const turn = createYielder();
  const { parse } = await import("csv-parse");
  try {
    const parser = parse({
      // Trimming also removes a byte order mark.
      delimiter,
      info: true,
      trim: true,
      skip_empty_lines: true,
      relax_column_count: true,
      max_record_size: LINE_CHARACTERS_MAX,
    });
    for await (const row of Readable.from(piecesOf(Buffer.from(csv), turn)).pipe(parser)) {
      rows.push(row as Row);
      if (rows.length > CSV_LINES_MAX + 1) break;
      await turn();
    }
  } catch (error) {
    throw invalidField("csv", `\`csv\` cannot be read: ${(error as Error).message}`);
  }
  const [header, ...lines] = rows.map(({ record, info }) => ({ cells: record, line: info.lines }));
  return { header: header?.cells ?? [], lines };
}

/** Converts a written telephone number to E.164; undefined: it is none, or an extension such as `1001`. */
export function numberIn(written: string, country: Country | null): E164 | undefined {
  const compact = written.replace(/[\s().-]/g, "");
  if (isE164(compact)) return compact;
  const number = e164Candidates(compact, country)[0];
  return isShortNumber(networkNumber(compact, country) ?? "") ? undefined : number;
}
