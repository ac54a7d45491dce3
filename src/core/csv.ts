/**
 * CSV lines (RFC 4180: quotes doubled). Text that a spreadsheet would run as a formula gets a
 * leading apostrophe. E.164 numbers, days without a year (`--02-29`) and numeric cells are left
 * unchanged. Where lists are separated by `;`, as in the Baltic countries, a spreadsheet divides our lines
 * there, and where a cell's text has a new line: a formula could begin behind those, too.
 */
import { isE164 } from "./e164.ts";

type CsvCell = string | number | null;

const FORMULA = /^[=+\-@\t\r]/;
const FORMULA_WITHIN = /([;\r\n])(?=[=@\t]|[+-](?:[^\s\d]|\d+[^\s\d;]))/g;
const DAY = /^--\d\d-\d\d$/;

function cellText(cell: CsvCell): string {
  if (cell === null) return "";
  if (typeof cell === "number") return String(cell);
  const begun = FORMULA.test(cell) && !isE164(cell) && !DAY.test(cell) ? `'${cell}` : cell;
  const safe = begun.replace(FORMULA_WITHIN, "$1'");
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Without the line ending: the writer adds CRLF. */
export const csvRow = (cells: readonly CsvCell[]): string => cells.map(cellText).join(",");
