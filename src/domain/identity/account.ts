/**
 * A user's own account. Every change to how the user signs in (password, second factor) ends all
 * other sessions and gives this one a new token.
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

export function createAccount(deps: IdentityDependencies, parts: AccountParts) {
  const { database, stores, clock } = deps;
  const { sessions, signIn, passwords, lockOut, secondFactor, passkeys, links, identityMailer } =
    parts;
  const fingerprint = userFingerprintOf(deps.vault);

  /** Returns this session's new token; null: another request has just rotated it. */
  async function alone({ session, token }: CurrentUser): Promise<string | null> {
    await transaction(deps, (store) => store.sessions.removeAll(session.user.id, session.id));
    return sessions.rotate(session, token, 0);
  }

  /** A new password also invalidates the open links that were issued before it. */
  async function endOpenLinks({ links: store }: IdentityStore, userId: number): Promise<void> {
    await store.removeOpen("reset", userId);
    await store.removeOpen("sign_in", userId);
  }

  async function notify(user: Pick<User, "id" | "email" | "locale">, change: AccountChange) {
    await identityMailer.send(accountChangedMail(user.locale, user, change, clock.now()), user.id);
  }

  async function requirePassword(
    { session, source }: CurrentUser,
    password: string,
  ): Promise<void> {
    if (await signIn.confirms(session.user, password, source.ip)) return;
    throw invalidField("password", "This is not your password.");
  }

  /** Checks a passkey if one is given; otherwise a code, if the user has an authenticator. */
  async function requireSecondFactor(
    { session, source }: CurrentUser,
    proof: Proof,
  ): Promise<void> {
    if (proof.passkey !== undefined) {
      if ((await passkeys.owner(proof.passkey, proof.origin)) !== session.user.id)
        throw invalidField("response", "This passkey is not one of yours.");
      return;
    }
    if (session.user.totpSealed === null) return;
    if (!(await signIn.confirmsCode(session.user.id, proof.code ?? "", source.ip)))
      throw invalidField(
        "code",
        "This code is not right now, or was used. Give the next one, or a recovery code.",
      );
  }

  return {
    /**
     * A signed-in user confirms their identity again: with a passkey, or with the password and, if
     * an authenticator is on, a code. Throws `valid_password_required`, `valid_code_required`,
     * `valid_response_required`, rate_limited.
     */
    async confirm(currentUser: CurrentUser, proof: Proof): Promise<void> {
      if (proof.passkey === undefined) await requirePassword(currentUser, proof.password ?? "");
      await requireSecondFactor(currentUser, proof);
      await sessions.confirmed(currentUser.session);
    },

    async updateProfile(
      userId: number,
      changes: { readonly name?: string; readonly locale?: Locale },
    ): Promise<void> {
      await transaction(deps, ({ users }) => users.update(userId, changes));
    },

    /** Throws `valid_current_required`, `valid_password_required`, rate_limited. */
    async changePassword(currentUser: CurrentUser, current: string, password: string) {
      const { user } = currentUser.session;
      passwords.requireStrong(password, user.email);
      if (!(await signIn.confirms(user, current, currentUser.source.ip)))
        throw invalidField("current", "This is not your password until now.");
      const passwordHash = await passwords.hash(password);
      await transaction(deps, async (store) => {
        await store.users.update(user.id, { passwordHash });
        await endOpenLinks(store, user.id);
        await store.revoked([{ kind: "password", user: fingerprint(user.email) }]);
      });
      await notify(user, "password");
      return alone(currentUser);
    },

    /** Throws conflict, `valid_code_required`. */
    async confirmTotp(currentUser: CurrentUser, code: string) {
      const recoveryCodes = await secondFactor.confirm(currentUser.session.user.id, code);
      await notify(currentUser.session.user, "totp_on");
      return { recoveryCodes, token: await alone(currentUser) };
    },

    /**
     * The password alone cannot remove a second factor: that factor, a passkey or a recovery code
     * is also required. Throws `valid_password_required`, `valid_code_required`, rate_limited.
     */
    async disableTotp(currentUser: CurrentUser, proof: Proof): Promise<string | null> {
      const { user } = currentUser.session;
      await requirePassword(currentUser, proof.password ?? "");
      await requireSecondFactor(currentUser, proof);
      await transaction(deps, (store) => secondFactor.remove(store, user));
      await notify(user, "totp_off");
      return alone(currentUser);
    },

    /** Throws `valid_response_required`, conflict, plan_limit_reached. */
    async addPasskey({ session }: CurrentUser, name: string, response: unknown, origin: string) {
      const made = await passkeys.register(session.user.id, name, response, origin);
      await notify(session.user, "passkey");
      return made;
    },

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
      await lockOut.attempt([lockOut.mailTo(email), ...lockOut.sources(source.ip)]);
      await lockOut.undoAttempt(lockOut.sources(source.ip));
      const mail = async () => {
        const user = await stores(database.read).users.byEmail(email);
        if (!user) return;
        const link = await transaction(deps, async (store) => {
          await store.links.removeOpen("reset", user.id);
          return links.make(store, { kind: "reset", userId: user.id });
        });
        await identityMailer.send(resetMail(user.locale, user.email, link), user.id);
      };
      return { mailed: mail() };
    },

    peekResetLink: (token: string) => links.peek("reset", token),

    /** Ends every session. Throws not_found, `valid_password_required`. */
    async resetPassword(token: string, password: string) {
      const link = await links.peek("reset", token);
      const user = link?.userId ? await stores(database.read).users.byId(link.userId) : null;
      if (!user) throw noSuchLink();
      passwords.requireStrong(password, user.email);
      const passwordHash = await passwords.hash(password);
      await transaction(deps, async (store) => {
        await links.use(store, "reset", token);
        await store.users.update(user.id, { passwordHash });
        await store.sessions.removeAll(user.id, null);
        await endOpenLinks(store, user.id);
        await store.revoked([{ kind: "password", user: fingerprint(user.email) }]);
      });
      await lockOut.clearFailures([lockOut.account(user.email)]);
      await notify(user, "password");
      return user;
    },
  };
}
