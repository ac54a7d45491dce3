/** Sessions: found by the hash of their token, with user, tenant and role. */
import { and, desc, eq, lt, lte, ne, notInArray, or } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import { arg, statement } from "../../store/query/prepared.ts";
import { memberships, sessions, users } from "../../store/schema/identity.ts";
import { tenants } from "../../store/schema/tenants.ts";
import type { SessionStore } from "./stores.ts";

/** Runs with every request, so it is prepared. */
const findSession = statement((queries) =>
  queries
    .select({
      session: sessions,
      user: {
        id: users.id,
        email: users.email,
        name: users.name,
        locale: users.locale,
        operator: users.operator,
        totpSealed: users.totpSealed,
      },
      tenant: {
        id: tenants.id,
        name: tenants.name,
        suspended: tenants.suspended,
        requiresSecondFactor: tenants.requiresSecondFactor,
        timeZone: tenants.timeZone,
      },
      membership: memberships.role,
    })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .leftJoin(tenants, eq(tenants.id, sessions.tenantId))
    .leftJoin(
      memberships,
      and(eq(memberships.userId, sessions.userId), eq(memberships.tenantId, sessions.tenantId)),
    )
    .where(or(eq(sessions.tokenHash, arg("tokenHash")), eq(sessions.formerHash, arg("tokenHash"))))
    .limit(1)
    .prepare(),
);

export function sessionStore(queries: Queries): SessionStore {
  return {
    ...sessionEnds(queries),
    ...activeTenants(queries),

    async insert(session) {
      const [row] = await queries.insert(sessions).values(session).returning({ id: sessions.id });
      if (!row) throw new Error("insert answered no row");
      return row.id;
    },

    async byToken(tokenHash) {
      const row = await findSession(queries).get({ tokenHash });
      return row ?? null;
    },

    async touch(sessionId, { atMs, ip, userAgent }) {
      const [row] = await queries
        .update(sessions)
        .set({ lastSeenAt: atMs, ip, userAgent })
        .where(eq(sessions.id, sessionId))
        .returning({ userId: sessions.userId });
      if (row)
        await queries.update(users).set({ lastSeenAt: atMs }).where(eq(users.id, row.userId));
    },

    async rotate(sessionId, from, { tokenHash, formerUntil }) {
      const changed = await queries
        .update(sessions)
        .set({ tokenHash, formerHash: from, formerUntil, rotate: false })
        .where(and(eq(sessions.id, sessionId), eq(sessions.tokenHash, from)))
        .returning({ id: sessions.id });
      return changed.length > 0;
    },

    async confirm(sessionId, atMs) {
      await queries.update(sessions).set({ confirmedAt: atMs }).where(eq(sessions.id, sessionId));
    },

    async markForRotation(tenantId, userId) {
      await queries
        .update(sessions)
        .set({ rotate: true })
        .where(and(eq(sessions.tenantId, tenantId), eq(sessions.userId, userId)));
    },

    async list(userId) {
      return await queries
        .select()
        .from(sessions)
        .where(eq(sessions.userId, userId))
        .orderBy(desc(sessions.lastSeenAt), desc(sessions.id));
    },
  };
}

/** The active tenant of a session. */
function activeTenants(queries: Queries): Pick<SessionStore, "setTenant" | "endActing"> {
  return {
    async setTenant(sessionId, tenantId, actingUntil) {
      await queries
        .update(sessions)
        .set({ tenantId, actingUntil })
        .where(eq(sessions.id, sessionId));
    },

    async endActing(nowMs) {
      const isOver = lte(sessions.actingUntil, nowMs);
      const over = await queries
        .select({
          id: sessions.id,
          userId: sessions.userId,
          userEmail: users.email,
          tenantId: sessions.tenantId,
          ip: sessions.ip,
        })
        .from(sessions)
        .innerJoin(users, eq(users.id, sessions.userId))
        .where(isOver);
      if (over.length === 0) return [];
      await queries.update(sessions).set({ tenantId: null, actingUntil: null }).where(isOver);
      return over.flatMap(({ tenantId, ...one }) =>
        tenantId === null ? [] : [{ ...one, tenantId }],
      );
    },
  };
}

/** Ending sessions. */
function sessionEnds(
  queries: Queries,
): Pick<SessionStore, "remove" | "removeAll" | "removeOldest" | "removeStale"> {
  return {
    async remove(userId, sessionId) {
      const gone = await queries
        .delete(sessions)
        .where(and(eq(sessions.id, sessionId), eq(sessions.userId, userId)))
        .returning({ id: sessions.id });
      return gone.length > 0;
    },

    async removeAll(userId, exceptId) {
      await queries
        .delete(sessions)
        .where(
          and(
            eq(sessions.userId, userId),
            exceptId === null ? undefined : ne(sessions.id, exceptId),
          ),
        );
    },

    async removeOldest(userId, keep) {
      const newest = queries
        .select({ id: sessions.id })
        .from(sessions)
        .where(eq(sessions.userId, userId))
        .orderBy(desc(sessions.id))
        .limit(keep);
      await queries
        .delete(sessions)
        .where(and(eq(sessions.userId, userId), notInArray(sessions.id, newest)));
    },

    async removeStale(nowMs, idleSinceMs) {
      const gone = await queries
        .delete(sessions)
        .where(or(lt(sessions.expiresAt, nowMs), lt(sessions.lastSeenAt, idleSinceMs)))
        .returning({ id: sessions.id });
      return gone.length;
    },
  };
}
