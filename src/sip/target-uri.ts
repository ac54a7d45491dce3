/** The Request-URI for the target of a call or transfer. */

import type { TrunkSettings } from "../call/sip-port.ts";
import { isE164 } from "../core/e164.ts";
import { parseUri, type SipUri } from "./message/index.ts";
import { hostForUri } from "./registration.ts";
import { usualPort } from "./routing/locate.ts";
import type { TransportName } from "./transport/flow.ts";

/** An E.164 number at the trunk's server, or a SIP URI unchanged; undefined if it is neither. */
export function targetUri(
  target: string,
  { server, port }: Pick<TrunkSettings, "server" | "port">,
  transport: TransportName,
): SipUri | undefined {
  if (isE164(target)) {
    const usual = port === 0 || port === usualPort(transport);
    return userAt(target, hostForUri(server), usual ? null : port);
  }
  const uri = parseUri(target);
  if (uri?.scheme !== "sip" || uri.user === null) return undefined;
  return userAt(uri.user, uri.host, uri.port);
}

export const userAt = (user: string, host: string, port: number | null = null): SipUri => ({
  scheme: "sip",
  user,
  password: null,
  host,
  port,
  parameters: new Map(),
  headers: null,
});
