/**
 * Builders: messages to text. Content-Length is always computed and counts bytes. A line break
 * inside a value throws RangeError instead of creating another header.
 */
import { type HeaderInit, Headers } from "./headers.ts";
import type { SipMessage, SipRequest } from "./message.ts";
import { tagOf } from "./name-addr.ts";
import { reasonPhraseOf } from "./status.ts";
import { formatUri, type Uri } from "./uri.ts";

export interface RequestParts {
  readonly method: string;
  readonly uri: Uri | string;
  /** All headers except Content-Length, in wire order. */
  readonly headers: HeaderInit | Headers;
  readonly body?: string;
}

export interface ResponseParts {
  readonly statusCode: number;
  /** Default: the standard phrase of the code. */
  readonly reasonPhrase?: string;
  /** Added to To if the request's To has no tag. Required for every response except 100. */
  readonly toTag?: string;
  /** Added after the copied headers. */
  readonly headers?: HeaderInit;
  readonly body?: string;
}

export function buildRequest(parts: RequestParts): string {
  const uri = typeof parts.uri === "string" ? parts.uri : formatUri(parts.uri);
  if (/\s/.test(uri)) throw new RangeError("white space in Request-URI");
  return compose(`${parts.method} ${uri} SIP/2.0`, toHeaders(parts.headers), parts.body ?? "");
}

/** Copies Via, From, To, Call-ID, CSeq and, if a dialog may start, Record-Route (8.2.6, 12.1.1). */
export function buildResponse(request: SipRequest, parts: ResponseParts): string {
  const { statusCode } = parts;
  const headers = new Headers();
  for (const via of request.headers.all("via")) headers.append("via", via);
  if (statusCode > 100 && statusCode < 300) {
    for (const route of request.headers.all("record-route")) headers.append("record-route", route);
  }
  headers.append("from", request.headers.get("from") ?? "");
  headers.append("to", taggedTo(request, parts.toTag));
  headers.append("call-id", request.callId);
  headers.append("cseq", request.headers.get("cseq") ?? "");
  for (const [name, value] of parts.headers ?? []) headers.append(name, String(value));
  const reason = parts.reasonPhrase ?? reasonPhraseOf(statusCode);
  return compose(`SIP/2.0 ${statusCode} ${reason}`, headers, parts.body ?? "");
}

/** Converts a parsed message back to text, e.g. after changes to its headers. */
export function serialise(message: SipMessage): string {
  const start =
    message.kind === "request"
      ? `${message.method} ${formatUri(message.uri)} SIP/2.0`
      : `SIP/2.0 ${message.statusCode} ${message.reasonPhrase}`;
  return compose(start, message.headers.clone(), message.body);
}

function taggedTo(request: SipRequest, toTag: string | undefined): string {
  const to = request.headers.get("to") ?? "";
  return toTag === undefined || tagOf(request.to) !== null ? to : `${to};tag=${toTag}`;
}

function toHeaders(init: HeaderInit | Headers): Headers {
  return init instanceof Headers ? init.clone() : Headers.from(init);
}

function compose(startLine: string, headers: Headers, body: string): string {
  if (/[\r\n]/.test(startLine)) throw new RangeError("line break in the start line");
  headers.remove("content-length");
  headers.append("content-length", String(Buffer.byteLength(body)));
  return `${startLine}\r\n${headers}\r\n${body}`;
}
