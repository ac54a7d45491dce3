/** Requests of the last minute, for nodes that share one store. */
import { and, eq, lte, sql } from "drizzle-orm";
import type { Queries } from "../../../core/database.ts";
import { rateRequests } from "../schema/index.ts";

interface Asked {
  readonly keyId: number;
  readonly nowMs: number;
  /** Requests until then count no more. */
  readonly forgottenMs: number;
  readonly limit: number;
  /** Places for requests that are there. 0: only to set aside. */
  readonly places: number;
  /** Places for later requests, to be used by `setAsideMs`. */
  readonly aside: number;
  readonly setAsideMs: number;
}

/** Nodes set nothing aside when fewer places than this are left, and never more than a part of them. */
const PLENTY = 64;
const PART = 16;

export function rateStore(queries: Queries) {
  return {
    /** All of `places` or none, and as many of `aside` as there may be: one round trip. */
    async take(asked: Asked) {
      const { keyId, nowMs, forgottenMs, limit, places, aside, setAsideMs } = asked;
      await queries
        .delete(rateRequests)
        .where(and(eq(rateRequests.keyId, keyId), lte(rateRequests.at, forgottenMs)));
      const rows = sql`FROM rate_requests WHERE key_id = ${keyId}`;
      const [taken, [window]] = await Promise.all([
        queries.all<{ id: number; at: number; count: number }>(sql`
          WITH here AS (SELECT ${limit} - (SELECT coalesce(sum(count), 0) ${rows}) AS places)
          INSERT INTO rate_requests (key_id, at, count)
          SELECT ${keyId}, ${nowMs}, ${places} FROM here WHERE ${places} > 0 AND places >= ${places}
          UNION ALL
          SELECT ${keyId}, ${setAsideMs}, min(${aside}, (places - ${places}) / ${PART})
          FROM here WHERE ${aside} > 0 AND places - ${places} >= ${PLENTY}
          RETURNING id, at, count`),
        queries.all<{ count: number; oldestMs: number | null }>(
          sql`SELECT coalesce(sum(count), 0) AS count, min(at) AS oldestMs ${rows}`,
        ),
      ]);
      return {
        isTaken: taken.some(({ at }) => at === nowMs),
        aside: taken.find(({ at }) => at === setAsideMs) ?? null,
        count: window?.count ?? 0,
        oldestMs: window?.oldestMs ?? null,
      };
    },

    /** So many of the places that `take` has set aside were not used. */
    async refund(asideId: number, count: number): Promise<void> {
      await queries
        .update(rateRequests)
        .set({ count: sql`${rateRequests.count} - ${count}` })
        .where(eq(rateRequests.id, asideId));
    },
  };
}
