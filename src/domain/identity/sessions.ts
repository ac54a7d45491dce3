/**
 * Sessions: a cookie's token, whom it stands for, and when it ends.
 *
 * Only the token's SHA-256 is stored. A session ends 12 hours after its last use, 14 days after it
 * began, and at once when it is revoked: nothing about it is remembered outside the store. Each
 * sign-in begins a new one; what raises or changes rights gives it another token, and the former one
 * stays good for half a minute, for requests that were under way.
 *
 *   (none) ──password right, second factor on──► totp (opens nothing, 10 min)
 *      └──password, passkey or link──► full ◄──code right──┘
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
/** So fresh must a sign-in be for what opens the account later, for the trunk, dialling rules and exports. */
export const RECENT_SIGN_IN_MS = 15 * MINUTE;
const TOUCH_EVERY_MS = MINUTE;
const SESSIONS_PER_USER_MAX = 20;
const USER_AGENT_LENGTH_MAX = 300;

/** A session that counts, as of this request. */
export interface ActiveSession {
  readonly id: number;
  readonly stage: "totp" | "full";
  readonly method: SignInMethod;
  readonly user: KnownSession["user"];
  readonly tenant: TenantName | null;
  /** In the active tenant; an operator is an owner everywhere. null: no tenant, or not of it. */
  readonly role: TenantRole | null;
  /** Asked for with the token before the last rotation. */
  readonly former: boolean;
  readonly rotate: boolean;
  readonly lastSeenAt: number;
  /** Or proved who they are once more. A new token does not change it. */
  readonly signedInAt: number;
  readonly locale: Locale;
}

interface SessionStart {
  readonly userId: number;
  readonly stage: "totp" | "full";
  readonly method: SignInMethod;
  readonly tenantId: number | null;
}

export type Sessions = ReturnType<typeof createSessions>;

export function createSessions(deps: IdentityDependencies) {
  const { database, stores, clock, random } = deps;

  const counts = ({ session }: KnownSession, hash: string, nowMs: number): boolean => {
    if (session.expiresAt <= nowMs || session.lastSeenAt + SESSION_IDLE_MS <= nowMs) return false;
    return session.tokenHash === hash || (session.formerUntil ?? 0) > nowMs;
  };

  async function rotateTo(store: SessionStore, sessionId: number, from: string, graceMs: number) {
    const token = newSecret(random);
    const to = { tokenHash: hashOf(token), formerUntil: clock.now() + graceMs };
    return (await store.rotate(sessionId, from, to)) ? token : null;
  }

  return {
    /** null for whatever opens nothing (any more). */
    async find(token: string): Promise<ActiveSession | null> {
      if (!isSecret(token)) return null;
      const hash = hashOf(token);
      const known = await stores(database.read).sessions.byToken(hash);
      if (!known || !counts(known, hash, clock.now())) return null;
      return activeOf(known, hash);
    },

    /** The same session as it is now, whatever its token; null: it has ended. For long connections. */
    async again({ id, user }: ActiveSession): Promise<ActiveSession | null> {
      const store = stores(database.read).sessions;
      const row = (await store.list(user.id)).find((session) => session.id === id);
      const known = row ? await store.byToken(row.tokenHash) : null;
      if (!row || !known || !counts(known, row.tokenHash, clock.now())) return null;
      return activeOf(known, row.tokenHash);
    },

    /** Throws forbidden, field `sign_in`, where the person signed in longer ago. */
    requireRecent({ signedInAt }: ActiveSession): void {
      const age = clock.now() - signedInAt;
      // A clock that was set back makes nothing recent.
      if (age >= 0 && age <= RECENT_SIGN_IN_MS) return;
      throw new AppError({
        code: "forbidden",
        field: "sign_in",
        publicMessage:
          "This needs a sign-in of the last 15 minutes. Sign in again, or confirm who you are (POST /session/confirm), then do it.",
      });
    },

    /** The person has just proved who they are. */
    confirmed: (session: ActiveSession): Promise<void> =>
      transaction(deps, ({ sessions }) => sessions.confirm(session.id, clock.now())),

    /** Notes that it is in use, at most once a minute. */
    async seen(session: ActiveSession, source: Source): Promise<void> {
      const nowMs = clock.now();
      if (Math.abs(nowMs - session.lastSeenAt) < TOUCH_EVERY_MS) return;
      const userAgent = source.userAgent.slice(0, USER_AGENT_LENGTH_MAX);
      await transaction(deps, ({ sessions }) =>
        sessions.touch(session.id, { atMs: nowMs, ip: source.ip, userAgent }),
      );
    },

    /** In a transaction of the caller's. Answers the token; it is nowhere else. */
    async start(store: IdentityStore, start: SessionStart, source: Source): Promise<string> {
      const token = newSecret(random);
      const nowMs = clock.now();
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
    },

    /**
     * Another token for the same session; null when somebody was faster, or the token is old.
     * `graceMs` 0: the former one ends at once.
     */
    rotate(
      session: ActiveSession,
      token: string,
      graceMs: number = FORMER_TOKEN_MS,
    ): Promise<string | null> {
      const from = hashOf(token);
      return transaction(deps, ({ sessions }) => rotateTo(sessions, session.id, from, graceMs));
    },

    /** Signing out. Whatever is not a session is out already. */
    async end(token: string): Promise<void> {
      if (!isSecret(token)) return;
      await transaction(deps, async ({ sessions }) => {
        const known = await sessions.byToken(hashOf(token));
        if (known) await sessions.remove(known.session.userId, known.session.id);
      });
    },

    /** Signed in ones, the last used first. */
    async list(userId: number) {
      const nowMs = clock.now();
      const all = await stores(database.read).sessions.list(userId);
      return all.filter(
        ({ stage, expiresAt, lastSeenAt }) =>
          stage === "full" && expiresAt > nowMs && lastSeenAt + SESSION_IDLE_MS > nowMs,
      );
    },

    /** Throws not_found. */
    async revoke(userId: number, sessionId: number): Promise<void> {
      const gone = await transaction(deps, ({ sessions }) => sessions.remove(userId, sessionId));
      if (!gone) throw notFound("session");
    },

    /** Throws not_found for a tenant that is not this user's to enter. */
    async enter(session: ActiveSession, tenantId: number): Promise<TenantName> {
      return transaction(deps, async ({ sessions, team }) => {
        const tenant = await team.tenant(tenantId);
        const member = session.user.operator || (await team.member(tenantId, session.user.id));
        if (!tenant || !member) throw notFound("tenant");
        await sessions.setTenant(session.id, tenantId);
        return tenant;
      });
    },
  };
}

function activeOf(
  { session, user, membership, tenant }: KnownSession,
  hash: string,
): ActiveSession {
  const role = user.operator ? "owner" : membership;
  return {
    id: session.id,
    stage: session.stage,
    method: session.method,
    user,
    tenant: role === null ? null : tenant,
    role: tenant === null ? null : role,
    former: session.tokenHash !== hash,
    rotate: session.rotate,
    lastSeenAt: session.lastSeenAt,
    signedInAt: session.confirmedAt ?? session.createdAt,
    locale: user.locale,
  };
}
