/** Failed sign-ins, by account and by source. */
import { asc, count, eq, inArray, lt } from "drizzle-orm";
import type { AttemptStore } from "../identity/stores.ts";
import type { Queries } from "./database.ts";
import { signInAttempts } from "./schema/identity.ts";

export function attemptStore(queries: Queries): AttemptStore {
  return {
    async get(key) {
      const row = await queries
        .select()
        .from(signInAttempts)
        .where(eq(signInAttempts.key, key))
        .get();
      return row ?? null;
    },

    async put(key, { failures, lastAt, lockedUntil }) {
      const row = { failures, lastAt, lockedUntil };
      await queries
        .insert(signInAttempts)
        .values({ key, ...row })
        .onConflictDoUpdate({ target: signInAttempts.key, set: row });
    },

    async remove(key) {
      await queries.delete(signInAttempts).where(eq(signInAttempts.key, key));
    },

    async count() {
      const row = await queries.select({ n: count() }).from(signInAttempts).get();
      return row?.n ?? 0;
    },

    async removeOldest(many) {
      const oldest = queries
        .select({ key: signInAttempts.key })
        .from(signInAttempts)
        .orderBy(asc(signInAttempts.lastAt))
        .limit(many);
      await queries.delete(signInAttempts).where(inArray(signInAttempts.key, oldest));
    },

    async removeBefore(atMs) {
      const gone = await queries
        .delete(signInAttempts)
        .where(lt(signInAttempts.lastAt, atMs))
        .returning({ key: signInAttempts.key });
      return gone.length;
    },
  };
}
