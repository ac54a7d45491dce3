/** `"Name" <uri>;parameters` of From, To, Contact, Route, Refer-To (RFC 3261 20.10). */
import { formatParameters, type Parameters, parseParameters } from "./parameters.ts";
import { quote, quotedStringEnd, splitOutsideQuotes, unquote } from "./split.ts";
import { formatUri, parseUri, type Uri } from "./uri.ts";

export interface NameAddr {
  /** Without quotes; empty if there is none. */
  readonly displayName: string;
  readonly uri: Uri;
  /** Parameters of the header, not of the URI. */
  readonly parameters: Parameters;
}

/** Undefined if the text is neither name-addr nor addr-spec. */
export function parseNameAddr(text: string): NameAddr | undefined {
  const trimmed = text.trim();
  const nameEnd = trimmed.startsWith('"') ? quotedStringEnd(trimmed) : 0;
  if (nameEnd === undefined) return undefined;
  const open = trimmed.indexOf("<", nameEnd);
  return open < 0 ? parseAddrSpec(trimmed) : parseBracketed(trimmed, open);
}

function parseBracketed(text: string, open: number): NameAddr | undefined {
  const close = text.indexOf(">", open);
  if (close < 0) return undefined;
  const uri = parseUri(text.slice(open + 1, close));
  const tail = text.slice(close + 1).trim();
  if (!uri || (tail !== "" && !tail.startsWith(";"))) return undefined;
  const parts = tail === "" ? [] : splitOutsideQuotes(tail.slice(1), ";");
  const parameters = parts && parseParameters(parts);
  if (!parameters) return undefined;
  return { displayName: unquote(text.slice(0, open).trim()), uri, parameters };
}

/** Without brackets, parameters belong to the header, not to the URI (RFC 3261 20.10). */
function parseAddrSpec(text: string): NameAddr | undefined {
  const parts = splitOutsideQuotes(text, ";");
  const spec = (parts?.[0] ?? "").trim();
  // With a question mark or a comma it must be in brackets (20.10).
  const uri = /[?,]/.test(spec) ? undefined : parseUri(spec);
  const parameters = parts && parseParameters(parts.slice(1));
  return parts && uri && parameters ? { displayName: "", uri, parameters } : undefined;
}

export function formatNameAddr(value: NameAddr): string {
  const name = value.displayName === "" ? "" : `${quote(value.displayName)} `;
  return `${name}<${formatUri(value.uri)}>${formatParameters(value.parameters)}`;
}

/** The `tag` of From and To; null if there is none. */
export const tagOf = (value: NameAddr): string | null => value.parameters.get("tag") ?? null;
