/** Users and their recovery codes. Secrets are already hashed or sealed. */
import { and, asc, eq, isNull, lt } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import { recoveryCodes, users } from "../../store/schema/identity.ts";
import type { UserStore } from "./stores.ts";

export function userStore(queries: Queries): UserStore {
  return {
    ...spentCodes(queries),

    async insert(user) {
      const [row] = await queries.insert(users).values(user).returning({ id: users.id });
      if (!row) throw new Error("insert answered no row");
      return row.id;
    },

    async byId(userId) {
      return (await queries.select().from(users).where(eq(users.id, userId)).get()) ?? null;
    },

    async byEmail(email) {
      return (await queries.select().from(users).where(eq(users.email, email)).get()) ?? null;
    },

    async update(userId, changes) {
      if (Object.keys(changes).length === 0) return;
      await queries.update(users).set(changes).where(eq(users.id, userId));
    },

    async hasOperator() {
      const row = await queries
        .select({ id: users.id })
        .from(users)
        .where(eq(users.operator, true))
        .limit(1)
        .get();
      return row !== undefined;
    },

    async all() {
      return await queries.select().from(users).orderBy(asc(users.id));
    },
  };
}

/** Codes that work once. */
function spentCodes(
  queries: Queries,
): Pick<
  UserStore,
  "spendTotpStep" | "replaceRecoveryCodes" | "removeRecoveryCodes" | "spendRecoveryCode"
> {
  return {
    async spendTotpStep(userId, step) {
      const changed = await queries
        .update(users)
        .set({ totpLastStep: step })
        .where(and(eq(users.id, userId), lt(users.totpLastStep, step)))
        .returning({ id: users.id });
      return changed.length > 0;
    },

    async replaceRecoveryCodes(userId, hashes) {
      await queries.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId));
      if (hashes.length > 0)
        await queries
          .insert(recoveryCodes)
          .values(hashes.map((codeHash) => ({ userId, codeHash, usedAt: null })));
    },

    async removeRecoveryCodes() {
      const removed = await queries
        .delete(recoveryCodes)
        .returning({ userId: recoveryCodes.userId, usedAt: recoveryCodes.usedAt });
      return new Set(removed.filter(({ usedAt }) => usedAt === null).map(({ userId }) => userId))
        .size;
    },

    async spendRecoveryCode(userId, hash, nowMs) {
      const changed = await queries
        .update(recoveryCodes)
        .set({ usedAt: nowMs })
        .where(
          and(
            eq(recoveryCodes.userId, userId),
            eq(recoveryCodes.codeHash, hash),
            isNull(recoveryCodes.usedAt),
          ),
        )
        .returning({ id: recoveryCodes.id });
      return changed.length > 0;
    },
  };
}
