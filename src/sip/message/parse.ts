/**
 * The parser: converts the text of one datagram (or one framed stream message) to a message.
 *
 * Never throws; time linear in the length. Rejects ambiguous messages (two From, two
 * Content-Length, a CSeq method other than the request's). Limits: 32 KB, 150 header lines, 250
 * values in them.
 * Tolerant where RFC 3261 requires it: folded lines (7.3.1), compact names, unknown fields, leading
 * CRLFs (7.5), a body longer than Content-Length over UDP (18.3). RFC 4475 has test cases. Lines
 * that end with LF alone are accepted too (line-ends.ts).
 */
import { Headers, hasBareControls } from "./headers.ts";
import { headOf, withoutLeadingLines } from "./line-ends.ts";
import type { CSeq, MessageFields, ParseFailure, SipMessage } from "./message.ts";
import { parseNameAddr } from "./name-addr.ts";
import { isSingleField, isVitalField, normaliseName } from "./names.ts";
import { isToken } from "./parameters.ts";
import { parseUri } from "./uri.ts";
import { parseVia } from "./via.ts";

export const MESSAGE_BYTES_MAX = 32 * 1024;
const HEADER_LINES_MAX = 150;
/** Reading a list of thousands of values takes tens of milliseconds. */
const HEADER_VALUES_MAX = 250;

const REQUEST_LINE = /^(\S{1,64}) (\S{1,2048}) SIP\/2\.0$/i;
const STATUS_LINE = /^SIP\/2\.0 ([1-6]\d\d)(?: (.*))?$/i;
const CSEQ = /^(\d{1,10})[ \t]+(\S{1,64})$/;
const CSEQ_MAX = 2 ** 31 - 1;

type StartLine =
  | { readonly kind: "request"; readonly method: string; readonly uri: string }
  | { readonly kind: "response"; readonly statusCode: number; readonly reasonPhrase: string };

export function parseMessage(data: string): SipMessage | ParseFailure {
  if (data.length > MESSAGE_BYTES_MAX) return failure("longer than 32 KB");
  return parseWithin(data, HEADER_LINES_MAX, HEADER_VALUES_MAX);
}

/** Parses a message that we built. It repeats values of a peer, with one list value per line. */
export const parseOwnMessage = (text: string): SipMessage | ParseFailure =>
  parseWithin(text, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY);

function parseWithin(data: string, linesMax: number, valuesMax: number): SipMessage | ParseFailure {
  const text = withoutLeadingLines(data);
  const head = headOf(text);
  if (!head) return failure("no empty line behind the header");
  const lines = unfold(head.text).split("\r\n");
  if (lines.length > linesMax) return failure("too many header lines");
  const start = parseStartLine(lines[0] ?? "");
  if (!start) return failure("bad start line");
  const headers = parseHeaders(lines);
  if (typeof headers === "string") return failure(headers);
  if (headers.size > valuesMax) return failure("too many header values");
  const body = cutBody(text.slice(head.bodyAt), headers.get("content-length"));
  if (body === undefined) return failure("body does not fit Content-Length");
  return assemble(start, headers, body);
}

const failure = (reason: string): ParseFailure => ({ kind: "failure", reason });

function unfold(head: string): string {
  return /\r\n[ \t]/.test(head) ? head.replace(/\r\n[ \t]+/g, " ") : head;
}

function parseStartLine(line: string): StartLine | undefined {
  const status = STATUS_LINE.exec(line);
  if (status) {
    return {
      kind: "response",
      statusCode: Number(status[1]),
      reasonPhrase: status[2] ?? "",
    };
  }
  const request = REQUEST_LINE.exec(line);
  const method = request?.[1];
  const uri = request?.[2];
  if (method === undefined || uri === undefined || !isToken(method)) return undefined;
  return { kind: "request", method, uri };
}

/** Returns the headers, or the reason why they are invalid. */
function parseHeaders(lines: readonly string[]): Headers | string {
  const headers = new Headers();
  const seen = new Set<string>();
  for (let at = 1; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(colon, 0)).trimEnd();
    if (!isToken(name)) return "bad header name";
    const normalised = normaliseName(name);
    if (isSingleField(normalised)) {
      if (seen.has(normalised)) return `${normalised} stands twice`;
      seen.add(normalised);
    }
    const value = line.slice(colon + 1).trim();
    if (hasBareControls(value)) return `control character in ${normalised}`;
    const isClosed = headers.appendLine(normalised, value);
    if (!isClosed && isVitalField(normalised)) return `unclosed quote in ${normalised}`;
  }
  return headers;
}

/**
 * Cuts the body to Content-Length bytes; undefined if it is shorter, or if the length is not a
 * number.
 */
function cutBody(body: string, contentLength: string | undefined): string | undefined {
  if (contentLength === undefined) return body;
  if (!/^\d{1,6}$/.test(contentLength)) return undefined;
  const length = Number(contentLength);
  const available = Buffer.byteLength(body);
  if (available < length) return undefined;
  if (available === length) return body;
  return Buffer.from(body).subarray(0, length).toString();
}

function assemble(start: StartLine, headers: Headers, body: string): SipMessage | ParseFailure {
  const via = parsed(headers, "via", parseVia);
  // The other Vias only need to be recognisable as Vias; their content concerns other hops.
  if (!via || !headers.all("via").every((value) => /^SIP\s*\//i.test(value)))
    return failure("no readable Via");
  const from = parsed(headers, "from", parseNameAddr);
  if (!from) return failure("no readable From");
  const to = parsed(headers, "to", parseNameAddr);
  if (!to) return failure("no readable To");
  const callId = headers.get("call-id");
  if (!callId || /\s/.test(callId)) return failure("no readable Call-ID");
  const cseq = parsed(headers, "cseq", parseCSeq);
  if (!cseq) return failure("no readable CSeq");
  const fields: MessageFields = { headers, via, from, to, callId, cseq, body };
  if (start.kind === "response") return { ...start, ...fields };
  if (cseq.method !== start.method) return failure("CSeq is of another method");
  const uri = parseUri(start.uri);
  if (!uri) return failure("unreadable Request-URI");
  return { kind: "request", method: start.method, uri, ...fields };
}

function parsed<Value>(
  headers: Headers,
  name: string,
  parse: (text: string) => Value | undefined,
): Value | undefined {
  const text = headers.get(name);
  return text === undefined ? undefined : parse(text);
}

function parseCSeq(text: string): CSeq | undefined {
  const match = CSEQ.exec(text);
  const method = match?.[2];
  const number = Number(match?.[1] ?? Number.NaN);
  if (method === undefined || !isToken(method) || !(number <= CSEQ_MAX)) return undefined;
  return { number, method };
}
