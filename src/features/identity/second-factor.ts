/**
 * The second factor: TOTP (RFC 6238; 6 digits, 30 s, and SHA-1, which every authenticator app
 * supports) and ten recovery codes. A code is accepted one time step before and after the current
 * one, and only once. The secret is sealed at rest; recovery codes are stored as HMACs.
 */
import { createHmac } from "node:crypto";
import { AppError, invalidField } from "../../core/errors.ts";
import { type IdentityChange, type IdentityDependencies, transaction } from "./dependencies.ts";
import { userFingerprintOf } from "./fingerprint.ts";
import type { User } from "./stores.ts";

const ISSUER = "Linevoice";
const PERIOD_SECONDS = 30;
const DIGITS = 6;
const STEPS_AROUND = 1;
/** 160 bits, as RFC 4226 section 4 recommends. */
const SECRET_BYTES = 20;
const RECOVERY_CODES = 10;
const RECOVERY_CODE_CHARACTERS = 10;
/** Crockford's Base32: no two characters look alike. */
const RECOVERY_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

export const totpBinding = (userId: number): string => `users:${userId}:totp`;

export class SecondFactor {
  readonly #fingerprint: (email: string) => string;

  constructor(private readonly deps: IdentityDependencies) {
    this.#fingerprint = userFingerprintOf(this.deps.vault);
  }

  async #totpOf(secret: string, email: string) {
    const { Secret, TOTP } = await import("otpauth");
    return new TOTP({
      issuer: ISSUER,
      label: email,
      secret: Secret.fromBase32(secret),
      algorithm: "SHA1",
      digits: DIGITS,
      period: PERIOD_SECONDS,
    });
  }

  /** The time step of a code; null if it matches none near the current time. */
  async #stepOf(sealed: string, user: Pick<User, "id" | "email">, code: string) {
    const timestamp = this.deps.clock.now();
    const totp = await this.#totpOf(this.deps.vault.open(sealed, totpBinding(user.id)), user.email);
    const away = totp.validate({ token: code, timestamp, window: STEPS_AROUND });
    return away === null ? null : Math.floor(timestamp / 1000 / PERIOD_SECONDS) + away;
  }

  #recoveryHash(userId: number, code: string) {
    return createHmac("sha256", this.deps.vault.deriveKey("identity: recovery codes"))
      .update(`${userId}:${code}`)
      .digest("hex");
  }

  #newRecoveryCode(): string {
    const letters = Array.from(
      this.deps.random.bytes(RECOVERY_CODE_CHARACTERS),
      (byte) => RECOVERY_ALPHABET[byte % RECOVERY_ALPHABET.length] ?? "0",
    );
    const middle = RECOVERY_CODE_CHARACTERS / 2;
    return `${letters.slice(0, middle).join("")}-${letters.slice(middle).join("")}`;
  }

  /** The secret becomes active after a first code confirmed it. Throws conflict if one is active. */
  async begin(userId: number): Promise<{ secret: string; otpauthUri: string }> {
    return transaction(this.deps, async ({ users }) => {
      const user = await users.byId(userId);
      if (!user || user.totpSealed !== null) throw alreadyOn();
      const { Secret } = await import("otpauth");
      const secret = new Secret({ buffer: this.deps.random.bytes(SECRET_BYTES).slice().buffer })
        .base32;
      const totpPendingSealed = this.deps.vault.seal(secret, totpBinding(userId));
      await users.update(userId, { totpPendingSealed });
      return { secret, otpauthUri: (await this.#totpOf(secret, user.email)).toString() };
    });
  }

  /**
   * Turns the second factor on. Only this result contains the recovery codes. Throws conflict,
   * valid_code_required.
   */
  async confirm(userId: number, code: string): Promise<string[]> {
    return transaction(this.deps, async ({ users }) => {
      const user = await users.byId(userId);
      if (!user || user.totpSealed !== null) throw alreadyOn();
      if (user.totpPendingSealed === null) throw notBegun();
      const step = await this.#stepOf(user.totpPendingSealed, user, code);
      if (step === null || !(await users.spendTotpStep(userId, step))) throw wrongCode();
      await users.update(userId, {
        totpSealed: user.totpPendingSealed,
        totpPendingSealed: null,
      });
      const codes = Array.from({ length: RECOVERY_CODES }, () => this.#newRecoveryCode());
      const hashes = codes.map((plain) => this.#recoveryHash(userId, plain.replace("-", "")));
      await users.replaceRecoveryCodes(userId, hashes);
      return codes;
    });
  }

  /** In the caller's transaction. */
  async remove({ users, revoked }: IdentityChange, user: Pick<User, "id" | "email">) {
    await users.update(user.id, { totpSealed: null, totpPendingSealed: null });
    await users.replaceRecoveryCodes(user.id, []);
    await revoked([{ kind: "second_factor", user: this.#fingerprint(user.email) }]);
  }

  /** Uses up the code: an authenticator code, or a recovery code in any spelling. */
  async accepts({ users, revoked }: IdentityChange, user: User, code: string): Promise<boolean> {
    if (user.totpSealed === null) return false;
    const plain = code.toLowerCase().replace(/[\s-]/g, "");
    if (/^\d{6}$/.test(plain)) {
      const step = await this.#stepOf(user.totpSealed, user, plain);
      return step !== null && (await users.spendTotpStep(user.id, step));
    }
    const read = plain.replaceAll("o", "0").replace(/[il]/g, "1");
    const hash = this.#recoveryHash(user.id, read);
    if (!(await users.spendRecoveryCode(user.id, hash, this.deps.clock.now()))) return false;
    await revoked([{ kind: "recovery_code", hash }]);
    return true;
  }
}

const alreadyOn = () =>
  new AppError({
    code: "conflict",
    reason: "totp_on",
    publicMessage: "Two-factor authentication is already on.",
  });

const notBegun = () =>
  new AppError({ code: "conflict", publicMessage: "Start to set up the authenticator first." });

const wrongCode = () =>
  invalidField("code", "This code is not valid. Enter the next code from your authenticator.");
