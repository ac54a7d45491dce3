/**
 * A SIP message as data (RFC 3261 7). Values of these types come from the parser or a builder: the
 * five mandatory fields exist and are parsed. Independent of SIP.js.
 */
import type { Headers } from "./headers.ts";
import type { NameAddr } from "./name-addr.ts";
import type { Uri } from "./uri.ts";
import { formatVia, stampSource, type Via } from "./via.ts";

export interface CSeq {
  readonly number: number;
  readonly method: string;
}

export interface MessageFields {
  readonly headers: Headers;
  /** The topmost Via. */
  readonly via: Via;
  readonly from: NameAddr;
  readonly to: NameAddr;
  readonly callId: string;
  readonly cseq: CSeq;
  readonly body: string;
}

export interface SipRequest extends MessageFields {
  readonly kind: "request";
  readonly method: string;
  readonly uri: Uri;
}

export interface SipResponse extends MessageFields {
  readonly kind: "response";
  readonly statusCode: number;
  readonly reasonPhrase: string;
}

export type SipMessage = SipRequest | SipResponse;

export interface ParseFailure {
  readonly kind: "failure";
  /** Reason for logs. Contains no bytes of the message. */
  readonly reason: string;
}

const COOKIE = "z9hG4bK";

/**
 * Distinguishes a request's transaction from others of the same sender. A branch without the magic
 * cookie, or with nothing after it, is not unique (RFC 2543 peers, RFC 4475 3.2.1). Then Call-ID,
 * CSeq and From are used (17.2.3).
 */
export function transactionIdentity(message: SipMessage): string {
  const branch = message.via.parameters.get("branch") ?? "";
  if (!isOfRfc2543(message)) return branch;
  return `${branch} ${message.callId} ${message.cseq.number} ${message.headers.get("from")}`;
}

/** True if the branch shows that the sender does not implement RFC 3261. */
export function isOfRfc2543({ via }: SipMessage): boolean {
  const branch = via.parameters.get("branch") ?? "";
  return !branch.startsWith(COOKIE) || branch.length === COOKIE.length;
}

/** The request with `received` and `rport` in its topmost Via (RFC 3261 18.2.1, RFC 3581 4). */
export function stamped(
  request: SipRequest,
  source: { readonly host: string; readonly port: number },
): SipRequest {
  const via = stampSource(request.via, source);
  const headers = request.headers.clone();
  headers.setFirst("via", formatVia(via));
  return { ...request, via, headers };
}
