/**
 * Detects a SIP ALG: a router that rewrites SIP messages and breaks calls by doing so. A response
 * repeats parts of its request unchanged (RFC 3261 8.2.6.2), and a registrar repeats the Contact
 * that it stored (10.3). Differences mean that something altered the message. Pure.
 */
import type { AlgSign } from "../call/sip-port.ts";
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

/** The headers of a request as sent. */
export interface SentHeaders {
  readonly via: Via;
  readonly callId: string;
  readonly fromUri: string;
  readonly fromTag: string;
  readonly toUri: string;
}

/** Signs found in the response; an empty list if nothing was altered. */
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
 * True if the registrar's response shows that it received another Contact than we sent. If it
 * replaced the Contact by the source address, that is the provider's NAT handling, not a sign of an
 * ALG.
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

/**
 * The same request in a spelling that RFC 3261 7.3.1 allows and a simple rewriter does not
 * recognise.
 */
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

/** `host:port`; null if there is none. */
function addressOf(uri: Uri | undefined): string | null {
  if (uri?.scheme !== "sip" && uri?.scheme !== "sips") return null;
  return `${plainHost(uri.host).toLowerCase()}:${uri.port ?? 5060}`;
}
