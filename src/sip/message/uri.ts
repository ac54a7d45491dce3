/**
 * SIP URIs: `sip:`, `sips:` (RFC 3261 19.1) and `tel:` (RFC 3966). Other schemes are kept
 * unchanged, so that a server can respond with 416.
 */
import { formatParameters, type Parameters, parseParameters } from "./parameters.ts";

export interface SipUri {
  readonly scheme: "sip" | "sips";
  /** With percent-escapes as received; null if there is no user part. */
  readonly user: string | null;
  readonly password: string | null;
  /** Name, IPv4, or IPv6 in brackets. */
  readonly host: string;
  readonly port: number | null;
  readonly parameters: Parameters;
  /** Text after `?`, as received; null if there is none. */
  readonly headers: string | null;
}

interface TelUri {
  readonly scheme: "tel";
  /** The received text, including visual separators. */
  readonly number: string;
  readonly parameters: Parameters;
}

interface OtherUri {
  readonly scheme: "other";
  readonly text: string;
}

export type Uri = SipUri | TelUri | OtherUri;

const SCHEME = /^([A-Za-z][A-Za-z0-9+.-]*):/;
const HOST_PORT = /^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::(\d{1,5}))?$/;
const TEL_NUMBER = /^\+?[0-9A-Fa-f*#().-]+$/;
const NOT_IN_URI = /[\s<>"\x00-\x1f]/;

/** Undefined if the text is not a URI. Linear time. */
export function parseUri(text: string): Uri | undefined {
  const scheme = SCHEME.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined || NOT_IN_URI.test(text)) return undefined;
  const rest = text.slice(scheme.length + 1);
  if (scheme === "sip" || scheme === "sips") return parseSipUri(scheme, rest);
  if (scheme === "tel") return parseTelUri(rest);
  return { scheme: "other", text };
}

function parseSipUri(scheme: "sip" | "sips", text: string): SipUri | undefined {
  const at = text.lastIndexOf("@");
  const userInfo = at < 0 ? null : text.slice(0, at);
  if (userInfo === "") return undefined;
  const question = text.indexOf("?", at + 1);
  const headers = question < 0 ? null : text.slice(question + 1);
  const [hostPort = "", ...parts] = text
    .slice(at + 1, question < 0 ? undefined : question)
    .split(";");
  const match = HOST_PORT.exec(hostPort);
  const host = match?.[1];
  if (host === undefined) return undefined;
  const port = match?.[2] === undefined ? null : Number(match[2]);
  if (port !== null && (port < 1 || port > 65535)) return undefined;
  const parameters = parseParameters(parts);
  if (!parameters) return undefined;
  const colon = userInfo?.indexOf(":") ?? -1;
  const user = userInfo === null || colon < 0 ? userInfo : userInfo.slice(0, colon);
  const password = userInfo === null || colon < 0 ? null : userInfo.slice(colon + 1);
  return { scheme, user, password, host, port, parameters, headers };
}

function parseTelUri(text: string): TelUri | undefined {
  const [number = "", ...parts] = text.split(";");
  const parameters = parseParameters(parts);
  if (!TEL_NUMBER.test(number) || !parameters) return undefined;
  return { scheme: "tel", number, parameters };
}

export function formatUri(uri: Uri): string {
  if (uri.scheme === "other") return uri.text;
  if (uri.scheme === "tel") return `tel:${uri.number}${formatParameters(uri.parameters)}`;
  const password = uri.password === null ? "" : `:${uri.password}`;
  const user = uri.user === null ? "" : `${uri.user}${password}@`;
  const port = uri.port === null ? "" : `:${uri.port}`;
  const headers = uri.headers === null ? "" : `?${uri.headers}`;
  return `${uri.scheme}:${user}${uri.host}${port}${formatParameters(uri.parameters)}${headers}`;
}

/** The called or calling user: the user part or the telephone number, unescaped. */
export function userOf(uri: Uri): string | null {
  if (uri.scheme === "tel") return uri.number.replace(/[().-]/g, "");
  if (uri.scheme === "other" || uri.user === null) return null;
  try {
    return decodeURIComponent(uri.user);
  } catch {
    return uri.user;
  }
}
