/**
 * Sign-in with email address and password, then the second factor if it is on; with a passkey; or
 * with a one-time link. It does not reveal which accounts exist: an unknown address costs the same
 * work, counts the same failures and gets the same answer as a wrong password.
 *
 * Each sign-in starts a new session and ends the browser's previous one, so that a token planted
 * beforehand becomes useless (session fixation).
 */
import { AppError, notFound } from "../../core/errors.ts";
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

export type SignIn = ReturnType<typeof createSignIn>;

/** Addresses are compared in lower case. */
export const normalEmail = (email: string): string => email.trim().normalize("NFC").toLowerCase();

export function createSignIn(deps: IdentityDependencies, parts: SignInParts) {
  const { database, stores } = deps;
  const { sessions, passwords, lockOut, secondFactor, passkeys, links } = parts;

  /** The user's default company: the first that is not suspended, if there is one. */
  async function firstTenant({ team }: IdentityStore, user: User): Promise<number | null> {
    const own = await team.membershipsOf(user.id);
    const best = own.find(({ suspended }) => !suspended) ?? own[0];
    if (best) return best.tenantId;
    return user.operator ? ((await team.firstTenant())?.id ?? null) : null;
  }

  async function forgetFormer({ sessions: store }: IdentityStore, token: string | null) {
    const former = token === null ? null : await store.byToken(hashOf(token));
    if (former) await store.remove(former.session.userId, former.session.id);
  }

  /** In a transaction: ends the browser's previous session and starts a new one. */
  async function admit(
    store: IdentityStore,
    user: User,
    method: SignInMethod,
    visitor: Visitor,
    stage: "totp" | "full" = "full",
  ): Promise<SignedIn> {
    await forgetFormer(store, visitor.token);
    const tenantId = await firstTenant(store, user);
    const start = { userId: user.id, stage, method, tenantId };
    const token = await sessions.start(store, start, visitor.source);
    return { next: stage === "full" ? "done" : "totp", token, user, tenantId };
  }

  /** Checks the password. If the check could not run, the attempt is not counted. */
  async function check(password: string, stored: string | null, counted: readonly Subject[]) {
    try {
      return await passwords.matches(password, stored);
    } catch (error) {
      await lockOut.undoAttempt(counted);
      throw error;
    }
  }

  return {
    admit,

    /** Throws unauthorized, rate_limited, unavailable. */
    async byPassword(emailSent: string, password: string, visitor: Visitor): Promise<SignedIn> {
      const email = normalEmail(emailSent);
      const counted = [lockOut.account(email), ...lockOut.sources(visitor.source.ip)];
      await lockOut.attempt(counted);
      const known = await stores(database.read).users.byEmail(email);
      if (!(await check(password, known?.passwordHash ?? null, counted)) || !known)
        throw wrongCredentials();
      await lockOut.undoAttempt(counted);
      const signedIn = await transaction(deps, async (store) => {
        // Read again: the password may have changed during the check.
        const user = await store.users.byId(known.id);
        if (user?.passwordHash !== known.passwordHash) throw wrongCredentials();
        return admit(store, user, "password", visitor, user.totpSealed === null ? "full" : "totp");
      });
      if (signedIn.next === "done") await lockOut.clearFailures(counted.slice(0, 1));
      return signedIn;
    },

    /**
     * The second step, for the browser that completed the first. Throws unauthorized, rate_limited.
     */
    async byCode(code: string, visitor: Visitor): Promise<SignedIn> {
      const begun = visitor.token === null ? null : await sessions.find(visitor.token);
      if (begun?.stage !== "totp" || begun.former) throw startOver();
      const counted = [lockOut.code(begun.user.id), ...lockOut.sources(visitor.source.ip)];
      await lockOut.attempt(counted);
      const signedIn = await transaction(deps, async (store) => {
        const user = await store.users.byId(begun.user.id);
        if (!user || !(await secondFactor.accepts(store, user, code))) return null;
        return admit(store, user, begun.method, visitor);
      });
      if (!signedIn) throw wrongSecondFactor();
      await lockOut.undoAttempt(counted);
      await lockOut.clearFailures([lockOut.account(signedIn.user.email), ...counted.slice(0, 1)]);
      return signedIn;
    },

    /** Throws unauthorized, rate_limited, conflict. */
    async byPasskey(response: unknown, origin: string, visitor: Visitor): Promise<SignedIn> {
      const counted = [...lockOut.sources(visitor.source.ip)];
      await lockOut.attempt(counted);
      const userId = await passkeys.owner(response, origin);
      if (userId === null) throw wrongPasskey();
      await lockOut.undoAttempt(counted);
      return transaction(deps, async (store) => {
        const user = await store.users.byId(userId);
        if (!user) throw wrongPasskey();
        return admit(store, user, "passkey", visitor);
      });
    },

    /** A link printed by the appliance. Throws not_found. */
    byLink: (token: string, visitor: Visitor): Promise<SignedIn> =>
      transaction(deps, async (store) => {
        const { userId } = await links.use(store, "sign_in", token);
        const user = userId === null ? null : await store.users.byId(userId);
        if (!user) throw notFound("link");
        return admit(store, user, "link", visitor);
      }),

    /** Checks a code and uses it up; failures count. Throws rate_limited. */
    async confirmsCode(userId: number, code: string, ip: string): Promise<boolean> {
      const counted = [lockOut.code(userId), ...lockOut.sources(ip)];
      await lockOut.attempt(counted);
      const right = await transaction(deps, async (store) => {
        const user = await store.users.byId(userId);
        return user !== null && (await secondFactor.accepts(store, user, code));
      });
      if (right) await lockOut.undoAttempt(counted);
      return right;
    },

    /** Checks the user's password; failures count. Throws rate_limited. */
    async confirms(user: Pick<User, "id" | "email">, password: string, ip: string) {
      const counted = [lockOut.account(user.email), ...lockOut.sources(ip)];
      await lockOut.attempt(counted);
      const stored = (await stores(database.read).users.byId(user.id))?.passwordHash ?? null;
      const right = await check(password, stored, counted);
      if (right) await lockOut.undoAttempt(counted);
      return right;
    },
  };
}

const refused = (publicMessage: string) => new AppError({ code: "unauthorized", publicMessage });

/** The answer is identical, byte for byte, for a wrong password and for an unknown address. */
const wrongCredentials = () => refused("E-mail address or password is wrong.");

const wrongSecondFactor = () =>
  refused("This code is not right now, or was used. Take the next one, or a recovery code.");

const startOver = () => refused("Sign in with e-mail and password first.");

const wrongPasskey = () => refused("This passkey opens no account here.");
