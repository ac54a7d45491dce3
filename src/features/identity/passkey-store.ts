/** Passkeys, and used challenges. */
import { and, asc, eq, lt } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import { passkeys, usedChallenges } from "../../store/schema/identity.ts";
import type { PasskeyStore } from "./stores.ts";

export function passkeyStore(queries: Queries): PasskeyStore {
  return {
    async insert(passkey) {
      const [row] = await queries.insert(passkeys).values(passkey).returning({ id: passkeys.id });
      if (!row) throw new Error("insert answered no row");
      return row.id;
    },

    async list(userId) {
      return await queries
        .select()
        .from(passkeys)
        .where(eq(passkeys.userId, userId))
        .orderBy(asc(passkeys.id));
    },

    async byCredential(credentialId) {
      const row = await queries
        .select()
        .from(passkeys)
        .where(eq(passkeys.credentialId, credentialId))
        .get();
      return row ?? null;
    },

    async used(passkeyId, counter, nowMs) {
      await queries
        .update(passkeys)
        .set({ counter, lastUsedAt: nowMs })
        .where(eq(passkeys.id, passkeyId));
    },

    async remove(userId, passkeyId) {
      const gone = await queries
        .delete(passkeys)
        .where(and(eq(passkeys.id, passkeyId), eq(passkeys.userId, userId)))
        .returning({ id: passkeys.id });
      return gone.length > 0;
    },

    async spendChallenge(challenge, expiresAt) {
      const made = await queries
        .insert(usedChallenges)
        .values({ challenge, expiresAt })
        .onConflictDoNothing({ target: usedChallenges.challenge })
        .returning({ challenge: usedChallenges.challenge });
      return made.length > 0;
    },

    async removeExpiredChallenges(nowMs) {
      const gone = await queries
        .delete(usedChallenges)
        .where(lt(usedChallenges.expiresAt, nowMs))
        .returning({ challenge: usedChallenges.challenge });
      return gone.length;
    },
  };
}
