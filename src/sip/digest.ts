/**
 * HTTP Digest for SIP (RFC 7616, RFC 8760, RFC 3261 22): MD5, SHA-256 and SHA-512-256, their
 * session variants, several challenges, `qop=auth` and `auth-int`, nonce counting, stale nonces. Client
 * (`DigestClient`) and server (`verifyCredentials`). Pure: sends nothing and reads no clock.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import { BoundedMap } from "../core/bounded-map.ts";
import { hex } from "../core/ids.ts";
import type { Random } from "../core/random.ts";
import { quote, splitOutsideQuotes, unquote } from "./message/split.ts";

const ALGORITHMS = [
  "MD5",
  "SHA-256",
  "SHA-512-256",
  "MD5-sess",
  "SHA-256-sess",
  "SHA-512-256-sess",
] as const;
export type DigestAlgorithm = (typeof ALGORITHMS)[number];
/** `auth-int` also covers the body. */
type Qop = "auth" | "auth-int";

export interface Challenge {
  readonly realm: string;
  readonly nonce: string;
  readonly opaque: string | null;
  /** The qop to use; null if the challenge offers none (RFC 2069 compatibility). */
  readonly qop: Qop | null;
  readonly algorithm: DigestAlgorithm;
  /** True: the credentials were correct, but the nonce is too old. */
  readonly stale: boolean;
}

interface Credentials {
  readonly username: string;
  readonly realm: string;
  readonly nonce: string;
  readonly uri: string;
  readonly response: string;
  readonly algorithm: DigestAlgorithm;
  readonly qop: Qop | null;
  readonly cnonce: string;
  /** Nonce count as sent: 8 hex digits. */
  readonly nc: string;
}

export interface Account {
  readonly username: string;
  readonly password: string;
}

/** The supported challenges of a 401 or 407, strongest algorithm first. */
export function parseChallenges(values: readonly string[]): Challenge[] {
  const challenges = values
    .flatMap(challengesIn)
    .map(parseChallenge)
    .filter((challenge): challenge is Challenge => challenge !== undefined);
  const strength = ({ algorithm }: Challenge) => (algorithm.startsWith("SHA-") ? 1 : 0);
  return challenges.sort((a, b) => strength(b) - strength(a));
}

/**
 * Splits the challenges of one header. RFC 3261 20.44 allows one per header, but some servers send
 * several with HTTP's comma. A scheme, such as `Digest realm=…`, starts the next one.
 */
export function challengesIn(value: string): string[] {
  const challenges: string[] = [];
  for (const part of splitOutsideQuotes(value, ",") ?? [value]) {
    const last = challenges.length - 1;
    if (last < 0 || /^\s*[\w-]+\s+[\w-]+\s*=/.test(part)) challenges.push(part.trim());
    else challenges[last] += `,${part}`;
  }
  return challenges;
}

/** The unsupported part of a challenge, e.g. `AKAv1-MD5`; null if we support it. */
export function unknownIn(value: string): string | null {
  if (parseChallenge(value)) return null;
  const fields = parseAuthFields(value);
  if (!fields) return /^\s*([^\s,]{1,32})/.exec(value)?.[1] ?? "an empty challenge";
  const { algorithm = "MD5", qop = "" } = Object.fromEntries(fields);
  const wanted = parseAlgorithm(algorithm) ? `qop=${qop}` : algorithm;
  return wanted.slice(0, 32).replace(/[^\x20-\x7e]/g, "?");
}

/**
 * Undefined for another scheme, an unknown algorithm, or another qop than `auth` and `auth-int`.
 */
export function parseChallenge(value: string): Challenge | undefined {
  const fields = parseAuthFields(value);
  const realm = fields?.get("realm");
  const nonce = fields?.get("nonce");
  if (!fields || realm === undefined || nonce === undefined) return undefined;
  const algorithm = parseAlgorithm(fields.get("algorithm"));
  const qops = (fields.get("qop") ?? "").split(",").map((qop) => qop.trim().toLowerCase());
  const qop = (["auth", "auth-int"] as const).find((each) => qops.includes(each));
  if (!algorithm || (qops.some((each) => each !== "") && !qop)) return undefined;
  return {
    realm,
    nonce,
    opaque: fields.get("opaque") ?? null,
    qop: qop ?? null,
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
  if (challenge.qop) parts.push(`qop="${challenge.qop}"`);
  if (challenge.opaque !== null) parts.push(`opaque=${quote(challenge.opaque)}`);
  if (challenge.stale) parts.push("stale=true");
  return parts.join(", ");
}

/**
 * Answers challenges for one account and counts the uses of each nonce (at most 16 are remembered).
 */
export class DigestClient {
  /** One cnonce per nonce: the session variants hash it into the secret (RFC 7616 3.4.2). */
  readonly #uses = new BoundedMap<string, { readonly count: number; readonly cnonce: string }>(16);

  constructor(
    private readonly account: Account,
    private readonly random: Random,
  ) {}

  /** Value of the Authorization or Proxy-Authorization header for this request. */
  answer(challenge: Challenge, method: string, uri: string, body = ""): string {
    const before = this.#uses.get(challenge.nonce);
    const nonceCount = (before?.count ?? 0) + 1;
    const cnonce = before?.cnonce ?? hex(this.random.bytes(8));
    this.#uses.set(challenge.nonce, { count: nonceCount, cnonce });
    return answerChallenge(challenge, this.account, { method, uri, body, nonceCount, cnonce });
  }
}

interface RequestToSign {
  readonly method: string;
  readonly uri: string;
  readonly nonceCount: number;
  readonly cnonce: string;
  /** Only used with `auth-int`. Default: empty. */
  readonly body?: string;
}

/** Computes one response; pure. `nonceCount` must increase with each use of the nonce. */
export function answerChallenge(
  challenge: Challenge,
  account: Account,
  request: RequestToSign,
): string {
  const nc = request.nonceCount.toString(16).padStart(8, "0");
  const credentials = { ...challenge, ...request, nc, username: account.username };
  const response = responseOf(credentials, account.password, request.method, request.body);
  const parts = [
    `Digest username=${quote(account.username)}`,
    `realm=${quote(challenge.realm)}`,
    `nonce=${quote(challenge.nonce)}`,
    `uri=${quote(request.uri)}`,
    `response="${response}"`,
    `algorithm=${challenge.algorithm}`,
  ];
  if (challenge.opaque !== null) parts.push(`opaque=${quote(challenge.opaque)}`);
  if (challenge.qop || isSession(challenge)) parts.push(`cnonce="${request.cnonce}"`);
  if (challenge.qop) parts.push(`qop=${challenge.qop}`, `nc=${nc}`);
  return parts.join(", ");
}

/** Value of an Authorization or Proxy-Authorization header; undefined if it is not Digest. */
export function parseCredentials(value: string): Credentials | undefined {
  const fields = parseAuthFields(value);
  const username = fields?.get("username");
  const response = fields?.get("response");
  const algorithm = parseAlgorithm(fields?.get("algorithm"));
  const qop = fields?.get("qop")?.toLowerCase();
  if (!fields || username === undefined || response === undefined || !algorithm) return undefined;
  return {
    username,
    realm: fields.get("realm") ?? "",
    nonce: fields.get("nonce") ?? "",
    uri: fields.get("uri") ?? "",
    response: response.toLowerCase(),
    algorithm,
    qop: qop === "auth" || qop === "auth-int" ? qop : null,
    cnonce: fields.get("cnonce") ?? "",
    nc: fields.get("nc") ?? "",
  };
}

/**
 * True if the credentials prove the password for this method. Compares the response in constant
 * time. The server must check that the nonce is its own and fresh, and that `nc` increases.
 */
export function verifyCredentials(
  credentials: Credentials,
  password: string,
  method: string,
  body = "",
): boolean {
  const expected = Buffer.from(responseOf(credentials, password, method, body));
  const given = Buffer.from(credentials.response);
  return expected.length === given.length && timingSafeEqual(expected, given);
}

type Signed = Pick<
  Credentials,
  "username" | "realm" | "nonce" | "uri" | "algorithm" | "qop" | "cnonce" | "nc"
>;

/** RFC 7616 3.4.1 to 3.4.3. */
function responseOf(fields: Signed, password: string, method: string, body = ""): string {
  const { nonce, cnonce, qop } = fields;
  const digest = (text: string) => hash(fields.algorithm, text);
  const account = digest(`${fields.username}:${fields.realm}:${password}`);
  const secret = isSession(fields) ? digest(`${account}:${nonce}:${cnonce}`) : account;
  const covered = qop === "auth-int" ? `:${digest(body)}` : "";
  const target = digest(`${method}:${fields.uri}${covered}`);
  if (!qop) return digest(`${secret}:${nonce}:${target}`);
  return digest(`${secret}:${nonce}:${fields.nc}:${cnonce}:${qop}:${target}`);
}

const isSession = ({ algorithm }: Pick<Challenge, "algorithm">) => algorithm.endsWith("-sess");

function hash(algorithm: DigestAlgorithm, text: string): string {
  return createHash(HASHES[algorithm.replace(/-sess$/, "")] ?? "md5")
    .update(text)
    .digest("hex");
}

const HASHES: Readonly<Record<string, string>> = {
  "SHA-256": "sha256",
  "SHA-512-256": "sha512-256",
};

/** No algorithm means MD5 (RFC 7616 3.3). */
function parseAlgorithm(text = "MD5"): DigestAlgorithm | undefined {
  return ALGORITHMS.find((each) => each.toUpperCase() === text.toUpperCase());
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
