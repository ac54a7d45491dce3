/**
 * What SIP.js writes, made fit for the wire: its host token becomes our address, its Allow is ours,
 * its Via names the transport and the branch of the hop that the request really takes.
 */
import { ALLOW } from "../capabilities.ts";
import { hostForUri } from "../registration.ts";
import type { Address, TransportName } from "../transport/flow.ts";
import { NULL_TAG } from "./convert.ts";

/** The first Via is ours. */
const VIA = /^(Via: SIP\/2\.0\/)\w+( [^\r\n]*?;branch=)[^;\s]+/m;

export function withAddress(text: string, hostToken: string, address: Address): string {
  return text.replaceAll(hostToken, `${hostForUri(address.host)}:${address.port}`);
}

/** Without the tag that stands for none; in a Refer-To's Replaces that is written 0 (RFC 3891 3). */
export const withoutNullTag = (text: string): string =>
  text.includes(NULL_TAG)
    ? text.replaceAll(`;tag=${NULL_TAG}`, "").replaceAll(`tag%3D${NULL_TAG}`, "tag%3D0")
    : text;

/**
 * SIP.js lists what it knows itself: UPDATE and OPTIONS are answered beside it, and of `outbound`
 * (RFC 5626) it knows the name only.
 */
export const withCapabilities = (text: string): string =>
  text
    .replace(/^Allow: [^\r\n]*/m, `Allow: ${ALLOW}`)
    .replace(/^Supported: outbound, /m, "Supported: ")
    .replace(/^(Contact: [^\r\n]*);ob>/m, "$1>");

export function withHop(text: string, transport: TransportName, branch: string): string {
  return text.replace(
    VIA,
    (_, start: string, middle: string) => `${start}${transport}${middle}${branch}`,
  );
}
