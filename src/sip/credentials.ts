/**
 * A trunk's credentials: one nonce counter and one realm for its registration and its calls.
 * Only challenges of the trunk's realm are answered, so that nobody else can collect responses.
 */
import type { Random } from "../core/random.ts";
import { type Challenge, DigestClient, parseChallenges } from "./digest.ts";
import type { TrunkSettings } from "./ports.ts";

export class TrunkCredentials {
  #realm: string | null;
  readonly #client: DigestClient;

  constructor(settings: Pick<TrunkSettings, "realm" | "username" | "password">, random: Random) {
    this.#realm = settings.realm;
    this.#client = new DigestClient(settings, random);
  }

  /** The strongest challenge of our realm; undefined when there is none we may answer. */
  pick(headerValues: readonly string[]): Challenge | undefined {
    const challenges = parseChallenges(headerValues);
    if (this.#realm === null) return challenges[0];
    return challenges.find((challenge) => challenge.realm === this.#realm);
  }

  /** Value of the (Proxy-)Authorization header. The first realm answered is kept. */
  answer(challenge: Challenge, method: string, uri: string): string {
    this.#realm ??= challenge.realm;
    return this.#client.answer(challenge, method, uri);
  }
}
