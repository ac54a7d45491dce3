/**
 * Sign-in with email address and password, then the second factor if it is on; with a passkey; or
 * with a one-time link. It does not reveal which accounts exist: an unknown address costs the same
 * work, counts the same failures and gets the same answer as a wrong password.
 *
 * Each sign-in starts a new session and ends the browser's previous one, so that a token planted
 * beforehand becomes useless (session fixation).
 */
import { AppError, notFound } from "../../core/errors.ts";
import type { MessageReason } from "../../core/message-reasons.ts";
import { type IdentityDependencies, type Source, transaction } from "./dependencies.ts";
import type { LockOut, Subject } from "./lock-out.ts";
import type { OneTimeLinks } from "./one-time-links.ts";
import type { Passkeys } from "./passkeys.ts";
import type { Passwords } from "./passwords.ts";
import type { SecondFactor } from "./second-factor.ts";
import { hashOf } from "./secrets.ts";
import type { Sessions } from "./sessions.ts";
import type { IdentityStore, SignInMethod, User } from "./stores.ts";

interface SignInParts {
  readonly sessions: Sessions;
  readonly passwords: Passwords;
  readonly lockOut: LockOut;
  readonly secondFactor: SecondFactor;
  readonly passkeys: Passkeys;
  readonly links: OneTimeLinks;
}

export interface SignedIn {
  readonly next: "done" | "totp";
  /** For the cookie. */
  readonly token: string;
  readonly user: Pick<User, "id" | "email">;
  readonly tenantId: number | null;
}

/** The browser that signs in. */
export interface Visitor {
  readonly source: Source;
  /** The token in its cookie, valid or not. */
  readonly token: string | null;
}

/** Addresses are compared in lower case. */
export const normalEmail = (email: string): string => email.trim().normalize("NFC").toLowerCase();

export class SignIn {
  constructor(
    private readonly deps: IdentityDependencies,
    private readonly parts: SignInParts,
  ) {}

  /** The user's default company: the first one without a suspension, if any. */
  async #firstTenant({ team }: IdentityStore, user: User): Promise<number | null> {
    const own = await team.membershipsOf(user.id);
    const best = own.find(({ suspended }) => !suspended) ?? own[0];
    return best?.tenantId ?? null;
  }

  async #forgetFormer({ sessions: store }: IdentityStore, token: string | null) {
    const former = token === null ? null : await store.byToken(hashOf(token));
    if (former) await store.remove(former.session.userId, former.session.id);
  }

  /** In a transaction: ends the browser's previous session and starts a new one. */
  async admit(
    store: IdentityStore,
    user: User,
    method: SignInMethod,
    visitor: Visitor,
    stage: "totp" | "full" = "full",
  ): Promise<SignedIn> {
    await this.#forgetFormer(store, visitor.token);
    const tenantId = await this.#firstTenant(store, user);
    const start = { userId: user.id, stage, method, tenantId };
    const token = await this.parts.sessions.start(store, start, visitor.source);
    return { next: stage === "full" ? "done" : "totp", token, user, tenantId };
  }

  /** Checks the password. If the check could not run, the attempt is not counted. */
  async #check(password: string, stored: string | null, counted: readonly Subject[]) {
    try {
      return await this.parts.passwords.matches(password, stored);
    } catch (error) {
      await this.parts.lockOut.undoAttempt(counted);
      throw error;
    }
  }

  /** Throws unauthorized, rate_limited, unavailable. */
  async byPassword(emailSent: string, password: string, visitor: Visitor): Promise<SignedIn> {
    const email = normalEmail(emailSent);
    const counted = [
      this.parts.lockOut.account(email),
      ...this.parts.lockOut.sources(visitor.source.ip),
    ];
    await this.parts.lockOut.attempt(counted);
    const known = await this.deps.stores(this.deps.database.read).users.byEmail(email);
    if (!(await this.#check(password, known?.passwordHash ?? null, counted)) || !known)
      throw wrongCredentials();
    await this.parts.lockOut.undoAttempt(counted);
    const signedIn = await transaction(this.deps, async (store) => {
      // Read again: the password may have changed during the check.
      const user = await store.users.byId(known.id);
      if (user?.passwordHash !== known.passwordHash) throw wrongCredentials();
      return this.admit(
        store,
        user,
        "password",
        visitor,
        user.totpSealed === null ? "full" : "totp",
      );
    });
    if (signedIn.next === "done") await this.parts.lockOut.clearFailures(counted.slice(0, 1));
    return signedIn;
  }

  /**
   * The second step, for the browser that completed the first. Throws unauthorized, rate_limited.
   */
  async byCode(code: string, visitor: Visitor): Promise<SignedIn> {
    const begun = visitor.token === null ? null : await this.parts.sessions.find(visitor.token);
    if (begun?.stage !== "totp" || begun.former) throw startOver();
    const counted = [
      this.parts.lockOut.code(begun.user.id),
      ...this.parts.lockOut.sources(visitor.source.ip),
    ];
    await this.parts.lockOut.attempt(counted);
    const signedIn = await transaction(this.deps, async (store) => {
      const user = await store.users.byId(begun.user.id);
      if (!user || !(await this.parts.secondFactor.accepts(store, user, code))) return null;
      return this.admit(store, user, begun.method, visitor);
    });
    if (!signedIn) throw wrongSecondFactor();
    await this.parts.lockOut.undoAttempt(counted);
    await this.parts.lockOut.clearFailures([
      this.parts.lockOut.account(signedIn.user.email),
      ...counted.slice(0, 1),
    ]);
    return signedIn;
  }

  /** Throws unauthorized, rate_limited, conflict. */
  async byPasskey(response: unknown, origin: string, visitor: Visitor): Promise<SignedIn> {
    const counted = [...this.parts.lockOut.sources(visitor.source.ip)];
    await this.parts.lockOut.attempt(counted);
    const userId = await this.parts.passkeys.owner(response, origin);
    if (userId === null) throw wrongPasskey();
    await this.parts.lockOut.undoAttempt(counted);
    return transaction(this.deps, async (store) => {
      const user = await store.users.byId(userId);
      if (!user) throw wrongPasskey();
      return this.admit(store, user, "passkey", visitor);
    });
  }

  /** A link printed by the appliance. Throws not_found. */
  byLink(token: string, visitor: Visitor): Promise<SignedIn> {
    return transaction(this.deps, async (store) => {
      const { userId } = await this.parts.links.use(store, "sign_in", token);
      const user = userId === null ? null : await store.users.byId(userId);
      if (!user) throw notFound("link");
      return this.admit(store, user, "link", visitor);
    });
  }

  /** Checks a code and uses it up; failures count. Throws rate_limited. */
  async confirmsCode(userId: number, code: string, ip: string): Promise<boolean> {
    const counted = [this.parts.lockOut.code(userId), ...this.parts.lockOut.sources(ip)];
    await this.parts.lockOut.attempt(counted);
    const right = await transaction(this.deps, async (store) => {
      const user = await store.users.byId(userId);
      return user !== null && (await this.parts.secondFactor.accepts(store, user, code));
    });
    if (right) await this.parts.lockOut.undoAttempt(counted);
    return right;
  }

  /** Checks the user's password; failures count. Throws rate_limited. */
  async confirms(user: Pick<User, "id" | "email">, password: string, ip: string) {
    const counted = [this.parts.lockOut.account(user.email), ...this.parts.lockOut.sources(ip)];
    await this.parts.lockOut.attempt(counted);
    const stored =
      (await this.deps.stores(this.deps.database.read).users.byId(user.id))?.passwordHash ?? null;
    const right = await this.#check(password, stored, counted);
    if (right) await this.parts.lockOut.undoAttempt(counted);
    return right;
  }
}

const refused = (publicMessage: string, reason?: MessageReason) =>
  new AppError({ code: "unauthorized", publicMessage, reason });

/** The answer is identical, byte for byte, for a wrong password and for an unknown address. */
const wrongCredentials = () => refused("Email address or password is wrong.");

const wrongSecondFactor = () =>
  refused(
    "This code is not valid, or was used. Enter the next one, or a recovery code.",
    "wrong_totp",
  );

const startOver = () => refused("Sign in with email and password first.");

const wrongPasskey = () =>
  refused("This passkey does not belong to an account here.", "wrong_passkey");
