/**
 * Passkeys (WebAuthn level 3). Challenges are not stored. Each is signed, contains its expiry, purpose and
 * user, and is rejected after its first use. So nobody can fill a table with challenges. Passkeys require
 * user verification, which makes them both factors.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { isIP } from "node:net";
import type {
  AuthenticationResponseJSON,
  AuthenticatorTransport,
  RegistrationResponseJSON,
} from "@simplewebauthn/server";
import { AppError, describeError, invalidField, notFound } from "../../core/errors.ts";
import { type IdentityDependencies, transaction } from "./dependencies.ts";
import { credentialHash } from "./fingerprint.ts";
import type { Passkey, User } from "./stores.ts";

const CHALLENGE_LIFE_MS = 5 * 60_000;
const NONCE_BYTES = 16;
const TIME_BYTES = 6;
const MAC_BYTES = 16;
const PASSKEYS_PER_USER_MAX = 20;
const NAME = "Linevoice";

type Purpose = "sign in" | `register ${number}`;

/**
 * Loads ten megabytes of certificates and parsers with the first passkey. They expect `reflect-metadata` to
 * be loaded first.
 */
async function webAuthn() {
  await import("reflect-metadata");
  return await import("@simplewebauthn/server");
}

export class Passkeys {
  readonly #handleKey: Uint8Array;

  constructor(private readonly deps: IdentityDependencies) {
    this.#handleKey = this.deps.vault.lastingKey("identity: passkey user handles");
  }

  #macOf(body: Uint8Array, purpose: Purpose) {
    return createHmac("sha256", this.deps.vault.deriveKey("identity: passkey challenges"))
      .update(body)
      .update(purpose)
      .digest()
      .subarray(0, MAC_BYTES);
  }

  #newChallenge(purpose: Purpose): Uint8Array<ArrayBuffer> {
    const until = Buffer.alloc(TIME_BYTES);
    until.writeUIntBE(this.deps.clock.now() + CHALLENGE_LIFE_MS, 0, TIME_BYTES);
    const body = Buffer.concat([this.deps.random.bytes(NONCE_BYTES), until]);
    return Uint8Array.from(Buffer.concat([body, this.#macOf(body, purpose)]));
  }

  /** When the challenge expires; null if it is not ours, has another purpose, or is expired. */
  #expiryOf(challenge: string, purpose: Purpose): number | null {
    const bytes = Buffer.from(challenge, "base64url");
    if (bytes.length !== NONCE_BYTES + TIME_BYTES + MAC_BYTES) return null;
    const body = bytes.subarray(0, NONCE_BYTES + TIME_BYTES);
    if (!timingSafeEqual(bytes.subarray(body.length), this.#macOf(body, purpose))) return null;
    const until = body.readUIntBE(NONCE_BYTES, TIME_BYTES);
    return until > this.deps.clock.now() ? until : null;
  }

  /** Handle that reveals nothing about the user and is equal for all their passkeys. */
  #handleOf(userId: number): Uint8Array<ArrayBuffer> {
    return Uint8Array.from(createHmac("sha256", this.#handleKey).update(String(userId)).digest());
  }

  list(userId: number): Promise<readonly Passkey[]> {
    return this.deps.stores(this.deps.database.read).passkeys.list(userId);
  }

  /**
   * `origin`: the appliance's origin as the browser sees it. Throws conflict, plan_limit_reached.
   */
  async registrationOptions(user: Pick<User, "id" | "email" | "name">, origin: string) {
    const known = await this.deps.stores(this.deps.database.read).passkeys.list(user.id);
    if (known.length >= PASSKEYS_PER_USER_MAX) throw tooMany();
    const { generateRegistrationOptions } = await webAuthn();
    return generateRegistrationOptions({
      rpName: NAME,
      rpID: relyingPartyOf(origin),
      userName: user.email,
      userDisplayName: user.name,
      userID: this.#handleOf(user.id),
      challenge: this.#newChallenge(`register ${user.id}`),
      timeout: CHALLENGE_LIFE_MS,
      excludeCredentials: known.map(({ credentialId, transports }) => ({
        id: credentialId,
        transports: transportsOf(transports),
      })),
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
    });
  }

  /** Throws `valid_response_required`, conflict, plan_limit_reached. */
  async register(userId: number, name: string, response: unknown, origin: string) {
    const purpose: Purpose = `register ${userId}`;
    const answer = response as RegistrationResponseJSON;
    const { verifyRegistrationResponse } = await webAuthn();
    const verified = await verifyRegistrationResponse({
      response: answer,
      expectedChallenge: (challenge) => this.#expiryOf(challenge, purpose) !== null,
      expectedOrigin: origin,
      expectedRPID: relyingPartyOf(origin),
      requireUserVerification: true,
    }).catch((error: unknown) => {
      this.deps.log.info("passkey.refused", { user: userId, error: describeError(error) });
      return null;
    });
    if (!verified?.verified) throw badResponse();
    const {
      id: credentialId,
      publicKey,
      counter,
      transports,
    } = verified.registrationInfo.credential;
    const challenge = challengeOf(answer.response.clientDataJSON);
    const draft = {
      userId,
      credentialId,
      publicKey: Buffer.from(publicKey).toString("base64url"),
      counter,
      transports: transports ?? [],
      name,
      createdAt: this.deps.clock.now(),
    };
    return transaction(this.deps, async ({ passkeys }) => {
      const expiresAt = this.#expiryOf(challenge, purpose);
      if (expiresAt === null || !(await passkeys.spendChallenge(challenge, expiresAt)))
        throw badResponse();
      if (await passkeys.byCredential(credentialId)) throw alreadyKnown();
      if ((await passkeys.list(userId)).length >= PASSKEYS_PER_USER_MAX) throw tooMany();
      return { ...draft, id: await passkeys.insert(draft), lastUsedAt: null };
    });
  }

  /** Throws not_found. */
  async remove(userId: number, passkeyId: number): Promise<void> {
    await transaction(this.deps, async ({ passkeys, revoked }) => {
      const known = (await passkeys.list(userId)).find(({ id }) => id === passkeyId);
      if (!known || !(await passkeys.remove(userId, passkeyId))) throw notFound("passkey");
      await revoked([{ kind: "passkey", credential: credentialHash(known.credentialId) }]);
    });
  }

  /** Throws conflict. */
  async signInOptions(origin: string) {
    const rpID = relyingPartyOf(origin);
    const { generateAuthenticationOptions } = await webAuthn();
    return generateAuthenticationOptions({
      rpID,
      challenge: this.#newChallenge("sign in"),
      timeout: CHALLENGE_LIFE_MS,
      userVerification: "required",
    });
  }

  /** The user whose passkey signed the response; null for an unknown passkey or invalid response. */
  async owner(response: unknown, origin: string): Promise<number | null> {
    const answer = response as AuthenticationResponseJSON;
    const passkey = await this.deps
      .stores(this.deps.database.read)
      .passkeys.byCredential(answer.id);
    if (!passkey) return null;
    const { verifyAuthenticationResponse } = await webAuthn();
    const verified = await verifyAuthenticationResponse({
      response: answer,
      expectedChallenge: (challenge) => this.#expiryOf(challenge, "sign in") !== null,
      expectedOrigin: origin,
      expectedRPID: relyingPartyOf(origin),
      requireUserVerification: true,
      credential: {
        id: passkey.credentialId,
        publicKey: Uint8Array.from(Buffer.from(passkey.publicKey, "base64url")),
        counter: passkey.counter,
        transports: transportsOf(passkey.transports),
      },
    }).catch((error: unknown) => {
      this.deps.log.info("passkey.refused", { passkey: passkey.id, error: describeError(error) });
      return null;
    });
    if (!verified?.verified) return null;
    const challenge = challengeOf(answer.response.clientDataJSON);
    return transaction(this.deps, async ({ passkeys }) => {
      const expiresAt = this.#expiryOf(challenge, "sign in");
      if (expiresAt === null || !(await passkeys.spendChallenge(challenge, expiresAt))) return null;
      await passkeys.used(
        passkey.id,
        verified.authenticationInfo.newCounter,
        this.deps.clock.now(),
      );
      return passkey.userId;
    });
  }

  async removeOld(): Promise<void> {
    await transaction(this.deps, ({ passkeys }) =>
      passkeys.removeExpiredChallenges(this.deps.clock.now()),
    );
  }
}

/** A relying party is a domain name, never an address (WebAuthn 5.1.3, step 8). Throws conflict. */
function relyingPartyOf(origin: string): string {
  const { hostname, port } = new URL(origin);
  if (isIP(hostname.replace(/^\[|\]$/g, "")) === 0) return hostname;
  throw new AppError({
    code: "conflict",
    publicMessage: `Passkeys need a name, not an address: open the dashboard as http://localhost${port && `:${port}`} on this machine, or under a name with https.`,
  });
}

const transportsOf = (transports: readonly string[]) => transports as AuthenticatorTransport[];

/** Called after verification, so it always parses. */
const challengeOf = (clientDataJson: string): string =>
  String(
    (JSON.parse(Buffer.from(clientDataJson, "base64url").toString()) as { challenge?: unknown })
      .challenge,
  );

const badResponse = () =>
  invalidField(
    "response",
    "The passkey could not be verified. Start again and respond within 5 minutes.",
  );

const alreadyKnown = () =>
  new AppError({ code: "conflict", publicMessage: "This passkey is already registered." });

const tooMany = () =>
  new AppError({
    code: "plan_limit_reached",
    publicMessage: `You can have at most ${PASSKEYS_PER_USER_MAX} passkeys. Remove one that you no longer use.`,
  });
