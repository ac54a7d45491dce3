/**
 * A trunk's credentials: one nonce counter for its registration and its calls. Only challenges of
 * the trunk's realm are answered, so that nobody else can collect responses; where none is
 * configured, the first that the server and the first that a proxy names are kept.
 */
import type { Random } from "../core/random.ts";
import { type Challenge, DigestClient, parseChallenges } from "./digest.ts";
import type { SipResponse } from "./message/index.ts";
import type { TrunkSettings } from "./ports.ts";

/** Of the server (401) or of a proxy on the way (407): RFC 3261 22.2, 22.3. */
export type ChallengeKind = "server" | "proxy";

export const kindOf = (statusCode: number): ChallengeKind =>
  statusCode === 407 ? "proxy" : "server";

export class TrunkCredentials {
  readonly #realms = new Map<ChallengeKind, string>();
  readonly #client: DigestClient;

  constructor(
    private readonly settings: Pick<TrunkSettings, "realm" | "username" | "password">,
    random: Random,
  ) {
    this.#client = new DigestClient(settings, random);
  }

  /** The strongest challenge of our realm in a 401 or 407; undefined: none that we may answer. */
  pick(response: Pick<SipResponse, "statusCode" | "headers">): Challenge | undefined {
    const { statusCode, headers } = response;
    const kind = kindOf(statusCode);
    const field = kind === "proxy" ? "proxy-authenticate" : "www-authenticate";
    const challenges = parseChallenges(headers.all(field));
    const realm = this.settings.realm ?? this.#realms.get(kind);
    if (realm === undefined) return challenges[0];
    return challenges.find((challenge) => challenge.realm === realm);
  }

  /** For one request and its repeats. */
  authorisation(): RequestAuthorisation {
    return new RequestAuthorisation((kind, challenge, method, uri) => {
      if (!this.#realms.has(kind)) this.#realms.set(kind, challenge.realm);
      return this.#client.answer(challenge, method, uri);
    });
  }
}

type Sign = (kind: ChallengeKind, challenge: Challenge, method: string, uri: string) => string;

/** A request is not repeated more often, whatever it is challenged with. */
const CHALLENGES_MAX = 4;

/** The proofs that one request carries: one for the server, one for a proxy. */
export class RequestAuthorisation {
  readonly #challenges = new Map<ChallengeKind, Challenge>();
  #last: ChallengeKind | undefined;
  #taken = 0;

  constructor(private readonly sign: Sign) {}

  /** False: the same proof was refused already, so that another try would not help. */
  take(kind: ChallengeKind, challenge: Challenge): boolean {
    const before = this.#challenges.get(kind);
    // A nonce may be good for one request only, and another hop's challenge took that one.
    const usedUp = this.#last !== kind && before?.nonce !== challenge.nonce;
    if (before && !challenge.stale && !usedUp) return false;
    if (++this.#taken > CHALLENGES_MAX) return false;
    this.#challenges.set(kind, challenge);
    this.#last = kind;
    return true;
  }

  /** Header lines for the next try, their nonce counts one higher than before (RFC 7616 3.4). */
  headers(method: string, uri: string): (readonly [name: string, value: string])[] {
    return [...this.#challenges].map(([kind, challenge]) => [
      kind === "proxy" ? "Proxy-Authorization" : "Authorization",
      this.sign(kind, challenge, method, uri),
    ]);
  }
}
