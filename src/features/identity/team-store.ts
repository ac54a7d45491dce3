/** Memberships: users of a tenant with their roles. */
import { and, asc, count, eq } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import { memberships, users } from "../../store/schema/identity.ts";
import { tenants } from "../../store/schema/tenants.ts";
import type { TeamStore } from "./stores.ts";

const name = {
  id: tenants.id,
  name: tenants.name,
  suspended: tenants.suspended,
  requiresSecondFactor: tenants.requiresSecondFactor,
  timeZone: tenants.timeZone,
};

export function teamStore(queries: Queries): TeamStore {
  const membersWhere = (tenantId: number, userId?: number) =>
    queries
      .select({
        userId: users.id,
        name: users.name,
        email: users.email,
        role: memberships.role,
        lastSeenAt: users.lastSeenAt,
      })
      .from(memberships)
      .innerJoin(users, eq(users.id, memberships.userId))
      .where(
        and(
          eq(memberships.tenantId, tenantId),
          userId === undefined ? undefined : eq(memberships.userId, userId),
        ),
      )
      .orderBy(asc(users.id));

  return {
    ...tenantReads(queries),
    ...memberChanges(queries),

    async membershipsOf(userId) {
      return await queries
        .select({
          tenantId: tenants.id,
          tenantName: tenants.name,
          suspended: tenants.suspended,
          role: memberships.role,
        })
        .from(memberships)
        .innerJoin(tenants, eq(tenants.id, memberships.tenantId))
        .where(eq(memberships.userId, userId))
        .orderBy(asc(tenants.id));
    },

    members: async (tenantId) => await membersWhere(tenantId),

    member: async (tenantId, userId) => (await membersWhere(tenantId, userId))[0] ?? null,
  };
}

function tenantReads(queries: Queries): Pick<TeamStore, "tenant" | "timeZone" | "firstTenant"> {
  return {
    async tenant(tenantId) {
      return (
        (await queries.select(name).from(tenants).where(eq(tenants.id, tenantId)).get()) ?? null
      );
    },

    async timeZone(tenantId) {
      const { timeZone } = tenants;
      const row = await queries
        .select({ timeZone })
        .from(tenants)
        .where(eq(tenants.id, tenantId))
        .get();
      return row?.timeZone ?? "UTC";
    },

    async firstTenant() {
      return (
        (await queries.select(name).from(tenants).orderBy(asc(tenants.id)).limit(1).get()) ?? null
      );
    },
  };
}

/** Adding, changing and removing members. */
function memberChanges(queries: Queries): Pick<TeamStore, "put" | "remove" | "owners"> {
  return {
    async put(tenantId, userId, role, nowMs) {
      await queries
        .insert(memberships)
        .values({ tenantId, userId, role, createdAt: nowMs })
        .onConflictDoUpdate({
          target: [memberships.userId, memberships.tenantId],
          set: { role },
        });
    },

    async remove(tenantId, userId) {
      const gone = await queries
        .delete(memberships)
        .where(and(eq(memberships.tenantId, tenantId), eq(memberships.userId, userId)))
        .returning({ userId: memberships.userId });
      return gone.length > 0;
    },

    async owners(tenantId) {
      const row = await queries
        .select({ n: count() })
        .from(memberships)
        .where(and(eq(memberships.tenantId, tenantId), eq(memberships.role, "owner")))
        .get();
      return row?.n ?? 0;
    },
  };
}
