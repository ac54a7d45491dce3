/**
 * Sessions: a cookie's token, its user, and its end.
 *
 * Only the token's SHA-256 is stored. A session ends 12 hours after its last use, 14 days after its start,
 * and at once when it is revoked: nothing is cached outside the store. Each sign-in starts a new session. A
 * change of rights rotates the token. The former token stays valid for half a minute, for requests in
 * progress.
 *
 *   (none) ──password right, second factor on──► totp (no access, 10 min)
 *      └──password, passkey or link──► full ◄──code right──┘
 *
 * An operator who is not a member enters a company by impersonating it, for an hour and after a recent
 * sign-in. Then the session has no company.
 */
import { AppError, notFound } from "../../core/errors.ts";
import type { IdentityDependencies, Source } from "./dependencies.ts";
import { transaction } from "./dependencies.ts";
import { hashOf, isSecret, newSecret } from "./secrets.ts";
import type {
  IdentityStore,
  KnownSession,
  Locale,
  SessionStore,
  SignInMethod,
  TenantName,
  TenantRole,
} from "./stores.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
export const SESSION_IDLE_MS = 12 * HOUR;
export const SESSION_ABSOLUTE_MS = 14 * 24 * HOUR;
const SECOND_FACTOR_MS = 10 * MINUTE;
export const FORMER_TOKEN_MS = 30_000;
/**
 * Maximum age of a sign-in for changes to sign-in methods, the trunk, dialling rules and exports.
 */
export const RECENT_SIGN_IN_MS = 15 * MINUTE;
/** Maximum time that an operator may impersonate a company without another sign-in. */
const ACTING_MS = HOUR;
const TOUCH_EVERY_MS = MINUTE;
const SESSIONS_PER_USER_MAX = 20;
const USER_AGENT_LENGTH_MAX = 300;

/** A valid session at the time of this request. */
export interface ActiveSession {
  readonly id: number;
  readonly stage: "totp" | "full";
  readonly method: SignInMethod;
  readonly user: KnownSession["user"];
  readonly tenant: TenantName | null;
  /**
   * Role in the active tenant; an operator is an owner everywhere. Null: no tenant, or not a
   * member.
   */
  readonly role: TenantRole | null;
  /** End of an operator's impersonation of the active tenant; null if the user is a member. */
  readonly actingUntil: number | null;
  /** True if the impersonation has expired, and `endOverdueActing` has not logged it yet. */
  readonly isActingOver: boolean;
  /** True if the request used the token before the last rotation. */
  readonly former: boolean;
  readonly rotate: boolean;
  readonly lastSeenAt: number;
  /** Time of the sign-in or of the last confirmation. Token rotation does not change it. */
  readonly signedInAt: number;
  readonly locale: Locale;
}

interface SessionStart {
  readonly userId: number;
  readonly stage: "totp" | "full";
  readonly method: SignInMethod;
  readonly tenantId: number | null;
}

export class Sessions {
  constructor(private readonly deps: IdentityDependencies) {}

  #counts({ session }: KnownSession, hash: string, nowMs: number): boolean {
    if (session.expiresAt <= nowMs || session.lastSeenAt + SESSION_IDLE_MS <= nowMs) return false;
    if (session.tokenHash === hash) return true;
    return session.formerUntil !== null && session.formerUntil > nowMs;
  }

  async #rotateTo(store: SessionStore, sessionId: number, from: string, graceMs: number) {
    const token = newSecret(this.deps.random);
    const to = { tokenHash: hashOf(token), formerUntil: this.deps.clock.now() + graceMs };
    return (await store.rotate(sessionId, from, to)) ? token : null;
  }

  /** Null for an invalid or expired token. */
  async find(token: string): Promise<ActiveSession | null> {
    if (!isSecret(token)) return null;
    const hash = hashOf(token);
    const known = await this.deps.stores(this.deps.database.read).sessions.byToken(hash);
    if (!known || !this.#counts(known, hash, this.deps.clock.now())) return null;
    return activeOf(known, hash, this.deps.clock.now());
  }

  /** Current state of the same session, after any rotation; null if it has ended. For long connections. */
  async again({ id, user }: ActiveSession): Promise<ActiveSession | null> {
    const store = this.deps.stores(this.deps.database.read).sessions;
    const row = (await store.list(user.id)).find((session) => session.id === id);
    const known = row ? await store.byToken(row.tokenHash) : null;
    if (!row || !known || !this.#counts(known, row.tokenHash, this.deps.clock.now())) return null;
    return activeOf(known, row.tokenHash, this.deps.clock.now());
  }

  /** Throws forbidden, field `sign_in`, if the sign-in is too old. */
  requireRecent({ signedInAt }: ActiveSession): void {
    const age = this.deps.clock.now() - signedInAt;
    // A negative age (the clock was set back) does not count as recent.
    if (age >= 0 && age <= RECENT_SIGN_IN_MS) return;
    throw new AppError({
      code: "forbidden",
      field: "sign_in",
      publicMessage:
        "This requires a sign-in within the last 15 minutes. Sign in again, or confirm your identity (POST /session/confirm), then try again.",
    });
  }

  /** Records that the user has just confirmed their identity. */
  confirmed(session: ActiveSession): Promise<void> {
    return transaction(this.deps, ({ sessions }) =>
      sessions.confirm(session.id, this.deps.clock.now()),
    );
  }

  /** Records the use, at most once a minute. */
  async seen(session: ActiveSession, source: Source): Promise<void> {
    const nowMs = this.deps.clock.now();
    if (Math.abs(nowMs - session.lastSeenAt) < TOUCH_EVERY_MS) return;
    const userAgent = source.userAgent.slice(0, USER_AGENT_LENGTH_MAX);
    await transaction(this.deps, ({ sessions }) =>
      sessions.touch(session.id, { atMs: nowMs, ip: source.ip, userAgent }),
    );
  }

  /** In the caller's transaction. Returns the token; only its hash is stored. */
  async start(store: IdentityStore, start: SessionStart, source: Source): Promise<string> {
    const token = newSecret(this.deps.random);
    const nowMs = this.deps.clock.now();
    const lifeMs = start.stage === "full" ? SESSION_ABSOLUTE_MS : SECOND_FACTOR_MS;
    const userAgent = source.userAgent.slice(0, USER_AGENT_LENGTH_MAX);
    const id = await store.sessions.insert({
      ...start,
      tokenHash: hashOf(token),
      ip: source.ip,
      userAgent,
      createdAt: nowMs,
      lastSeenAt: nowMs,
      expiresAt: nowMs + lifeMs,
    });
    if (start.stage === "full")
      await store.sessions.touch(id, { atMs: nowMs, ip: source.ip, userAgent });
    await store.sessions.removeOldest(start.userId, SESSIONS_PER_USER_MAX);
    return token;
  }

  /**
   * Rotates the session's token. Null if another request was faster, or if the token is the former one.
   * `graceMs` 0: the former token becomes invalid at once.
   */
  rotate(
    session: ActiveSession,
    token: string,
    graceMs: number = FORMER_TOKEN_MS,
  ): Promise<string | null> {
    const from = hashOf(token);
    return transaction(this.deps, ({ sessions }) =>
      this.#rotateTo(sessions, session.id, from, graceMs),
    );
  }

  /** Signs out. Ignores a token without a session. */
  async end(token: string): Promise<void> {
    if (!isSecret(token)) return;
    await transaction(this.deps, async ({ sessions }) => {
      const known = await sessions.byToken(hashOf(token));
      if (known) await sessions.remove(known.session.userId, known.session.id);
    });
  }

  /** Signed-in sessions, most recently used first. */
  async list(userId: number) {
    const nowMs = this.deps.clock.now();
    const all = await this.deps.stores(this.deps.database.read).sessions.list(userId);
    return all.filter(
      ({ stage, expiresAt, lastSeenAt }) =>
        stage === "full" && expiresAt > nowMs && lastSeenAt + SESSION_IDLE_MS > nowMs,
    );
  }

  /** Throws not_found. */
  async revoke(userId: number, sessionId: number): Promise<void> {
    const gone = await transaction(this.deps, ({ sessions }) => sessions.remove(userId, sessionId));
    if (!gone) throw notFound("session");
  }

  /**
   * Throws not_found if this user may not enter the tenant.
   * An operator who is not a member impersonates it from now on. This throws forbidden if the sign-in is too
   * old.
   */
  async enter(
    session: ActiveSession,
    tenantId: number,
  ): Promise<TenantName & { readonly actingUntil: number | null }> {
    return transaction(this.deps, async ({ sessions, team }) => {
      const tenant = await team.tenant(tenantId);
      const member = await team.member(tenantId, session.user.id);
      if (!tenant || !(member || session.user.operator)) throw notFound("tenant");
      if (!member) this.requireRecent(session);
      const actingUntil = member ? null : this.deps.clock.now() + ACTING_MS;
      await sessions.setTenant(session.id, tenantId, actingUntil);
      return { ...tenant, actingUntil };
    });
  }

  /** Ends expired impersonations, with an entry in the tenant's audit log. */
  async endOverdueActing(): Promise<void> {
    const nowMs = this.deps.clock.now();
    await transaction(this.deps, async ({ sessions, audit }) => {
      for (const { userId, userEmail, tenantId, ip } of await sessions.endActing(nowMs))
        await audit.insert({
          tenantId,
          userId,
          userEmail,
          ip,
          action: "stopActing",
          target: "/active-tenant",
          outcome: "done",
          details: null,
          at: nowMs,
        });
    });
  }

  /** Ends an impersonation: returns to the person's first company, if there is one. */
  async stopActing({ id, user }: ActiveSession): Promise<void> {
    await transaction(this.deps, async ({ sessions, team }) => {
      const [own] = await team.membershipsOf(user.id);
      await sessions.setTenant(id, own?.tenantId ?? null, null);
    });
  }
}

function activeOf(
  { session, user, membership, tenant }: KnownSession,
  hash: string,
  nowMs: number,
): ActiveSession {
  const acting = user.operator && membership === null ? session.actingUntil : null;
  const isActing = acting !== null && acting > nowMs;
  const isWithin = membership !== null || isActing;
  return {
    id: session.id,
    stage: session.stage,
    method: session.method,
    user,
    tenant: isWithin ? tenant : null,
    role: isWithin && tenant !== null ? (user.operator ? "owner" : membership) : null,
    actingUntil: isActing ? acting : null,
    isActingOver: acting !== null && !isActing,
    former: session.tokenHash !== hash,
    rotate: session.rotate,
    lastSeenAt: session.lastSeenAt,
    signedInAt: session.confirmedAt ?? session.createdAt,
    locale: user.locale,
  };
}
