/** Ports for user rows; `store/identity-*.ts` implement them. */
import type { Queries } from "../../core/database.ts";

export type TenantRole = "owner" | "member" | "viewer";
export type Locale = "en" | "lt" | "lv" | "ru";
export type SignInMethod = "password" | "passkey" | "link";

export interface User {
  readonly id: number;
  /** Lower case. */
  readonly email: string;
  readonly name: string;
  readonly locale: Locale;
  readonly passwordHash: string | null;
  readonly operator: boolean;
  readonly totpSealed: string | null;
  readonly totpPendingSealed: string | null;
  readonly totpLastStep: number;
  readonly createdAt: number;
  readonly lastSeenAt: number | null;
}

type UserDraft = Pick<
  User,
  "email" | "name" | "locale" | "passwordHash" | "operator" | "createdAt"
>;

type UserChanges = Partial<
  Pick<
    User,
    | "name"
    | "locale"
    | "passwordHash"
    | "operator"
    | "totpSealed"
    | "totpPendingSealed"
    | "totpLastStep"
  >
>;

export interface UserStore {
  /** Returns the id. Throws if the address is in use: check first, in the same transaction. */
  insert(user: UserDraft): Promise<number>;
  byId(userId: number): Promise<User | null>;
  byEmail(email: string): Promise<User | null>;
  update(userId: number, changes: UserChanges): Promise<void>;
  hasOperator(): Promise<boolean>;
  /** All users, by id. */
  all(): Promise<readonly User[]>;
  /** Returns false if a code of this or a later time step was already used. */
  spendTotpStep(userId: number, step: number): Promise<boolean>;
  replaceRecoveryCodes(userId: number, hashes: readonly string[]): Promise<void>;
  /** Removes all users' codes. Returns how many users had unused ones. */
  removeRecoveryCodes(): Promise<number>;
  /** Returns false if no such unused code exists. */
  spendRecoveryCode(userId: number, hash: string, nowMs: number): Promise<boolean>;
}

export interface Membership {
  readonly tenantId: number;
  readonly tenantName: string;
  readonly suspended: boolean;
  readonly role: TenantRole;
}

export interface Member {
  readonly userId: number;
  readonly name: string;
  readonly email: string;
  readonly role: TenantRole;
  readonly lastSeenAt: number | null;
}

export interface TenantName {
  readonly id: number;
  readonly name: string;
  readonly suspended: boolean;
  readonly requiresSecondFactor: boolean;
  readonly timeZone: string;
}

export interface TeamStore {
  /** Memberships of one user, by tenant id. */
  membershipsOf(userId: number): Promise<readonly Membership[]>;
  /** By user id. */
  members(tenantId: number): Promise<readonly Member[]>;
  member(tenantId: number, userId: number): Promise<Member | null>;
  /** Adds the member, or changes the role. */
  put(tenantId: number, userId: number, role: TenantRole, nowMs: number): Promise<void>;
  remove(tenantId: number, userId: number): Promise<boolean>;
  owners(tenantId: number): Promise<number>;
  tenant(tenantId: number): Promise<TenantName | null>;
  /** UTC if the tenant does not exist. */
  timeZone(tenantId: number): Promise<string>;
  /** The oldest tenant; null: none. */
  firstTenant(): Promise<TenantName | null>;
}

interface Session {
  readonly id: number;
  readonly userId: number;
  readonly tokenHash: string;
  readonly formerHash: string | null;
  readonly formerUntil: number | null;
  readonly stage: "totp" | "full";
  readonly method: SignInMethod;
  readonly tenantId: number | null;
  /** End of an operator's impersonation of the tenant; null if the user is a member. */
  readonly actingUntil: number | null;
  readonly rotate: boolean;
  readonly ip: string;
  readonly userAgent: string;
  readonly createdAt: number;
  /** Time of the user's last confirmation; null: none since sign-in. */
  readonly confirmedAt: number | null;
  readonly lastSeenAt: number;
  readonly expiresAt: number;
}

/** A session with the data that every request needs. */
export interface KnownSession {
  readonly session: Session;
  readonly user: Pick<User, "id" | "email" | "name" | "locale" | "operator" | "totpSealed">;
  /** The active tenant. */
  readonly tenant: TenantName | null;
  /** The role in the active tenant; null: not a member. */
  readonly membership: TenantRole | null;
}

interface ActingOver {
  readonly userId: number;
  readonly userEmail: string;
  readonly tenantId: number;
  /** Address of the session's last request. */
  readonly ip: string;
}

export interface SessionStore {
  insert(
    session: Omit<
      Session,
      "id" | "formerHash" | "formerUntil" | "rotate" | "confirmedAt" | "actingUntil"
    >,
  ): Promise<number>;
  /** By its current or previous token. The domain decides whether it is valid. */
  byToken(tokenHash: string): Promise<KnownSession | null>;
  touch(sessionId: number, seen: { atMs: number; ip: string; userAgent: string }): Promise<void>;
  /** Returns false if the token has changed in the meantime. */
  rotate(
    sessionId: number,
    from: string,
    to: { tokenHash: string; formerUntil: number },
  ): Promise<boolean>;
  confirm(sessionId: number, atMs: number): Promise<void>;
  setTenant(sessionId: number, tenantId: number | null, actingUntil: number | null): Promise<void>;
  /** Ends expired impersonations. Returns their operators and tenants. */
  endActing(nowMs: number): Promise<readonly ActingOver[]>;
  /** Marks the user's sessions in this tenant: their next request gets a new token. */
  markForRotation(tenantId: number, userId: number): Promise<void>;
  remove(userId: number, sessionId: number): Promise<boolean>;
  removeAll(userId: number, exceptId: number | null): Promise<void>;
  /** Removes all except the newest `keep`. */
  removeOldest(userId: number, keep: number): Promise<void>;
  list(userId: number): Promise<readonly Session[]>;
  removeStale(nowMs: number, idleSinceMs: number): Promise<number>;
}

export type LinkKind = "owner" | "sign_in" | "reset" | "invitation";

export interface OneTimeLink {
  readonly id: number;
  readonly kind: LinkKind;
  readonly tokenHash: string;
  readonly userId: number | null;
  readonly tenantId: number | null;
  readonly email: string | null;
  readonly role: TenantRole | null;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly usedAt: number | null;
}

export interface LinkStore {
  insert(link: Omit<OneTimeLink, "id" | "usedAt">): Promise<number>;
  byToken(tokenHash: string): Promise<OneTimeLink | null>;
  /** Returns false if the link was already used. */
  use(linkId: number, nowMs: number): Promise<boolean>;
  /** Invalidates this user's unused links of this kind. */
  removeOpen(kind: LinkKind, userId: number | null): Promise<void>;
  /** Open invitations of the tenant, by id. */
  invitations(tenantId: number, nowMs: number): Promise<readonly OneTimeLink[]>;
  /** Returns the invited address; null if the invitation does not exist. */
  removeInvitation(tenantId: number, linkId: number): Promise<string | null>;
  removeInvitationsTo(tenantId: number, email: string): Promise<void>;
  removeInvitationsBy(tenantId: number, inviterId: number): Promise<void>;
  removeExpired(beforeMs: number): Promise<number>;
}

export interface Passkey {
  readonly id: number;
  readonly userId: number;
  readonly credentialId: string;
  readonly publicKey: string;
  readonly counter: number;
  readonly transports: readonly string[];
  readonly name: string;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
}

export interface PasskeyStore {
  insert(passkey: Omit<Passkey, "id" | "lastUsedAt">): Promise<number>;
  list(userId: number): Promise<readonly Passkey[]>;
  byCredential(credentialId: string): Promise<Passkey | null>;
  used(passkeyId: number, counter: number, nowMs: number): Promise<void>;
  remove(userId: number, passkeyId: number): Promise<boolean>;
  /** Returns false if it was already used. */
  spendChallenge(challenge: string, expiresAt: number): Promise<boolean>;
  removeExpiredChallenges(nowMs: number): Promise<number>;
}

export interface Attempts {
  readonly failures: number;
  readonly lastAt: number;
  readonly lockedUntil: number;
}

export interface AttemptStore {
  get(key: string): Promise<Attempts | null>;
  put(key: string, attempts: Attempts): Promise<void>;
  remove(key: string): Promise<void>;
  /** Number of rows of one rule (its keys start with it), or of all rules. */
  count(rule?: string): Promise<number>;
  /**
   * Removes the `count` least important rows of a rule: not locked at `nowMs`, few failures,
   * oldest.
   */
  removeLeast(rule: string, count: number, nowMs: number): Promise<void>;
  removeBefore(atMs: number): Promise<number>;
}

/** One changed field: displayed values, shortened; null if empty. */
export interface AuditChange {
  readonly field: string;
  readonly from: string | null;
  readonly to: string | null;
}

export interface AuditDetails {
  /** Name of the changed object. */
  readonly subject?: string;
  readonly changes?: readonly AuditChange[];
  /** End of the impersonation that an operator began. */
  readonly actingUntil?: number;
  /** Label of the API key that made the change. */
  readonly key?: string;
  /** True if the operator made the change on the command line. */
  readonly commandLine?: true;
  /** The operating system's user on the command line. */
  readonly user?: string;
}

export interface AuditEntry {
  readonly tenantId: number | null;
  readonly userId: number | null;
  readonly userEmail: string | null;
  readonly action: string;
  readonly target: string;
  readonly ip: string;
  readonly outcome: "done" | "refused" | "failed";
  readonly details: AuditDetails | null;
  readonly at: number;
}

export interface AuditStore {
  insert(entry: AuditEntry): Promise<void>;
  /** Newest first. `operator`: includes entries without a tenant. */
  list(
    tenantId: number,
    page: { limit: number; offset: number; operator: boolean },
  ): Promise<readonly (AuditEntry & { readonly id: number })[]>;
  count(tenantId: number, operator: boolean): Promise<number>;
  /** At most `limit` rows at a time. */
  removeBefore(atMs: number, limit: number): Promise<number>;
  /** Removes the oldest rows of tenants with more than `rowsMax`; at most `limit` rows at a time. */
  removeBeyond(rowsMax: number, limit: number): Promise<number>;
}

export interface IdentityStore {
  readonly users: UserStore;
  readonly team: TeamStore;
  readonly sessions: SessionStore;
  readonly links: LinkStore;
  readonly passkeys: PasskeyStore;
  readonly attempts: AttemptStore;
  readonly audit: AuditStore;
}

export type IdentityStores = (queries: Queries) => IdentityStore;
