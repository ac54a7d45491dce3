/** Queries for the journal of revocations, and the changes that it makes in a restored database. */
import { and, eq, inArray, isNull, ne, sql } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import type { TenantRole } from "../../features/identity/stores.ts";
import {
  apiKeys,
  callMemories,
  calls,
  campaignTargets,
  contacts,
  crmCache,
  doNotCallEntries,
  memberships,
  passkeys,
  phoneNumbers,
  pinAttempts,
  recoveryCodes,
  revocationJournals,
  schedules,
  tenants,
  users,
  webhooks,
} from "../../store/schema/index.ts";

/** Each role includes the rights of the roles before it. */
const RANK: Readonly<Record<TenantRole, number>> = { viewer: 1, member: 2, owner: 3 };

export function revocationStore(queries: Queries) {
  return {
    ...revokedAccess(queries),
    ...revokedSignIn(queries),
    ...revokedConsent(queries),

    /** Null if this database was never used with that journal. */
    async position(journal: string): Promise<number | null> {
      const row = await queries
        .select({ position: revocationJournals.position })
        .from(revocationJournals)
        .where(eq(revocationJournals.journal, journal))
        .get();
      return row?.position ?? null;
    },

    async setPosition(journal: string, position: number): Promise<void> {
      await queries
        .insert(revocationJournals)
        .values({ journal, position })
        .onConflictDoUpdate({ target: revocationJournals.journal, set: { position } });
    },

    /** True if it has positions of another journal. */
    async hasOthers(journal: string): Promise<boolean> {
      const row = await queries
        .select({ journal: revocationJournals.journal })
        .from(revocationJournals)
        .where(ne(revocationJournals.journal, journal))
        .get();
      return row !== undefined;
    },
  };
}

/** Keys, secrets and tenants. */
function revokedAccess(queries: Queries) {
  return {
    async revokeKey(secretHash: string, nowMs: number): Promise<void> {
      await queries
        .update(apiKeys)
        .set({ revokedAt: nowMs })
        .where(and(eq(apiKeys.secretHash, secretHash), isNull(apiKeys.revokedAt)));
    },

    /** Returns false if the webhook does not exist. */
    async setWebhookSecret(tenantId: number, id: number, secretSealed: string): Promise<boolean> {
      const rows = await queries
        .update(webhooks)
        .set({ secretSealed })
        .where(and(eq(webhooks.tenantId, tenantId), eq(webhooks.id, id)))
        .returning({ id: webhooks.id });
      return rows.length > 0;
    },

    async switchWebhookOff(tenantId: number, id: number, disabledReason: string): Promise<void> {
      await queries
        .update(webhooks)
        .set({ enabled: false, disabledReason })
        .where(and(eq(webhooks.tenantId, tenantId), eq(webhooks.id, id)));
    },

    async setSuspended(tenantId: number, suspended: boolean): Promise<void> {
      await queries.update(tenants).set({ suspended }).where(eq(tenants.id, tenantId));
    },

    hasTenant: async (tenantId: number): Promise<boolean> =>
      (await queries
        .select({ id: tenants.id })
        .from(tenants)
        .where(eq(tenants.id, tenantId))
        .get()) !== undefined,
  };
}

/** Sign-in methods. */
function revokedSignIn(queries: Queries) {
  return {
    users: () => queries.select({ id: users.id, email: users.email }).from(users),

    async forgetPassword(userId: number): Promise<void> {
      await queries.update(users).set({ passwordHash: null }).where(eq(users.id, userId));
    },

    async forgetSecondFactor(userId: number): Promise<void> {
      const none = { totpSealed: null, totpPendingSealed: null };
      await queries.update(users).set(none).where(eq(users.id, userId));
      await queries.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId));
    },

    async spendRecoveryCode(codeHash: string, nowMs: number): Promise<void> {
      await queries
        .update(recoveryCodes)
        .set({ usedAt: nowMs })
        .where(and(eq(recoveryCodes.codeHash, codeHash), isNull(recoveryCodes.usedAt)));
    },

    passkeys: () =>
      queries.select({ id: passkeys.id, credentialId: passkeys.credentialId }).from(passkeys),

    async removePasskey(id: number): Promise<void> {
      await queries.delete(passkeys).where(eq(passkeys.id, id));
    },

    /** Reduces the role to `role` at most; null removes the member. */
    async limitMember(tenantId: number, userId: number, role: TenantRole | null): Promise<void> {
      const where = and(eq(memberships.tenantId, tenantId), eq(memberships.userId, userId));
      if (role === null) {
        await queries.delete(memberships).where(where);
        return;
      }
      const higher = (["member", "owner"] as const).filter((known) => RANK[known] > RANK[role]);
      await queries
        .update(memberships)
        .set({ role })
        .where(and(where, inArray(memberships.role, higher)));
    },
  };
}

/** Do-not-call requests. */
function revokedConsent(queries: Queries) {
  return {
    async addDoNotCall(tenantId: number, numberHash: string, nowMs: number): Promise<void> {
      await queries
        .insert(doNotCallEntries)
        .values({ tenantId, numberHash, createdAt: nowMs })
        .onConflictDoNothing();
    },

    async liftDoNotCall(tenantId: number, numberHash: string, numbers: readonly string[]) {
      await queries
        .delete(doNotCallEntries)
        .where(
          and(eq(doNotCallEntries.tenantId, tenantId), eq(doNotCallEntries.numberHash, numberHash)),
        );
      for (const number of numbers)
        await queries
          .update(contacts)
          .set({ doNotCall: false })
          .where(and(eq(contacts.tenantId, tenantId), eq(contacts.numberE164, number)));
    },

    /** All numbers of other people that a tenant has stored, without the tenant's numbers. */
    async numbersOf(tenantId: number): Promise<string[]> {
      const columns = [
        calls.fromNumber,
        calls.toNumber,
        contacts.numberE164,
        schedules.toNumber,
        campaignTargets.numberE164,
        callMemories.numberE164,
        pinAttempts.numberE164,
        crmCache.numberE164,
      ];
      const selects = columns.map(
        (column) =>
          sql`SELECT ${column} AS number FROM ${column.table} WHERE tenant_id = ${tenantId}`,
      );
      const rows = await queries.all<{ number: string | null }>(
        sql`${sql.join(selects, sql` UNION `)} EXCEPT SELECT ${phoneNumbers.numberE164} FROM ${phoneNumbers} WHERE tenant_id = ${tenantId}`,
      );
      return rows.flatMap(({ number }) => (number ? [number] : []));
    },
  };
}
