/** A campaign's numbers for lists, in the order of its file. */
import { and, asc, eq, gt } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import { calls, campaignTargets } from "../../store/schema/index.ts";
import type { TargetRecords, TargetStatus } from "./listed-targets.ts";

/** Ids of a page, read from an index only. */
export const targetIds = (
  queries: Queries,
  campaignId: number,
  { status, after = 0 }: { readonly status?: TargetStatus | undefined; readonly after?: number },
  { limit, offset }: { readonly limit: number; readonly offset: number },
) =>
  queries
    .select({ id: campaignTargets.id })
    .from(campaignTargets)
    .where(
      and(
        eq(campaignTargets.campaignId, campaignId),
        status && eq(campaignTargets.status, status),
        after > 0 ? gt(campaignTargets.id, after) : undefined,
      ),
    )
    .orderBy(asc(campaignTargets.id))
    .limit(limit)
    .offset(offset);

export function listedTargets(queries: Queries): TargetRecords {
  return {
    async targets(campaignId, filter, page) {
      const ids = targetIds(queries, campaignId, filter, page).as("page");
      return await queries
        .select({
          id: campaignTargets.id,
          numberE164: campaignTargets.numberE164,
          variables: campaignTargets.variables,
          status: campaignTargets.status,
          attempts: campaignTargets.attempts,
          outcome: campaignTargets.outcome,
          notBefore: campaignTargets.notBefore,
          // Null for a deleted call.
          callUuid: calls.callUuid,
          lastAttemptAt: calls.createdAt,
        })
        .from(ids)
        .innerJoin(campaignTargets, eq(campaignTargets.id, ids.id))
        .leftJoin(calls, eq(calls.callUuid, campaignTargets.callUuid))
        .orderBy(asc(ids.id));
    },
  };
}
