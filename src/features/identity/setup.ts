/**
 * Actions for the operator at the console: links that create the first owner, sign a user in or set a
 * password, and accounts without an invitation.
 */

import type { Queries } from "../../core/database.ts";
import { AppError, invalidField, notFound } from "../../core/errors.ts";
import { type IdentityDependencies, transaction } from "./dependencies.ts";
import { userFingerprintOf } from "./fingerprint.ts";
import type { IdentityMailer } from "./identity-mailer.ts";
import { resetMail } from "./mails.ts";
import { type MadeLink, noSuchLink, type OneTimeLinks } from "./one-time-links.ts";
import type { Passwords } from "./passwords.ts";
import type { SecondFactor } from "./second-factor.ts";
import { normalEmail, type SignedIn, type SignIn, type Visitor } from "./sign-in.ts";
import type { IdentityStore, TenantRole, User } from "./stores.ts";

const DAY_MS = 24 * 3_600_000;
const EMAIL = /^[^\s@<>",;:()[\]\\\p{Cc}\p{Cf}]+@[^\s@<>",;:()[\]\\\p{Cc}\p{Cf}]+$/u;
const EMAIL_LENGTH_MAX = 254;

interface SetupParts {
  readonly signIn: SignIn;
  readonly passwords: Passwords;
  readonly secondFactor: SecondFactor;
  readonly links: OneTimeLinks;
  readonly identityMailer: IdentityMailer;
}

interface OwnerDraft {
  readonly token: string;
  readonly name: string;
  readonly email: string;
  readonly password: string;
  readonly company?: string;
}

interface UserDraft {
  readonly email: string;
  readonly name: string | null;
  readonly tenantId: number;
  readonly role: TenantRole;
  readonly operator: boolean;
}

export class Setup {
  readonly #fingerprint: (email: string) => string;

  constructor(
    private readonly deps: IdentityDependencies,
    private readonly parts: SetupParts,
  ) {
    this.#fingerprint = userFingerprintOf(this.deps.vault);
  }

  async #userOf(store: IdentityStore, emailSent: string): Promise<User> {
    const user = await store.users.byEmail(normalEmail(emailSent));
    if (!user) throw notFound("user");
    return user;
  }

  /** The tenant without an owner, or a new one. */
  async #firstTenant(queries: Queries, draft: OwnerDraft, email: string): Promise<number> {
    const { team } = this.deps.stores(queries);
    const first = await team.firstTenant();
    if (first) return first.id;
    if (!draft.company) throw invalidField("company", "Enter the name of your company.");
    return this.deps.createTenant(queries, { name: draft.company, email });
  }

  /** True if the appliance has no owner yet. */
  async needed(): Promise<boolean> {
    return !(await this.deps.stores(this.deps.database.read).users.hasOperator());
  }

  /** Invalidates earlier owner links. */
  ownerLink(): Promise<MadeLink> {
    return transaction(this.deps, async (store) => {
      await store.links.removeOpen("owner", null);
      return this.parts.links.make(store, { kind: "owner" });
    });
  }

  peekOwnerLink(token: string) {
    return this.parts.links.peek("owner", token);
  }

  /** Creates the operator and, if there is none, the first tenant. Throws not_found, conflict. */
  async becomeOwner(draft: OwnerDraft, visitor: Visitor): Promise<SignedIn> {
    if (!(await this.parts.links.peek("owner", draft.token))) throw noSuchLink();
    const email = normalEmail(draft.email);
    this.parts.passwords.requireStrong(draft.password, email);
    const passwordHash = await this.parts.passwords.hash(draft.password);
    return this.deps.database.tx(async (queries) => {
      const store = this.deps.stores(queries);
      await this.parts.links.use(store, "owner", draft.token);
      if (await store.users.byEmail(email)) throw emailTaken();
      const tenantId = await this.#firstTenant(queries, draft, email);
      const nowMs = this.deps.clock.now();
      const id = await store.users.insert({
        email,
        name: draft.name,
        locale: "en",
        passwordHash,
        operator: true,
        createdAt: nowMs,
      });
      if ((await store.team.owners(tenantId)) === 0)
        await store.team.put(tenantId, id, "owner", nowMs);
      const user = await store.users.byId(id);
      if (!user) throw new Error("a user that was just made is gone");
      return this.parts.signIn.admit(store, user, "link", visitor);
    });
  }

  /** A link that signs this user in, once. Throws not_found. */
  createSignInLink(userId: number): Promise<MadeLink> {
    return transaction(this.deps, async (store) => {
      if (!(await store.users.byId(userId))) throw notFound("user");
      return this.parts.links.make(store, { kind: "sign_in", userId });
    });
  }

  /**
   * Creates an account, or adds a membership to an existing one. `link`: sets the first password,
   * valid for a day; null if a password exists. Throws not_found for the tenant,
   * `valid_email_required`.
   */
  async createUser(
    draft: UserDraft,
  ): Promise<{ user: User; made: boolean; link: MadeLink | null }> {
    const email = normalEmail(draft.email);
    if (!EMAIL.test(email) || email.length > EMAIL_LENGTH_MAX)
      throw invalidField("email", "Enter an email address such as rasa@example.com.");
    return transaction(this.deps, async (store) => {
      if (!(await store.team.tenant(draft.tenantId))) throw notFound("tenant");
      const known = await store.users.byEmail(email);
      const fields = { passwordHash: null, operator: draft.operator, locale: "en" } as const;
      const name = draft.name ?? email.split("@")[0] ?? email;
      const createdAt = this.deps.clock.now();
      const id = known?.id ?? (await store.users.insert({ ...fields, email, name, createdAt }));
      if (known && draft.operator) await store.users.update(id, { operator: true });
      await store.team.put(draft.tenantId, id, draft.role, createdAt);
      await store.sessions.markForRotation(draft.tenantId, id);
      const joined = { kind: "member", tenant: draft.tenantId, role: draft.role } as const;
      await store.revoked([{ ...joined, user: this.#fingerprint(email) }]);
      const user = await store.users.byId(id);
      if (!user) throw new Error("a user that was just made is gone");
      const linkDraft = { kind: "reset", userId: id, lifeMs: DAY_MS } as const;
      if (user.passwordHash !== null) return { user, made: known === null, link: null };
      await store.links.removeOpen("reset", id);
      const link = await this.parts.links.make(store, linkDraft);
      return { user, made: known === null, link };
    });
  }

  /**
   * `removeSecondFactor`: for a user who lost it together with the recovery codes. Throws
   * not_found.
   */
  resetLink(
    emailSent: string,
    removeSecondFactor: boolean,
  ): Promise<{ user: User; link: MadeLink }> {
    return transaction(this.deps, async (store) => {
      const user = await this.#userOf(store, emailSent);
      await store.links.removeOpen("reset", user.id);
      const link = await this.parts.links.make(store, { kind: "reset", userId: user.id });
      if (removeSecondFactor) await this.parts.secondFactor.remove(store, user);
      return { user, link };
    });
  }

  /** Returns false if no email can be sent. */
  mailReset(user: User, link: MadeLink): Promise<boolean> {
    return this.parts.identityMailer.send(resetMail(user.locale, user.email, link), user.id);
  }

  /** All users, with their companies. */
  async users() {
    const { users, team } = this.deps.stores(this.deps.database.read);
    const all = await users.all();
    return Promise.all(
      all.map(async (user) => ({ user, memberships: await team.membershipsOf(user.id) })),
    );
  }
}

const emailTaken = () =>
  new AppError({
    code: "conflict",
    publicMessage:
      "This address already has an account. Sign in with it, or create a password link with `linevoice user reset-password`.",
  });
