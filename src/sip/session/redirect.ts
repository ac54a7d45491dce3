/**
 * The target of a 3xx for an outgoing call (RFC 3261 8.1.3.4). Only the trunk's own hosts are
 * followed, and another number only if the caller of `place` allows it. Otherwise any callee could
 * have calls placed anywhere on the tenant's account.
 */
import { formatUri, parseNameAddr, type SipUri, userOf } from "../message/index.ts";

export interface RedirectRules {
  readonly called: string;
  readonly isOwnHost: (host: string) => boolean;
  /** True if that SIP URI of another user may be called instead. */
  readonly mayFollow: (uri: string) => boolean;
}

const CONTACTS_MAX = 10;

/**
 * The best Contact (RFC 3261 20.10) that may be followed and was not tried yet. A Contact that was
 * just called would only ring there again.
 */
export function redirectTarget(
  contacts: readonly string[],
  tried: readonly SipUri[],
  rules: RedirectRules,
): SipUri | undefined {
  const known = contacts.slice(0, CONTACTS_MAX).flatMap((value) => {
    const contact = parseNameAddr(value);
    const quality = Number(contact?.parameters.get("q") ?? 1);
    return contact?.uri.scheme === "sip" ? [{ uri: contact.uri, quality }] : [];
  });
  known.sort((a, b) => b.quality - a.quality);
  const places = new Set(tried.map(placeOf));
  return known.find(({ uri }) => !places.has(placeOf(uri)) && isAllowed(uri, rules))?.uri;
}

/** Parameters without influence on the destination: the trunk has one transport. */
const APART = ["transport", "user"];

/** Equal for URIs with the same destination (RFC 3261 19.1.4, 8.1.3.4). */
function placeOf(uri: SipUri): string {
  const parameters = [...uri.parameters].filter(([name]) => !APART.includes(name)).toSorted();
  const isTls = uri.parameters.get("transport")?.toLowerCase() === "tls";
  return formatUri({
    ...uri,
    user: userOf(uri),
    host: uri.host.toLowerCase(),
    port: uri.port === (isTls ? 5061 : 5060) ? null : uri.port,
    parameters: new Map(parameters),
  });
}

function isAllowed(uri: SipUri, { called, isOwnHost, mayFollow }: RedirectRules): boolean {
  const user = userOf(uri);
  if (user === null || uri.headers !== null || !isOwnHost(uri.host)) return false;
  return plain(user) === plain(called) || mayFollow(`sip:${user}@${uri.host}`);
}

/** Normalises a number: +370…, 00370…, 370…. */
const plain = (user: string): string => user.replace(/[-.()\s]/g, "").replace(/^(?:\+|00)/, "");
