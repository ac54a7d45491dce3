/**
 * The 400 (or 505) response to a request that does not parse (RFC 3261 8.1.3, 21.4.1, RFC 4475
 * 3.1.2). It copies the headers that can be found, line by line, without parsing them. It is sent
 * without a transaction, since the message identifies none reliably.
 */
import { headOf, withoutLeadingLines } from "./line-ends.ts";
import type { ParseFailure } from "./message.ts";
import { normaliseName } from "./names.ts";
import { splitOutsideQuotes } from "./split.ts";
import { reasonPhraseOf } from "./status.ts";
import { formatVia, parseVia, responseDestination, stampSource } from "./via.ts";

interface Rejection {
  readonly text: string;
  readonly destination: { readonly host: string; readonly port: number };
}

const COPIED = ["from", "to", "call-id", "cseq"] as const;
const WIRE_NAMES = { from: "From", to: "To", "call-id": "Call-ID", cseq: "CSeq" } as const;
const VALUE_CHARACTERS_MAX = 1024;
const VIAS_MAX = 16;

/** Undefined for a response, an ACK, or a message without a Via to respond to. */
export function rejectMalformed(
  data: string,
  failure: ParseFailure,
  source: { readonly host: string; readonly port: number },
): Rejection | undefined {
  const whole = withoutLeadingLines(data);
  const head = (headOf(whole)?.text ?? whole).replace(/\r\n[ \t]+/g, " ");
  const [start = "", ...lines] = head.split("\r\n");
  if (/^SIP\//i.test(start) || /^ACK\b/.test(start) || !/SIP\/\d/i.test(start)) return undefined;
  const vias = valuesOf(lines, "via").flatMap((line) => splitOutsideQuotes(line, ",") ?? [line]);
  const [top = ""] = vias;
  // For another version of SIP only the hop matters.
  const via = parseVia(top.trim().replace(/^SIP\s*\/\s*\d+\.\d+/i, "SIP/2.0"));
  if (!via) return undefined;
  const stamped = stampSource(via, source);
  const others = vias.slice(1, VIAS_MAX).filter((value) => parseVia(value.trim()));
  const statusCode = /SIP\/2\.0\s*$/i.test(start) || !/SIP\/\d+\.\d+\s*$/i.test(start) ? 400 : 505;
  const reason = statusCode === 400 ? `Bad Request: ${failure.reason}` : reasonPhraseOf(505);
  const text = [
    `SIP/2.0 ${statusCode} ${reason}`,
    ...[formatVia(stamped), ...others.map((value) => value.trim())].map((value) => `Via: ${value}`),
    ...COPIED.flatMap((name) => copied(lines, name)),
    "Content-Length: 0",
    "",
    "",
  ].join("\r\n");
  return { text, destination: responseDestination(stamped) };
}

/** The first line of that name; To gets a tag if it has none. */
function copied(lines: readonly string[], name: (typeof COPIED)[number]): string[] {
  const [value] = valuesOf(lines, name);
  if (value === undefined || value.length > VALUE_CHARACTERS_MAX) return [];
  const untagged = name === "to" && !/;\s*tag\s*=/i.test(value);
  return [`${WIRE_NAMES[name]}: ${value}${untagged ? ";tag=malformed" : ""}`];
}

function valuesOf(lines: readonly string[], name: string): string[] {
  const values: string[] = [];
  for (const line of lines) {
    const colon = line.indexOf(":");
    if (colon < 1 || normaliseName(line.slice(0, colon).trimEnd()) !== name) continue;
    const value = line.slice(colon + 1).trim();
    if (!/[\r\n]/.test(value)) values.push(value);
  }
  return values;
}
