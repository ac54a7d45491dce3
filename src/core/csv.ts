/**
 * CSV lines (RFC 4180: quotes doubled). Text that a spreadsheet would run as a formula gets a
 * leading apostrophe. E.164 numbers, days without a year (`--02-29`) and numeric cells are left
 * unchanged. If lists are separated by `;`, as in the Baltic countries, a spreadsheet also splits
 * our lines there, and at a new line in a cell. A formula could begin after those too, so they are
 * covered as well.
 */
import { isE164 } from "./e164.ts";

type CsvCell = string | number | null;

/** Apostrophes before it are text: writing adds one, reading removes one. */
const FORMULA = /^'*[=+\-@\t\r]/;
const WITHIN = "(?=[=@\\t]|[+-](?:[^\\s\\d]|\\d+[^\\s\\d;]))";
const FORMULA_WITHIN = new RegExp(`([;\\r\\n]'*)${WITHIN}`, "g");
const ESCAPED_WITHIN = new RegExp(`([;\\r\\n]'*)'${WITHIN}`, "g");
const DAY = /^--\d\d-\d\d$/;

function cellText(cell: CsvCell): string {
  if (cell === null) return "";
  if (typeof cell === "number") return String(cell);
  const begun = FORMULA.test(cell) && !isE164(cell) && !DAY.test(cell) ? `'${cell}` : cell;
  const safe = begun.replace(FORMULA_WITHIN, "$1'");
  return /[",\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Text of a cell from `csvRow` or a spreadsheet, without the apostrophe that disables a formula. */
export const csvCellText = (cell: string): string =>
  cell.replace(/^'(?='*[=+\-@\t\r])/, "").replace(ESCAPED_WITHIN, "$1");

/** Without the line ending: the writer adds CRLF. */
export const csvRow = (cells: readonly CsvCell[]): string => cells.map(cellText).join(",");
