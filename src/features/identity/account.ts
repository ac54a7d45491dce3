/**
 * A user's account settings. Every change to the sign-in methods (password, second factor) ends all other
 * sessions and gives this one a new token.
 */
import { invalidField } from "../../core/errors.ts";
import { type IdentityDependencies, type Source, transaction } from "./dependencies.ts";
import { userFingerprintOf } from "./fingerprint.ts";
import type { IdentityMailer } from "./identity-mailer.ts";
import type { LockOut } from "./lock-out.ts";
import { type AccountChange, accountChangedMail, resetMail } from "./mails.ts";
import { noSuchLink, type OneTimeLinks } from "./one-time-links.ts";
import type { Passkeys } from "./passkeys.ts";
import type { Passwords } from "./passwords.ts";
import type { SecondFactor } from "./second-factor.ts";
import type { ActiveSession, Sessions } from "./sessions.ts";
import { normalEmail, type SignIn } from "./sign-in.ts";
import type { IdentityStore, Locale, User } from "./stores.ts";

interface AccountParts {
  readonly sessions: Sessions;
  readonly signIn: SignIn;
  readonly passwords: Passwords;
  readonly lockOut: LockOut;
  readonly secondFactor: SecondFactor;
  readonly passkeys: Passkeys;
  readonly links: OneTimeLinks;
  readonly identityMailer: IdentityMailer;
}

/** The requesting session, with the token from its cookie. */
export interface CurrentUser {
  readonly session: ActiveSession;
  readonly token: string;
  readonly source: Source;
}

export interface Proof {
  readonly password?: string | undefined;
  /** A code of the authenticator, or a recovery code. */
  readonly code?: string | undefined;
  /** The response of the browser's passkey dialogue to sign-in options. */
  readonly passkey?: unknown;
  readonly origin: string;
}

export class Account {
  readonly #fingerprint: (email: string) => string;

  constructor(
    private readonly deps: IdentityDependencies,
    private readonly parts: AccountParts,
  ) {
    this.#fingerprint = userFingerprintOf(this.deps.vault);
  }

  /**
   * Ends the user's other sessions. Returns this session's new token; null if another request has just
   * rotated it.
   */
  async #alone({ session, token }: CurrentUser): Promise<string | null> {
    await transaction(this.deps, (store) => store.sessions.removeAll(session.user.id, session.id));
    return this.parts.sessions.rotate(session, token, 0);
  }

  /** A new password also invalidates reset links issued before it. */
  async #endOpenLinks({ links: store }: IdentityStore, userId: number): Promise<void> {
    await store.removeOpen("reset", userId);
    await store.removeOpen("sign_in", userId);
  }

  async #notify(
    user: Pick<User, "id" | "email" | "locale">,
    change: AccountChange,
    passkeys: readonly string[] = [],
  ) {
    await this.parts.identityMailer.send(
      accountChangedMail(user.locale, user, change, this.deps.clock.now(), passkeys),
      user.id,
    );
  }

  /** Passkeys stay: a new password does not affect people who hold one. */
  async #passkeyNames(userId: number): Promise<readonly string[]> {
    return (await this.parts.passkeys.list(userId)).map(({ name }) => name);
  }

  async #requirePassword({ session, source }: CurrentUser, password: string): Promise<void> {
    if (await this.parts.signIn.confirms(session.user, password, source.ip)) return;
    throw invalidField("password", "The password is wrong.", { reason: "current" });
  }

  /** Checks a passkey if one is given; otherwise a code, if the user has an authenticator. */
  async #requireSecondFactor({ session, source }: CurrentUser, proof: Proof): Promise<void> {
    if (proof.passkey !== undefined) {
      if ((await this.parts.passkeys.owner(proof.passkey, proof.origin)) !== session.user.id)
        throw invalidField("response", "This passkey belongs to another account.");
      return;
    }
    if (session.user.totpSealed === null) return;
    if (!(await this.parts.signIn.confirmsCode(session.user.id, proof.code ?? "", source.ip)))
      throw invalidField(
        "code",
        "This code is not valid, or was used. Enter the next one, or a recovery code.",
      );
  }

  /**
   * A signed-in user confirms their identity again: with a passkey, or with the password and, if
   * an authenticator is on, a code. Throws `valid_password_required`, `valid_code_required`,
   * `valid_response_required`, rate_limited.
   */
  async confirm(currentUser: CurrentUser, proof: Proof): Promise<void> {
    if (proof.passkey === undefined) await this.#requirePassword(currentUser, proof.password ?? "");
    await this.#requireSecondFactor(currentUser, proof);
    await this.parts.sessions.confirmed(currentUser.session);
  }

  async updateProfile(
    userId: number,
    changes: { readonly name?: string; readonly locale?: Locale },
  ): Promise<void> {
    await transaction(this.deps, ({ users }) => users.update(userId, changes));
  }

  /** Throws `valid_current_required`, `valid_password_required`, rate_limited. */
  async changePassword(currentUser: CurrentUser, current: string, password: string) {
    const { user } = currentUser.session;
    this.parts.passwords.requireStrong(password, user.email);
    if (!(await this.parts.signIn.confirms(user, current, currentUser.source.ip)))
      throw invalidField("current", "The current password is wrong.");
    const passwordHash = await this.parts.passwords.hash(password);
    await transaction(this.deps, async (store) => {
      await store.users.update(user.id, { passwordHash });
      await this.#endOpenLinks(store, user.id);
      await store.revoked([{ kind: "password", user: this.#fingerprint(user.email) }]);
    });
    await this.#notify(user, "password", await this.#passkeyNames(user.id));
    return this.#alone(currentUser);
  }

  /** Throws conflict, `valid_code_required`. */
  async confirmTotp(currentUser: CurrentUser, code: string) {
    const recoveryCodes = await this.parts.secondFactor.confirm(currentUser.session.user.id, code);
    await this.#notify(currentUser.session.user, "totp_on");
    return { recoveryCodes, token: await this.#alone(currentUser) };
  }

  /**
   * The password alone cannot remove a second factor: that factor, a passkey or a recovery code
   * is also required. Throws `valid_password_required`, `valid_code_required`, rate_limited.
   */
  async disableTotp(currentUser: CurrentUser, proof: Proof): Promise<string | null> {
    const { user } = currentUser.session;
    await this.#requirePassword(currentUser, proof.password ?? "");
    await this.#requireSecondFactor(currentUser, proof);
    await transaction(this.deps, (store) => this.parts.secondFactor.remove(store, user));
    await this.#notify(user, "totp_off");
    return this.#alone(currentUser);
  }

  /** Throws `valid_response_required`, conflict, plan_limit_reached. */
  async addPasskey({ session }: CurrentUser, name: string, response: unknown, origin: string) {
    const made = await this.parts.passkeys.register(session.user.id, name, response, origin);
    await this.#notify(session.user, "passkey");
    return made;
  }

  /**
   * Emails a link if the account exists. The caller responds without waiting, so that neither the
   * response nor its timing reveals whether it does. Throws rate_limited for known and unknown
   * addresses alike.
   */
  async forgotPassword(
    emailSent: string,
    source: Source,
  ): Promise<{ readonly mailed: Promise<void> }> {
    const email = normalEmail(emailSent);
    await this.parts.lockOut.attempt([
      this.parts.lockOut.mailTo(email),
      ...this.parts.lockOut.sources(source.ip),
    ]);
    await this.parts.lockOut.undoAttempt(this.parts.lockOut.sources(source.ip));
    const mail = async () => {
      const user = await this.deps.stores(this.deps.database.read).users.byEmail(email);
      if (!user) return;
      const link = await transaction(this.deps, async (store) => {
        await store.links.removeOpen("reset", user.id);
        return this.parts.links.make(store, { kind: "reset", userId: user.id });
      });
      await this.parts.identityMailer.send(resetMail(user.locale, user.email, link), user.id);
    };
    return { mailed: mail() };
  }

  peekResetLink(token: string) {
    return this.parts.links.peek("reset", token);
  }

  /**
   * Ends every session. Returns the names of the passkeys, which stay. Throws not_found,
   * `valid_password_required`.
   */
  async resetPassword(token: string, password: string) {
    const link = await this.parts.links.peek("reset", token);
    const user = link?.userId
      ? await this.deps.stores(this.deps.database.read).users.byId(link.userId)
      : null;
    if (!user) throw noSuchLink();
    this.parts.passwords.requireStrong(password, user.email);
    const passwordHash = await this.parts.passwords.hash(password);
    await transaction(this.deps, async (store) => {
      await this.parts.links.use(store, "reset", token);
      await store.users.update(user.id, { passwordHash });
      await store.sessions.removeAll(user.id, null);
      await this.#endOpenLinks(store, user.id);
      await store.revoked([{ kind: "password", user: this.#fingerprint(user.email) }]);
    });
    await this.parts.lockOut.clearFailures([this.parts.lockOut.account(user.email)]);
    const passkeys = await this.#passkeyNames(user.id);
    await this.#notify(user, "password", passkeys);
    return { user, passkeys };
  }
}
