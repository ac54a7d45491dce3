/**
 * What SIP.js writes, made fit for the wire: its host token becomes our address, its Via names the
 * transport and the branch of the hop that the request really takes.
 */
import { hostForUri } from "../registration.ts";
import type { Address, TransportName } from "../transport/flow.ts";

/** The first Via is ours. */
const VIA = /^(Via: SIP\/2\.0\/)\w+( [^\r\n]*?;branch=)[^;\s]+/m;

export function withAddress(text: string, hostToken: string, address: Address): string {
  return text.replaceAll(hostToken, `${hostForUri(address.host)}:${address.port}`);
}

export function withHop(text: string, transport: TransportName, branch: string): string {
  return text.replace(
    VIA,
    (_, start: string, middle: string) => `${start}${transport}${middle}${branch}`,
  );
}
