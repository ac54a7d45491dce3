/**
 * Signs of a SIP ALG: a router on the way that rewrites what it takes for SIP, and breaks calls by
 * it. An answer repeats parts of its request word for word (RFC 3261 8.2.6.2), and a registrar
 * repeats the Contact that it keeps (10.3): what comes back otherwise was altered on the way. Pure.
 */
import type { AlgSign } from "../../domain/call/sip-port.ts";
import {
  parseNameAddr,
  parseUri,
  plainHost,
  type SipResponse,
  tagOf,
  type Uri,
  userOf,
} from "./message/index.ts";
import type { Via } from "./message/via.ts";

/** What a request said of itself. */
export interface SentHeaders {
  readonly via: Via;
  readonly callId: string;
  readonly fromUri: string;
  readonly fromTag: string;
  readonly toUri: string;
}

/** What the answer to a request shows; nothing altered is an empty list. */
export function signsInEcho(said: SentHeaders, { via, callId, from, to }: SipResponse): AlgSign[] {
  const signs: AlgSign[] = [];
  const { host, port, transport } = via;
  const isOurVia =
    sameHost(host, said.via.host) &&
    (port ?? 5060) === (said.via.port ?? 5060) &&
    transport === said.via.transport;
  if (!isOurVia) signs.push("via");
  if (callId !== said.callId) signs.push("call_id");
  if (tagOf(from) !== said.fromTag || !sameUri(from.uri, said.fromUri)) signs.push("from");
  if (!sameUri(to.uri, said.toUri)) signs.push("to");
  return signs;
}

/**
 * A registrar's answer: did it get the Contact that was sent? One that it replaced by where the
 * request came from is the provider's own remedy for NAT, and no sign.
 */
export function isContactAltered(sentUri: string, contactUser: string, response: SipResponse) {
  const sent = addressOf(parseUri(sentUri));
  const returned = response.headers
    .all("contact")
    .map((value) => parseNameAddr(value)?.uri)
    .find((uri) => uri !== undefined && userOf(uri) === contactUser);
  const bound = addressOf(returned);
  if (sent === null || bound === null || bound === sent) return false;
  const { parameters, host, port } = response.via;
  const seenHost = plainHost(parameters.get("received") ?? host);
  const seenPort = parameters.get("rport") ?? String(port ?? 5060);
  return bound !== `${seenHost}:${seenPort}`;
}

/** The same request in a spelling that RFC 3261 7.3.1 allows and a simple rewriter overlooks. */
export function oddlySpelled(request: string): string {
  const end = request.indexOf("\r\n\r\n");
  const [start = "", ...fields] = request.slice(0, end).split("\r\n");
  const odd = fields.map((field) =>
    field.replace(/^[A-Za-z-]+:/, (name) =>
      [...name]
        .map((letter, at) => (at % 2 ? letter.toUpperCase() : letter.toLowerCase()))
        .join(""),
    ),
  );
  return [start, ...odd].join("\r\n") + request.slice(end);
}

const sameHost = (one: string, other: string): boolean =>
  plainHost(one).toLowerCase() === plainHost(other).toLowerCase();

function sameUri(uri: Uri, said: string): boolean {
  const ours = parseUri(said);
  return addressOf(uri) === addressOf(ours) && userOf(uri) === (ours ? userOf(ours) : null);
}

/** `host:port`; null where there is none. */
function addressOf(uri: Uri | undefined): string | null {
  if (uri?.scheme !== "sip" && uri?.scheme !== "sips") return null;
  return `${plainHost(uri.host).toLowerCase()}:${uri.port ?? 5060}`;
}
