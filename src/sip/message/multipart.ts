/**
 * Finds the type of a body and its SDP, also without a Content-Type. Supports bodies of several
 * parts (RFC 5621), which carriers send with ISUP or a location. Searches one level deep in a
 * bounded number of parts.
 */
import type { SipMessage } from "./message.ts";
import { parseParameters } from "./parameters.ts";
import { splitOutsideQuotes, unquote } from "./split.ts";

const PARTS_MAX = 16;
const SDP = "application/sdp";

/** The type before the parameters, in lower case. */
export const mediaTypeOf = (contentType: string): string =>
  (contentType.split(";")[0] ?? "").trim().toLowerCase();

/**
 * The stated type; otherwise SDP if it starts like a description (RFC 8866 5.1), or bytes of
 * unknown type.
 */
function bodyTypeOf({ headers, body }: Pick<SipMessage, "headers" | "body">): string {
  const stated = headers.get("content-type")?.trim() ?? "";
  if (stated !== "") return stated;
  return /^\s*v=0[\r\n]/.test(body) ? SDP : "application/octet-stream";
}

/**
 * A description belongs to the session unless the message says otherwise (RFC 3261 20.11); RFC 3959
 * has others.
 */
const isOfSession = (disposition = ""): boolean =>
  ["", "session"].includes(mediaTypeOf(disposition));

/** True if the receiver may ignore the body. */
export const isBodyOptional = ({ headers }: Pick<SipMessage, "headers">): boolean =>
  /;\s*handling\s*=\s*optional/i.test(headers.get("content-disposition") ?? "");

/** The session description of that message; undefined if there is none. */
export const sessionIn = (message: Pick<SipMessage, "headers" | "body">): string | undefined =>
  isOfSession(message.headers.get("content-disposition"))
    ? sdpIn(bodyTypeOf(message), message.body)
    : undefined;

/** The session description in that body; undefined if there is none. */
export function sdpIn(contentType: string, body: string): string | undefined {
  const whole = mediaTypeOf(contentType);
  if (whole === SDP) return body;
  if (!whole.startsWith("multipart/")) return undefined;
  const [, ...rest] = splitOutsideQuotes(contentType, ";") ?? [];
  const boundary = unquote(parseParameters(rest)?.get("boundary") ?? "");
  if (boundary === "" || boundary.length > 70) return undefined;
  const parts = body.split(`--${boundary}`, PARTS_MAX + 1).slice(1);
  for (const part of parts) {
    const headEnd = part.indexOf("\r\n\r\n");
    if (headEnd < 0) continue;
    const head = part.slice(0, headEnd);
    const type = /^content-type[ \t]*:[ \t]*([^\r\n]+)/im.exec(head)?.[1] ?? "text/plain";
    const disposition = /^content-disposition[ \t]*:[ \t]*([^\r\n]+)/im.exec(head)?.[1];
    if (mediaTypeOf(type) === SDP && isOfSession(disposition)) return part.slice(headEnd + 4);
  }
  return undefined;
}

/**
 * Returns the message with the type of its body set. If the SDP was one of several parts, it
 * becomes the body. The dialog layer throws on a body without a type. An optional body that is not
 * a session description is removed.
 */
export function withPlainSdp<Message extends SipMessage>(message: Message): Message {
  if (message.body === "") return message;
  if (isBodyOptional(message) && sessionIn(message) === undefined) return withoutBody(message);
  const type = bodyTypeOf(message);
  const isMultipart = mediaTypeOf(type).startsWith("multipart/");
  const sdp = isMultipart ? sdpIn(type, message.body) : undefined;
  if (sdp === undefined && type === message.headers.get("content-type")) return message;
  const headers = message.headers.clone();
  headers.set("content-type", sdp === undefined ? type : SDP);
  return { ...message, headers, body: sdp ?? message.body };
}

function withoutBody<Message extends SipMessage>(message: Message): Message {
  const headers = message.headers.clone();
  headers.remove("content-type");
  headers.remove("content-disposition");
  return { ...message, headers, body: "" };
}
