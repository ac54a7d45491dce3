/**
 * Prepares messages of SIP.js for the wire. Replaces its host token and its Allow by ours, and sets
 * the Via's transport and branch for the actual hop.
 */
import { ALLOW } from "../capabilities.ts";
import { formatUri, parseNameAddr, type SipMessage, tagOf } from "../message/index.ts";
import { hostForUri } from "../registration.ts";
import type { Address, TransportName } from "../transport/flow.ts";
import { NULL_TAG } from "./convert.ts";

/** The first Via is ours. */
const VIA = /^(Via: SIP\/2\.0\/)\w+( [^\r\n]*?;branch=)[^;\s]+/m;

export function withAddress(text: string, hostToken: string, address: Address): string {
  return text.replaceAll(hostToken, `${hostForUri(address.host)}:${address.port}`);
}

/** Removes the placeholder tag; in a Refer-To's Replaces it is written as 0 (RFC 3891 3). */
export const withoutNullTag = (text: string): string =>
  text.includes(NULL_TAG)
    ? text.replaceAll(`;tag=${NULL_TAG}`, "").replaceAll(`tag%3D${NULL_TAG}`, "tag%3D0")
    : text;

/**
 * SIP.js lists only what it supports itself. UPDATE and OPTIONS are answered without it, and it
 * does not really implement `outbound` (RFC 5626).
 */
export const withCapabilities = (text: string): string =>
  text
    .replace(/^Allow: [^\r\n]*/m, `Allow: ${ALLOW}`)
    .replace(/^Supported: outbound, /m, "Supported: ")
    .replace(/^(Contact: [^\r\n]*);ob>/m, "$1>");

const ROUTES = /^(?:Route: [^\r\n]*\r\n)+/m;

/**
 * A first route without `lr` is a strict router (RFC 3261 12.2.1.1): its URI becomes the
 * Request-URI, and the remote target the last route. SIP.js supports only loose routers.
 */
export function withStrictRoute(message: SipMessage, text: string): string {
  if (message.kind !== "request" || tagOf(message.to) === null) return text;
  const [first = "", ...others] = message.headers.all("route");
  const route = parseNameAddr(first);
  const router = route?.uri;
  // Without brackets, the parameters belong to the header.
  const isLoose = route?.parameters.has("lr");
  if (router?.scheme !== "sip" || router.parameters.has("lr") || isLoose) return text;
  const lines = [...others, `<${formatUri(message.uri)}>`].map((route) => `Route: ${route}\r\n`);
  const uri = formatUri({ ...router, headers: null });
  return text.replace(/ \S+ /, ` ${uri} `).replace(ROUTES, lines.join(""));
}

export function withHop(text: string, transport: TransportName, branch: string): string {
  return text.replace(
    VIA,
    (_, start: string, middle: string) => `${start}${transport}${middle}${branch}`,
  );
}
