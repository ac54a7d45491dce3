/**
 * The SDP of a body in several parts (RFC 5621): carriers send it beside ISUP or a location. Looks
 * one level deep; a bounded number of parts.
 */
import type { SipMessage } from "./message.ts";
import { parseParameters } from "./parameters.ts";
import { splitOutsideQuotes, unquote } from "./split.ts";

const PARTS_MAX = 16;
const SDP = "application/sdp";

/** What stands before the parameters, in lower case. */
export const mediaTypeOf = (contentType: string): string =>
  (contentType.split(";")[0] ?? "").trim().toLowerCase();

/** The description in that body; undefined where it holds none. */
export function sdpIn(contentType: string, body: string): string | undefined {
  const type = mediaTypeOf(contentType);
  if (type === SDP) return body;
  if (!type.startsWith("multipart/")) return undefined;
  const [, ...rest] = splitOutsideQuotes(contentType, ";") ?? [];
  const boundary = unquote(parseParameters(rest)?.get("boundary") ?? "");
  if (boundary === "" || boundary.length > 70) return undefined;
  const parts = body.split(`--${boundary}`, PARTS_MAX + 1).slice(1);
  for (const part of parts) {
    const headEnd = part.indexOf("\r\n\r\n");
    if (headEnd < 0) continue;
    const head = part.slice(0, headEnd);
    const partType = /^content-type[ \t]*:[ \t]*([^\r\n]+)/im.exec(head)?.[1] ?? "text/plain";
    if (mediaTypeOf(partType) === SDP) return part.slice(headEnd + 4).replace(/\r\n$/, "\r\n");
  }
  return undefined;
}

/** The message with its SDP for a body where that is one of several parts; else as it is. */
export function withPlainSdp<Message extends SipMessage>(message: Message): Message {
  const type = message.headers.get("content-type") ?? "";
  if (!mediaTypeOf(type).startsWith("multipart/")) return message;
  const sdp = sdpIn(type, message.body);
  if (sdp === undefined) return message;
  const headers = message.headers.clone();
  headers.set("content-type", SDP);
  return { ...message, headers, body: sdp };
}
