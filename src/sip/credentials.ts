/**
 * A trunk's credentials: one nonce counter for its registration and its calls. Only challenges of
 * the trunk's realm are answered, so that nobody else can collect responses. If no realm is
 * configured, the first realm of the server and the first one of a proxy are used. They stay valid
 * until the registrar names another.
 */

import type { TrunkSettings } from "../call/sip-port.ts";
import type { Random } from "../core/random.ts";
import {
  type Challenge,
  challengesIn,
  DigestClient,
  parseChallenges,
  unknownIn,
} from "./digest.ts";
import type { SipResponse } from "./message/index.ts";

/** A challenge of the server (401) or of a proxy (407): RFC 3261 22.2, 22.3. */
type ChallengeKind = "server" | "proxy";

export const kindOf = (statusCode: number): ChallengeKind =>
  statusCode === 407 ? "proxy" : "server";

const isChallenge = ({ statusCode }: Pick<SipResponse, "statusCode">): boolean =>
  statusCode === 401 || statusCode === 407;

const FIELDS = { server: "www-authenticate", proxy: "proxy-authenticate" } as const;

export class TrunkCredentials {
  readonly #realms = new Map<ChallengeKind, string>();
  readonly #client: DigestClient;

  constructor(
    private readonly settings: Pick<TrunkSettings, "realm" | "username" | "password">,
    random: Random,
  ) {
    this.#client = new DigestClient(settings, random);
  }

  /** The strongest challenge of our realm in a 401 or 407; undefined if we may answer none. */
  pick(response: Pick<SipResponse, "statusCode" | "headers">): Challenge | undefined {
    const { statusCode, headers } = response;
    const kind = kindOf(statusCode);
    const challenges = parseChallenges(headers.all(FIELDS[kind]));
    const realm = this.settings.realm ?? this.#realms.get(kind);
    if (realm === undefined) return challenges[0];
    return challenges.find((challenge) => challenge.realm === realm);
  }

  /**
   * Uses the challenge of a 401 or 407 for the next attempt. Returns false if we can answer none.
   */
  answers(
    response: Pick<SipResponse, "statusCode" | "headers">,
    authorisation: RequestAuthorisation,
  ): boolean {
    if (!isChallenge(response)) return false;
    const challenge = this.pick(response);
    return challenge !== undefined && authorisation.take(kindOf(response.statusCode), challenge);
  }

  /**
   * Like `answers`, for a REGISTER. Only the trunk's registrar can challenge it: its new realm
   * replaces all learnt ones.
   */
  answersRegistrar(
    response: Pick<SipResponse, "statusCode" | "headers">,
    authorisation: RequestAuthorisation,
  ): boolean {
    if (isChallenge(response) && this.pick(response) === undefined) this.#realms.clear();
    return this.answers(response, authorisation);
  }

  /** For one request and its repetitions. */
  authorisation(): RequestAuthorisation {
    return new RequestAuthorisation((kind, challenge, method, uri, body) => {
      if (!this.#realms.has(kind)) this.#realms.set(kind, challenge.realm);
      return this.#client.answer(challenge, method, uri, body);
    });
  }
}

/**
 * The unsupported requirement of a 401 or 407 if we can answer none of its challenges; otherwise
 * null.
 */
export function unknownChallengeOf(
  response: Pick<SipResponse, "statusCode" | "headers">,
): string | null {
  const field = FIELDS[kindOf(response.statusCode)];
  const unknown = response.headers.all(field).flatMap(challengesIn).map(unknownIn);
  return unknown.every((each) => each !== null) ? (unknown[0] ?? null) : null;
}

type Sign = (
  kind: ChallengeKind,
  challenge: Challenge,
  method: string,
  uri: string,
  body: string,
) => string;

/** Maximum repetitions of a request because of challenges. */
const CHALLENGES_MAX = 4;

/** The credentials of one request: one for the server, one for a proxy. */
export class RequestAuthorisation {
  readonly #challenges = new Map<ChallengeKind, Challenge>();
  #last: ChallengeKind | undefined;
  /** Challenges renewed without a reason and answered a second time. */
  readonly #renewed = new Set<ChallengeKind>();
  #taken = 0;

  constructor(private readonly sign: Sign) {}

  /**
   * Returns false if the same credentials were already rejected, so that another attempt is
   * useless.
   */
  take(kind: ChallengeKind, challenge: Challenge): boolean {
    const before = this.#challenges.get(kind);
    const isNew = before?.nonce !== challenge.nonce;
    // A nonce may be valid for one request only, and the challenge of another hop has used that
    // request.
    const usedUp = this.#last !== kind && isNew;
    if (before && !challenge.stale && !usedUp) {
      // Servers of a cluster, each with its own nonces, do not send `stale`.
      if (!isNew || this.#renewed.has(kind)) return false;
      this.#renewed.add(kind);
    }
    if (++this.#taken > CHALLENGES_MAX) return false;
    this.#challenges.set(kind, challenge);
    this.#last = kind;
    return true;
  }

  /**
   * Header lines for the next attempt; their nonce counts are one higher than before (RFC 7616
   * 3.4).
   */
  headers(method: string, uri: string, body = ""): (readonly [name: string, value: string])[] {
    return [...this.#challenges].map(([kind, challenge]) => [
      kind === "proxy" ? "Proxy-Authorization" : "Authorization",
      this.sign(kind, challenge, method, uri, body),
    ]);
  }
}
