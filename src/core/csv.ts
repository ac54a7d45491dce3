/**
 * CSV lines (RFC 4180: quotes doubled). Text that a spreadsheet would run as a formula gets a
 * leading apostrophe. E.164 numbers, days without a year (`--02-29`) and numeric cells are left
 * unchanged.
 */
import { isE164 } from "./e164.ts";

type CsvCell = string | number | null;

const FORMULA = /^[=+\-@\t\r]/;
const DAY = /^--\d\d-\d\d$/;

function cellText(cell: CsvCell): string {
  if (cell === null) return "";
  if (typeof cell === "number") return String(cell);
  const safe = FORMULA.test(cell) && !isE164(cell) && !DAY.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Without the line ending: the writer adds CRLF. */
export const csvRow = (cells: readonly CsvCell[]): string => cells.map(cellText).join(",");
