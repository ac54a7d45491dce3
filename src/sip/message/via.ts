/** Via (RFC 3261 20.42) with `rport` and `received` (RFC 3581). */
import { formatParameters, isToken, type Parameters, parseParameters } from "./parameters.ts";
import { splitOutsideQuotes } from "./split.ts";

export interface Via {
  /** Upper case: UDP, TCP, TLS, … */
  readonly transport: string;
  readonly host: string;
  readonly port: number | null;
  /** `branch`, `received`, `rport` and all others. */
  readonly parameters: Parameters;
}

const SENT_PROTOCOL = /^SIP\s*\/\s*2\.0\s*\/\s*([^\s/]+)\s+/i;
const SENT_BY = /^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?:\s*:\s*(\d{1,5}))?$/;

export function parseVia(text: string): Via | undefined {
  const protocol = SENT_PROTOCOL.exec(text);
  const transport = protocol?.[1];
  if (!protocol || transport === undefined || !isToken(transport)) return undefined;
  const parts = splitOutsideQuotes(text.slice(protocol[0].length), ";");
  const sentBy = SENT_BY.exec((parts?.[0] ?? "").trim());
  const host = sentBy?.[1];
  const parameters = parts && parseParameters(parts.slice(1));
  if (host === undefined || !parameters) return undefined;
  const port = sentBy?.[2] === undefined ? null : Number(sentBy[2]);
  if (port !== null && port > 65535) return undefined;
  return { transport: transport.toUpperCase(), host, port, parameters };
}

export function formatVia(via: Via): string {
  const port = via.port === null ? "" : `:${via.port}`;
  return `SIP/2.0/${via.transport} ${via.host}${port}${formatParameters(via.parameters)}`;
}

/** Removes the brackets of an IPv6 literal. */
export const plainHost = (host: string): string => host.replace(/^\[|\]$/g, "");

export const branchOf = (via: Via): string => via.parameters.get("branch") ?? "";

/** Adds the real source of a request (RFC 3261 18.2.1, RFC 3581 4). */
export function stampSource(via: Via, source: { host: string; port: number }): Via {
  const wantsPort = via.parameters.has("rport");
  const parameters = new Map(via.parameters);
  // A `received` set by the sender itself must not be trusted.
  parameters.delete("received");
  if (!wantsPort && plainHost(via.host) === source.host) return { ...via, parameters };
  parameters.set("received", source.host);
  if (wantsPort) parameters.set("rport", String(source.port));
  return { ...via, parameters };
}

/** The source host of a stamped request. */
export const sourceHostOf = (via: Via): string =>
  via.parameters.get("received") ?? plainHost(via.host);

/** Destination of a response (RFC 3261 18.2.2, RFC 3581 4). */
export function responseDestination(via: Via): { host: string; port: number } {
  const fallbackPort = via.transport === "TLS" ? 5061 : 5060;
  const rport = Number(via.parameters.get("rport") ?? Number.NaN);
  const port = rport >= 1 && rport <= 65535 ? rport : (via.port ?? fallbackPort);
  return { host: plainHost(via.parameters.get("received") ?? via.host), port };
}
