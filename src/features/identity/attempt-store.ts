/** Failed sign-ins, by account and by source. */
import { and, asc, count, eq, gte, inArray, lt, sql } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import { signInAttempts } from "../../store/schema/identity.ts";
import type { AttemptStore } from "./stores.ts";

/** Keys are `rule:subject`; `;` is the character after `:`. */
const ofRule = (rule: string) =>
  and(gte(signInAttempts.key, `${rule}:`), lt(signInAttempts.key, `${rule};`));

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

    async count(rule) {
      const row = await queries
        .select({ n: count() })
        .from(signInAttempts)
        .where(rule === undefined ? undefined : ofRule(rule))
        .get();
      return row?.n ?? 0;
    },

    async removeLeast(rule, many, nowMs) {
      const isLocked = sql`${signInAttempts.lockedUntil} > ${nowMs}`;
      const least = queries
        .select({ key: signInAttempts.key })
        .from(signInAttempts)
        .where(ofRule(rule))
        .orderBy(asc(isLocked), asc(signInAttempts.failures), asc(signInAttempts.lastAt))
        .limit(many);
      await queries.delete(signInAttempts).where(inArray(signInAttempts.key, least));
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
