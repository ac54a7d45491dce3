/** A request that answers digest challenges (RFC 3261 22.2): repeated once with credentials. */
import { type DigestClient, parseChallenges } from "../../../../src/sip/digest.ts";
import {
  formatUri,
  type RequestParts,
  type SipResponse,
} from "../../../../src/sip/message/index.ts";
import type { Address } from "./datagram.ts";
import type { Endpoint, ResponseListener, SentRequest } from "./endpoint.ts";

interface SignedRequest {
  readonly endpoint: Endpoint;
  /** Null: challenges are passed up unchanged. */
  readonly digest: DigestClient | null;
  readonly destination: Address;
  /** Called for each attempt: each needs its own CSeq. */
  make(): RequestParts;
  /** Called with each sent request, for a later CANCEL. */
  onSent?(parts: RequestParts, sent: SentRequest): void;
  readonly listener: ResponseListener;
}

/** Challenges answered before a request counts as rejected: one, and one stale nonce. */
const ATTEMPTS_MAX = 3;

export function sendSigned(request: SignedRequest, attempt = 1, credentials?: Credentials): void {
  const made = request.make();
  const parts: RequestParts = credentials
    ? { ...made, headers: [...made.headers, [credentials.header, credentials.value(made)]] }
    : made;
  const sent = request.endpoint.request(parts, request.destination, (response) => {
    const next = response && attempt < ATTEMPTS_MAX ? credentialsFor(request, response) : null;
    if (next) sendSigned(request, attempt + 1, next);
    else request.listener(response);
  });
  request.onSent?.(parts, sent);
}

interface Credentials {
  readonly header: string;
  value(parts: RequestParts): string;
}

function credentialsFor(request: SignedRequest, response: SipResponse): Credentials | null {
  const isProxy = response.statusCode === 407;
  if (!request.digest || (response.statusCode !== 401 && !isProxy)) return null;
  const field = isProxy ? "proxy-authenticate" : "www-authenticate";
  const [challenge] = parseChallenges(response.headers.all(field));
  const { digest } = request;
  if (!challenge) return null;
  return {
    header: isProxy ? "Proxy-Authorization" : "Authorization",
    value: ({ method, uri }) =>
      digest.answer(challenge, method, typeof uri === "string" ? uri : formatUri(uri)),
  };
}
