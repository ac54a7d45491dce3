/**
 * Finds the end of a message's head. Lines end with CRLF (RFC 3261 7). Some peers send LF alone,
 * which is also accepted, but not both in one head: other parsers would read different header
 * lines.
 */

interface Head {
  /** Start line and header lines, joined by CRLF. */
  readonly text: string;
  readonly bodyAt: number;
}

/** Undefined: the empty line after the head is missing, or its line ends are mixed. */
export function headOf(text: string): Head | undefined {
  const firstLineEnd = text.indexOf("\n");
  if (firstLineEnd < 1) return undefined;
  const lineEnd = text[firstLineEnd - 1] === "\r" ? "\r\n" : "\n";
  const end = text.indexOf(lineEnd + lineEnd);
  if (end < 0) return undefined;
  const bodyAt = end + 2 * lineEnd.length;
  const head = text.slice(0, end);
  if (lineEnd === "\r\n") return { text: head, bodyAt };
  return head.includes("\r") ? undefined : { text: head.replaceAll("\n", "\r\n"), bodyAt };
}

/** Removes the empty lines that may precede a message (RFC 3261 7.5). */
export const withoutLeadingLines = (text: string): string =>
  /^[\r\n]/.test(text) ? text.replace(/^(?:\r?\n)+/, "") : text;

const REQUEST_LINE = String.raw`[^\s()<>@,;:\\"/[\]?={}]{1,64} \S{1,2048} SIP\/2\.0`;
const STATUS_LINE = String.raw`SIP\/2\.0 [1-6]\d\d(?: [^\r\n]*)?`;

export const BEGINS_REQUEST = new RegExp(`^${REQUEST_LINE}\\r?\\n`, "i");
export const BEGINS_MESSAGE = new RegExp(`^(?:${REQUEST_LINE}|${STATUS_LINE})\\r?\\n`, "i");
/** Matches a start line after another line. */
export const LATER_MESSAGE = new RegExp(`\\n(?=(?:${REQUEST_LINE}|${STATUS_LINE})\\r?\\n)`, "i");
