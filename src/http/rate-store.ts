/** Requests of the last minute, for nodes that share one store. */
import { and, eq, lte, sql } from "drizzle-orm";
import type { Queries } from "../core/database.ts";
import { rateRequests } from "../store/schema/index.ts";

interface Asked {
  readonly keyId: number;
  readonly nowMs: number;
  /** Requests until this time no longer count. */
  readonly forgottenMs: number;
  readonly limit: number;
  /** Places for current requests; 0: only reserve. */
  readonly places: number;
  /** Places to reserve for later requests, valid until `setAsideMs`. */
  readonly aside: number;
  readonly setAsideMs: number;
}

/** Minimum free places for a reservation, and the divisor of its maximum share. */
const PLENTY = 64;
const PART = 16;

export function rateStore(queries: Queries) {
  return {
    /** Takes all of `places` or none, and reserves up to `aside` more, in one round trip. */
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

    /** Returns unused places of a reservation. */
    async refund(asideId: number, count: number): Promise<void> {
      await queries
        .update(rateRequests)
        .set({ count: sql`${rateRequests.count} - ${count}` })
        .where(eq(rateRequests.id, asideId));
    },
  };
}
