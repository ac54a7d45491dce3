/**
 * Converts our parsed messages to SIP.js message objects, and adds whatever a peer left out: tags,
 * a Contact, the type of a body. Every header that SIP.js reads is already parsed, so its own
 * grammar (5 ms per INVITE, stalls on hostile input) is never used.
 */
import { Core, NameAddrHeader, URI } from "sip.js";
import type { Challenge } from "../digest.ts";
import {
  branchOf,
  type NameAddr,
  type Parameters,
  parseNameAddr,
  type SipMessage,
  type SipRequest,
  type SipResponse,
  tagOf,
  transactionIdentity,
  type Uri,
  userOf,
} from "../message/index.ts";
import type { Address } from "../transport/flow.ts";

/**
 * Replaces the missing tag of a peer (RFC 3261 12.1.2, RFC 2543): SIP.js does not support dialogs
 * without one. It is never sent (on-wire.ts).
 */
export const NULL_TAG = "null-tag-of-an-rfc2543-peer";

/**
 * SIP.js would parse these with its slow grammar although nobody uses the result; we read them
 * ourselves.
 */
const WITHHELD: ReadonlySet<string> = new Set([
  "p-asserted-identity",
  "replaces",
  "www-authenticate",
  "proxy-authenticate",
]);
/** request-checks.ts has checked it, and we ring reliably ourselves (reliable-ringing.ts). */
const WITHHELD_IN_REQUESTS: ReadonlySet<string> = new Set([...WITHHELD, "require"]);

/**
 * `contactUser` replaces the user in the Request-URI, because SIP.js responds 404 to any other. A
 * missing Contact is replaced by `remoteTarget` of the request's dialog (RFC 3261 12.2.2), or by
 * From, as in RFC 2543. request-checks.ts decides who may omit it.
 */
export function toSipJsRequest(
  request: SipRequest,
  contactUser: string,
  remoteTarget?: URI,
): Core.IncomingRequestMessage {
  const target = new Core.IncomingRequestMessage();
  target.method = request.method;
  target.ruri = new URI("sip", contactUser, "local.invalid");
  fill(target, request);
  if (request.method === "INVITE" && !target.hasHeader("contact")) {
    const uri = remoteTarget ?? toNameAddrHeader(request.from).uri;
    addParsed(target, "contact", `<${uri}>`, new NameAddrHeader(uri, "", {}));
  }
  // SIP.js distinguishes transactions only by the branch.
  target.viaBranch = transactionIdentity(request);
  return target;
}

/**
 * `challenge`: the one to answer, chosen by the trunk's credentials; SIP.js sees no other. `source`
 * replaces a missing Contact: SIP.js drops such 18x and 2xx, but some carriers send them.
 */
export function toSipJsResponse(
  response: SipResponse,
  challenge: Challenge | undefined,
  source: Address,
): Core.IncomingResponseMessage {
  const target = new Core.IncomingResponseMessage();
  target.statusCode = response.statusCode;
  target.reasonPhrase = response.reasonPhrase || " ";
  target.method = response.cseq.method;
  fill(target, response);
  if (challenge) {
    const name = response.statusCode === 401 ? "www-authenticate" : "proxy-authenticate";
    addParsed(target, name, "Digest", challenge);
  }
  const opens = response.cseq.method === "INVITE" && response.statusCode < 300;
  if (opens && !target.hasHeader("contact")) {
    const uri = new URI("sip", "peer", source.host, source.port);
    addParsed(target, "contact", `<${uri}>`, new NameAddrHeader(uri, "", {}));
  }
  return target;
}

function fill(target: Core.IncomingMessage, message: SipMessage): void {
  target.body = message.body;
  target.callId = message.callId;
  target.cseq = message.cseq.number;
  target.from = toNameAddrHeader(message.from);
  target.fromTag = tagOf(message.from) ?? NULL_TAG;
  target.to = toNameAddrHeader(message.to);
  target.toTag = tagOf(message.to) ?? (message.kind === "response" ? NULL_TAG : "");
  target.via = { host: message.via.host, port: message.via.port ?? 5060 };
  target.viaBranch = branchOf(message.via);
  const withheld = message.kind === "request" ? WITHHELD_IN_REQUESTS : WITHHELD;
  for (const [name, value] of message.headers) {
    if (withheld.has(name)) continue;
    const parsed = parseForSipJs(name, value, message);
    if (parsed !== undefined) addParsed(target, name, value, parsed);
    else if (name !== "contact") target.addHeader(name, value);
  }
}

function addParsed(
  target: Core.IncomingMessage,
  name: string,
  value: string,
  parsed: unknown,
): void {
  target.addHeader(name, value);
  for (const list of Object.values(target.headers)) {
    const last = list.at(-1);
    if (last?.raw === value && last.parsed === undefined) last.parsed = parsed;
  }
}

/** Result for `parseHeader` of SIP.js. Undefined if SIP.js never parses this header. */
function parseForSipJs(name: string, value: string, message: SipMessage): unknown {
  switch (name) {
    case "via":
      return { host: message.via.host, port: message.via.port ?? undefined };
    case "from":
      return toNameAddrHeader(message.from);
    case "to":
      return toNameAddrHeader(message.to);
    case "contact":
    case "refer-to": {
      const parsed = parseNameAddr(value);
      return parsed && toNameAddrHeader(parsed);
    }
    case "call-id":
      return value;
    case "cseq":
      return { value: message.cseq.number, method: message.cseq.method };
    case "content-type":
      return value.split(";")[0]?.trim().toLowerCase();
    case "content-disposition":
      return { type: value.split(";")[0]?.trim().toLowerCase() };
    case "content-length":
    case "max-forwards":
      return Number(value);
    case "event":
      return { event: value.split(";")[0]?.trim().toLowerCase() };
    default:
      return undefined;
  }
}

/** The URI of the first Contact; undefined if there is none or it is unreadable. */
export function toSipJsContact(message: SipMessage): URI | undefined {
  const contact = parseNameAddr(message.headers.get("contact") ?? "");
  return contact && toSipJsUri(contact.uri);
}

function toNameAddrHeader(value: NameAddr): NameAddrHeader {
  const parameters: Record<string, string> = {};
  for (const [name, text] of value.parameters) parameters[name] = text ?? "";
  return new NameAddrHeader(toSipJsUri(value.uri), value.displayName, parameters);
}

/** `tel:` and unknown schemes become a SIP URI: SIP.js drops messages that contain them. */
export function toSipJsUri(uri: Uri): URI {
  if (uri.scheme === "sip" || uri.scheme === "sips") {
    const port = uri.port ?? undefined;
    return new URI(uri.scheme, uri.user ?? "", uri.host, port, toRecord(uri.parameters));
  }
  return new URI("sip", userOf(uri) ?? "unknown", `${uri.scheme}.invalid`);
}

function toRecord(parameters: Parameters): Record<string, string | null> {
  return Object.fromEntries(parameters);
}
