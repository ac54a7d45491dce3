/**
 * HTTP Digest for SIP (RFC 7616, RFC 8760, RFC 3261 22): MD5 and SHA-256, several challenges,
 * `qop=auth`, nonce counting, stale nonces. Client (`DigestClient`) and server
 * (`verifyCredentials`). Pure; sends nothing, keeps no clock.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import { hex } from "../core/ids.ts";
import type { Random } from "../core/random.ts";
import { quote, splitOutsideQuotes, unquote } from "./message/split.ts";

export type DigestAlgorithm = "MD5" | "SHA-256";

export interface Challenge {
  readonly realm: string;
  readonly nonce: string;
  readonly opaque: string | null;
  /** Null where the challenge offers none (RFC 2069 compatibility). */
  readonly qop: "auth" | null;
  readonly algorithm: DigestAlgorithm;
  /** True: the credentials were right, only the nonce is too old. */
  readonly stale: boolean;
}

export interface Credentials {
  readonly username: string;
  readonly realm: string;
  readonly nonce: string;
  readonly uri: string;
  readonly response: string;
  readonly algorithm: DigestAlgorithm;
  readonly qop: "auth" | null;
  readonly cnonce: string;
  /** Nonce count as sent: 8 hex digits. */
  readonly nc: string;
}

export interface Account {
  readonly username: string;
  readonly password: string;
}

/** The challenges we can answer among those of a 401 or 407, strongest algorithm first. */
export function parseChallenges(values: readonly string[]): Challenge[] {
  const challenges = values
    .map(parseChallenge)
    .filter((challenge): challenge is Challenge => challenge !== undefined);
  const strength = (challenge: Challenge) => (challenge.algorithm === "SHA-256" ? 1 : 0);
  return challenges.sort((a, b) => strength(b) - strength(a));
}

/** Undefined for another scheme, an unknown algorithm, or a qop without `auth`. */
export function parseChallenge(value: string): Challenge | undefined {
  const fields = parseAuthFields(value);
  const realm = fields?.get("realm");
  const nonce = fields?.get("nonce");
  if (!fields || realm === undefined || nonce === undefined) return undefined;
  const algorithm = parseAlgorithm(fields.get("algorithm"));
  const qops = fields
    .get("qop")
    ?.split(",")
    .map((qop) => qop.trim().toLowerCase());
  if (!algorithm || (qops && !qops.includes("auth"))) return undefined;
  return {
    realm,
    nonce,
    opaque: fields.get("opaque") ?? null,
    qop: qops ? "auth" : null,
    algorithm,
    stale: fields.get("stale")?.toLowerCase() === "true",
  };
}

/** Value of a WWW-Authenticate or Proxy-Authenticate header. */
export function formatChallenge(challenge: Challenge): string {
  const parts = [
    `Digest realm=${quote(challenge.realm)}`,
    `nonce=${quote(challenge.nonce)}`,
    `algorithm=${challenge.algorithm}`,
  ];
  if (challenge.qop) parts.push(`qop="auth"`);
  if (challenge.opaque !== null) parts.push(`opaque=${quote(challenge.opaque)}`);
  if (challenge.stale) parts.push("stale=true");
  return parts.join(", ");
}

/** Answers challenges for one account and counts the uses of each nonce (at most 16 remembered). */
export class DigestClient {
  readonly #counts = new Map<string, number>();

  constructor(
    private readonly account: Account,
    private readonly random: Random,
  ) {}

  /** Value of the Authorization or Proxy-Authorization header for this request. */
  answer(challenge: Challenge, method: string, uri: string): string {
    const count = (this.#counts.get(challenge.nonce) ?? 0) + 1;
    this.#remember(challenge.nonce, count);
    return answerChallenge(challenge, this.account, {
      method,
      uri,
      nonceCount: count,
      cnonce: hex(this.random.bytes(8)),
    });
  }

  #remember(nonce: string, count: number): void {
    this.#counts.delete(nonce);
    this.#counts.set(nonce, count);
    if (this.#counts.size <= 16) return;
    const oldest = this.#counts.keys().next().value;
    if (oldest !== undefined) this.#counts.delete(oldest);
  }
}

export interface RequestToSign {
  readonly method: string;
  readonly uri: string;
  readonly nonceCount: number;
  readonly cnonce: string;
}

/** One answer, pure. `nonceCount` must grow with each use of the nonce. */
export function answerChallenge(
  challenge: Challenge,
  account: Account,
  request: RequestToSign,
): string {
  const nc = request.nonceCount.toString(16).padStart(8, "0");
  const credentials = { ...challenge, ...request, nc, username: account.username };
  const response = responseOf(credentials, account.password, request.method);
  const parts = [
    `Digest username=${quote(account.username)}`,
    `realm=${quote(challenge.realm)}`,
    `nonce=${quote(challenge.nonce)}`,
    `uri=${quote(request.uri)}`,
    `response="${response}"`,
    `algorithm=${challenge.algorithm}`,
  ];
  if (challenge.opaque !== null) parts.push(`opaque=${quote(challenge.opaque)}`);
  if (challenge.qop) parts.push("qop=auth", `cnonce="${request.cnonce}"`, `nc=${nc}`);
  return parts.join(", ");
}

/** Value of an Authorization or Proxy-Authorization header; undefined when it is not Digest. */
export function parseCredentials(value: string): Credentials | undefined {
  const fields = parseAuthFields(value);
  const username = fields?.get("username");
  const response = fields?.get("response");
  const algorithm = parseAlgorithm(fields?.get("algorithm"));
  if (!fields || username === undefined || response === undefined || !algorithm) return undefined;
  return {
    username,
    realm: fields.get("realm") ?? "",
    nonce: fields.get("nonce") ?? "",
    uri: fields.get("uri") ?? "",
    response: response.toLowerCase(),
    algorithm,
    qop: fields.get("qop")?.toLowerCase() === "auth" ? "auth" : null,
    cnonce: fields.get("cnonce") ?? "",
    nc: fields.get("nc") ?? "",
  };
}

/**
 * Whether the credentials prove the password for this method. Constant-time on the response. That
 * the nonce is one of the server's, fresh, and its `nc` grows, is the server's to check.
 */
export function verifyCredentials(
  credentials: Credentials,
  password: string,
  method: string,
): boolean {
  const expected = Buffer.from(responseOf(credentials, password, method));
  const given = Buffer.from(credentials.response);
  return expected.length === given.length && timingSafeEqual(expected, given);
}

type Signed = Pick<
  Credentials,
  "username" | "realm" | "nonce" | "uri" | "algorithm" | "qop" | "cnonce" | "nc"
>;

/** RFC 7616 3.4.1. */
function responseOf(fields: Signed, password: string, method: string): string {
  const digest = (text: string) => hash(fields.algorithm, text);
  const secret = digest(`${fields.username}:${fields.realm}:${password}`);
  const target = digest(`${method}:${fields.uri}`);
  if (!fields.qop) return digest(`${secret}:${fields.nonce}:${target}`);
  return digest(`${secret}:${fields.nonce}:${fields.nc}:${fields.cnonce}:auth:${target}`);
}

function hash(algorithm: DigestAlgorithm, text: string): string {
  return createHash(algorithm === "MD5" ? "md5" : "sha256")
    .update(text)
    .digest("hex");
}

/** No algorithm means MD5 (RFC 7616 3.3). `-sess` variants are not offered to SIP by anybody. */
function parseAlgorithm(text: string | undefined): DigestAlgorithm | undefined {
  const name = (text ?? "MD5").toUpperCase();
  return name === "MD5" || name === "SHA-256" ? name : undefined;
}

function parseAuthFields(value: string): Map<string, string> | undefined {
  const scheme = /^Digest\s+/i.exec(value);
  const parts = scheme && splitOutsideQuotes(value.slice(scheme[0].length), ",");
  if (!parts) return undefined;
  const fields = new Map<string, string>();
  for (const part of parts) {
    const equals = part.indexOf("=");
    if (equals < 0) continue;
    fields.set(part.slice(0, equals).trim().toLowerCase(), unquote(part.slice(equals + 1).trim()));
  }
  return fields;
}
