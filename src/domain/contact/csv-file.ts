/**
 * A CSV file as a spreadsheet writes it (RFC 4180): `,` or `;` between, UTF-8 with or without a mark, the
 * first row its header. For lists of people, here and in campaign/.
 */
import { Readable } from "node:stream";
import { parse } from "csv-parse";
import { type E164, isE164 } from "../../core/e164.ts";
import { invalidField } from "../../core/errors.ts";
import { createYielder } from "../../core/event-loop.ts";
import { type Country, e164Candidates } from "../number/national-form.ts";

/** Below the header. */
export const CSV_LINES_MAX = 20_000;
const LINE_CHARACTERS_MAX = 16_384;
const PIECE_BYTES = 16_384;

interface CsvLine {
  readonly cells: readonly string[];
  /** Of the file, the header being 1. */
  readonly line: number;
}

interface CsvFile {
  /** Empty: so is the file. */
  readonly header: readonly string[];
  readonly lines: readonly CsvLine[];
}

interface Row {
  readonly record: string[];
  readonly info: { readonly lines: number };
}

function* piecesOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
}

/** In turns. Reads one line more than may be taken, so that more can be told. Throws valid_csv_required. */
export async function readCsvFile(csv: string): Promise<CsvFile> {
  const beginning = csv.slice(0, LINE_CHARACTERS_MAX);
  const firstLine = beginning.slice(0, beginning.search(/\r?\n|$/));
  const delimiter = firstLine.split(";").length > firstLine.split(",").length ? ";" : ",";
  const rows: Row[] = [];
  const turn = createYielder();
  try {
    const parser = parse({
      // Trimming takes a byte order mark too.
      ...{ delimiter, info: true, trim: true, skip_empty_lines: true },
      ...{ relax_column_count: true, max_record_size: LINE_CHARACTERS_MAX, to: CSV_LINES_MAX + 2 },
    });
    for await (const row of Readable.from(piecesOf(Buffer.from(csv))).pipe(parser)) {
      rows.push(row as Row);
      await turn();
    }
  } catch (error) {
    throw invalidField("csv", `\`csv\` cannot be read: ${(error as Error).message}`);
  }
  const [header, ...lines] = rows.map(({ record, info }) => ({ cells: record, line: info.lines }));
  return { header: header?.cells ?? [], lines };
}

/** A telephone number as people write it, in E.164; undefined: it is none. */
export function numberIn(written: string, country: Country | null): E164 | undefined {
  const compact = written.replace(/[\s().-]/g, "");
  return isE164(compact) ? compact : e164Candidates(compact, country)[0];
}
