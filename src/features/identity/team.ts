/**
 * The members, roles and invitations of a tenant. The last owner cannot be removed. A changed role applies
 * from the next request, which also gets a new token.
 *
 * When an owner loses the role, their open invitations are removed: they would be a way back.
 */
import { AppError, invalidField, notFound } from "../../core/errors.ts";
import type { MessageReason } from "../../core/message-reasons.ts";
import { type IdentityChange, type IdentityDependencies, transaction } from "./dependencies.ts";
import { userFingerprintOf } from "./fingerprint.ts";
import type { IdentityMailer } from "./identity-mailer.ts";
import type { LockOut } from "./lock-out.ts";
import { invitationMail } from "./mails.ts";
import { noSuchLink, type OneTimeLinks } from "./one-time-links.ts";
import type { Passwords } from "./passwords.ts";
import type { ActiveSession } from "./sessions.ts";
import { normalEmail, type SignedIn, type SignIn, type Visitor } from "./sign-in.ts";
import type { IdentityStore, Member, OneTimeLink, TenantRole } from "./stores.ts";

const MEMBERS_MAX = 200;
const INVITATIONS_MAX = 50;

interface TeamParts {
  readonly signIn: SignIn;
  readonly passwords: Passwords;
  readonly lockOut: LockOut;
  readonly links: OneTimeLinks;
  readonly identityMailer: IdentityMailer;
}

export interface Invitation {
  readonly id: number;
  readonly email: string;
  readonly role: TenantRole;
  readonly expiresAt: number;
}

interface Acceptance {
  readonly token: string;
  readonly name?: string;
  readonly password?: string;
}

const invitationOf = ({ id, email, role, expiresAt }: OneTimeLink): Invitation => ({
  id,
  email: email ?? "",
  role: role ?? "viewer",
  expiresAt,
});

export class Team {
  readonly #fingerprint: (email: string) => string;

  constructor(
    private readonly deps: IdentityDependencies,
    private readonly parts: TeamParts,
  ) {
    this.#fingerprint = userFingerprintOf(this.deps.vault);
  }

  async #keepAnOwner({ team }: IdentityStore, tenantId: number, member: Member) {
    if (member.role === "owner" && (await team.owners(tenantId)) <= 1) throw lastOwner();
  }

  #noteRole(
    store: IdentityChange,
    tenant: number,
    { email }: Pick<Member, "email">,
    role: TenantRole | null,
  ) {
    return store.revoked([{ kind: "member", tenant, user: this.#fingerprint(email), role }]);
  }

  async #join(store: IdentityChange, link: OneTimeLink, userId: number): Promise<void> {
    if (link.tenantId === null || link.role === null) throw noSuchLink();
    const known = await store.team.member(link.tenantId, userId);
    if (known) return;
    if ((await store.team.members(link.tenantId)).length >= MEMBERS_MAX) throw isFull();
    await store.team.put(link.tenantId, userId, link.role, this.deps.clock.now());
    await this.#noteRole(store, link.tenantId, { email: link.email ?? "" }, link.role);
  }

  /** For a user without an account: they choose name and password now. */
  async #acceptAsNew(email: string, accepted: Acceptance, visitor: Visitor) {
    if (accepted.name === undefined) throw invalidField("name", "Say your name.");
    if (accepted.password === undefined) throw invalidField("password", "Choose a password.");
    const { name, password, token } = {
      ...accepted,
      name: accepted.name,
      password: accepted.password,
    };
    this.parts.passwords.requireStrong(password, email);
    const passwordHash = await this.parts.passwords.hash(password);
    return transaction(this.deps, async (store) => {
      const link = await this.parts.links.use(store, "invitation", token);
      if (await store.users.byEmail(email)) throw haveAccount();
      const draft = { email, name, locale: "en", passwordHash, operator: false } as const;
      const id = await store.users.insert({ ...draft, createdAt: this.deps.clock.now() });
      await this.#join(store, link, id);
      const user = await store.users.byId(id);
      if (!user) throw new Error("a user that was just made is gone");
      const signedIn = await this.parts.signIn.admit(store, user, "password", visitor);
      return { ...signedIn, tenantId: link.tenantId };
    });
  }

  /**
   * For a user with an account: the session or the password identifies them. If a second factor is
   * on, the password alone is not enough: the invitation stays open for the session that follows.
   */
  async #acceptAsKnown(
    userId: number,
    email: string,
    accepted: Acceptance,
    visitor: Visitor,
    session: ActiveSession | null,
  ): Promise<SignedIn | null> {
    const joined = (store: IdentityChange) =>
      this.parts.links
        .use(store, "invitation", accepted.token)
        .then((link) => this.#join(store, link, userId));
    if (session?.user.id === userId) {
      await transaction(this.deps, joined);
      return null;
    }
    if (accepted.password === undefined)
      throw invalidField("password", "Enter the password of your account.");
    const signedIn = await this.parts.signIn.byPassword(email, accepted.password, visitor);
    if (signedIn.next === "done") await transaction(this.deps, joined);
    return signedIn;
  }

  async overview(tenantId: number) {
    const store = this.deps.stores(this.deps.database.read);
    const [members, open] = await Promise.all([
      store.team.members(tenantId),
      store.links.invitations(tenantId, this.deps.clock.now()),
    ]);
    return { members, invitations: open.map(invitationOf) };
  }

  /** Replaces an open invitation to the same address. Throws conflict, plan_limit_reached, rate_limited. */
  async invite(
    tenantId: number,
    inviter: ActiveSession["user"],
    emailSent: string,
    role: TenantRole,
  ): Promise<{ readonly invitation: Invitation; readonly url: string }> {
    const email = normalEmail(emailSent);
    await this.parts.lockOut.attempt(this.parts.lockOut.invitationOf(tenantId, email));
    const { link, company } = await transaction(this.deps, async (store) => {
      const members = await store.team.members(tenantId);
      if (members.some((member) => member.email === email)) throw alreadyMember();
      await store.links.removeInvitationsTo(tenantId, email);
      const open = await store.links.invitations(tenantId, this.deps.clock.now());
      if (open.length >= INVITATIONS_MAX || members.length >= MEMBERS_MAX) throw tooMany();
      const tenant = await store.team.tenant(tenantId);
      const made = await this.parts.links.make(store, {
        kind: "invitation",
        userId: inviter.id,
        tenantId,
        email,
        role,
      });
      return { link: made, company: tenant?.name ?? "" };
    });
    const to = { email, company, inviter: inviter.name };
    await this.parts.identityMailer.send(
      invitationMail(inviter.locale, to, link),
      inviter.id,
      tenantId,
    );
    return {
      invitation: { id: link.id, email, role, expiresAt: link.expiresAt },
      url: link.url,
    };
  }

  /** Invites an owner for a company that has none, so nobody in it could invite. Throws like `invite`. */
  async inviteOwner(tenantId: number, inviter: ActiveSession["user"], email: string) {
    const { team } = this.deps.stores(this.deps.database.read);
    if ((await team.owners(tenantId)) > 0) throw haveOwner();
    return this.invite(tenantId, inviter, email, "owner");
  }

  /** Returns the invited address. Throws not_found. */
  async revokeInvitation(tenantId: number, invitationId: number): Promise<string> {
    const email = await transaction(this.deps, (store) =>
      store.links.removeInvitation(tenantId, invitationId),
    );
    if (email === null) throw notFound("invitation");
    return email;
  }

  /** The offer of an invitation; null if it cannot be accepted (any more). */
  async peek(token: string) {
    const link = await this.parts.links.peek("invitation", token);
    if (!link || link.tenantId === null) return null;
    const { users, team } = this.deps.stores(this.deps.database.read);
    const tenant = await team.tenant(link.tenantId);
    const account = await users.byEmail(link.email ?? "");
    return (
      tenant && { ...invitationOf(link), tenantName: tenant.name, hasAccount: account !== null }
    );
  }

  /**
   * Null: already signed in as that user, and stays signed in. `totp`: accept again after the second factor.
   * Throws not_found, unauthorized, rate_limited, and `valid_…_required` for missing fields. Throws
   * plan_limit_reached in a full company; the invitation then stays open.
   */
  async accept(
    accepted: Acceptance,
    visitor: Visitor,
    session: ActiveSession | null,
  ): Promise<SignedIn | null> {
    const link = await this.parts.links.peek("invitation", accepted.token);
    if (!link?.email) throw noSuchLink();
    const known = await this.deps.stores(this.deps.database.read).users.byEmail(link.email);
    if (!known) return this.#acceptAsNew(link.email, accepted, visitor);
    return this.#acceptAsKnown(known.id, link.email, accepted, visitor, session);
  }

  /** Returns the member before the change. Throws not_found, conflict for the last owner. */
  changeRole(tenantId: number, userId: number, role: TenantRole): Promise<Member> {
    return transaction(this.deps, async (store) => {
      const member = await store.team.member(tenantId, userId);
      if (!member) throw notFound("member");
      if (role !== "owner") {
        await this.#keepAnOwner(store, tenantId, member);
        await store.links.removeInvitationsBy(tenantId, userId);
      }
      await store.team.put(tenantId, userId, role, this.deps.clock.now());
      if (role !== member.role) await store.sessions.markForRotation(tenantId, userId);
      await this.#noteRole(store, tenantId, member, role);
      return member;
    });
  }

  /** Returns the removed member. Throws not_found, conflict for the last owner. */
  remove(tenantId: number, userId: number): Promise<Member> {
    return transaction(this.deps, async (store) => {
      const member = await store.team.member(tenantId, userId);
      if (!member) throw notFound("member");
      await this.#keepAnOwner(store, tenantId, member);
      await store.links.removeInvitationsBy(tenantId, userId);
      await store.team.remove(tenantId, userId);
      await store.sessions.markForRotation(tenantId, userId);
      await this.#noteRole(store, tenantId, member, null);
      return member;
    });
  }

  /** The user's companies, for the company switcher. */
  membershipsOf(userId: number) {
    return this.deps.stores(this.deps.database.read).team.membershipsOf(userId);
  }
}

const conflict = (reason: MessageReason, publicMessage: string) =>
  new AppError({ code: "conflict", reason, publicMessage });

const lastOwner = () =>
  conflict(
    "last_owner",
    "This is the last owner of the company. Make another person an owner first.",
  );

const alreadyMember = () =>
  conflict("already_member", "This person is already a member of the company.");

const haveOwner = () =>
  conflict("have_owner", "This company already has an owner, who can invite other people.");

const haveAccount = () =>
  conflict("account_exists", "An account with this address already exists. Sign in with it.");

const isFull = () =>
  new AppError({
    code: "plan_limit_reached",
    reason: "company_full",
    publicMessage: `The company already has ${MEMBERS_MAX} members. Ask the person who invited you to remove one, then open the link again.`,
  });

const tooMany = () =>
  new AppError({
    code: "plan_limit_reached",
    publicMessage: `A company can have at most ${MEMBERS_MAX} members and ${INVITATIONS_MAX} open invitations.`,
  });
