/** Whom a call or a transfer goes to, as the Request-URI that a trunk writes. */
import { URI } from "sip.js";
import { isE164 } from "../../../core/e164.ts";
import type { TrunkSettings } from "../../../domain/call/sip-port.ts";
import { parseUri } from "../message/index.ts";
import { hostForUri } from "../registration.ts";
import { usualPort } from "../routing/locate.ts";
import type { TransportName } from "../transport/flow.ts";

/** An E.164 number at the trunk's server, or a SIP URI as it is; undefined: neither. */
export function targetUri(
  target: string,
  { server, port }: Pick<TrunkSettings, "server" | "port">,
  transport: TransportName,
): URI | undefined {
  if (isE164(target)) {
    const usual = port === 0 || port === usualPort(transport);
    return new URI("sip", target, hostForUri(server), usual ? undefined : port);
  }
  const uri = parseUri(target);
  if (uri?.scheme !== "sip" || uri.user === null) return undefined;
  return new URI("sip", uri.user, uri.host, uri.port ?? undefined);
}
