/**
 * Tenants for the operator: creates, lists and suspends them. Covers all tenants, unlike the other
 * stores.
 */
import { and, eq, gte, isNotNull, isNull, lte, ne, or, sql } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import { microEur } from "../../core/money.ts";
import type { NotifiedTenant } from "../../domain/call/burst-notice.ts";
import { HOUR_MS } from "./hour-span.ts";
import { readerLocale } from "./reader-locale.ts";
import { agents, callRollups, calls, tenants, wallets } from "./schema/index.ts";

type TenantRecord = typeof tenants.$inferSelect;
type NewTenant = Omit<typeof tenants.$inferInsert, "id">;

export function tenantAdminStore(queries: Queries) {
  return {
    ...tenantMarks(queries),
    ...tenantActivity(queries),

    /** Also creates an empty wallet. */
    async insert(tenant: NewTenant): Promise<number> {
      const [row] = await queries.insert(tenants).values(tenant).returning({ id: tenants.id });
      if (!row) throw new Error("insert answered no row");
      await queries.insert(wallets).values({ tenantId: row.id, balance: microEur(0) });
      return row.id;
    },

    async setWebhookSecret(tenantId: number, sealed: string): Promise<void> {
      await queries
        .update(tenants)
        .set({ webhookSecretSealed: sealed })
        .where(eq(tenants.id, tenantId));
    },

    list() {
      return queries
        .select({ tenant: tenants, balance: wallets.balance })
        .from(tenants)
        .leftJoin(wallets, eq(wallets.tenantId, tenants.id))
        .orderBy(tenants.id);
    },

    find(tenantId: number): Promise<TenantRecord | undefined> {
      return queries.select().from(tenants).where(eq(tenants.id, tenantId)).get();
    },

    /** Null: there is no such agent. */
    async ownerOfAgent(agentId: number): Promise<number | null> {
      const row = await queries
        .select({ tenantId: agents.tenantId })
        .from(agents)
        .where(eq(agents.id, agentId))
        .get();
      return row?.tenantId ?? null;
    },

    /** Null: there is no such call. */
    async ownerOfCall(callUuid: string): Promise<number | null> {
      const row = await queries
        .select({ tenantId: calls.tenantId })
        .from(calls)
        .where(eq(calls.callUuid, callUuid))
        .get();
      return row?.tenantId ?? null;
    },
  };
}

/** How the tenants' calls went. Tenants without calls have no row. */
function tenantActivity(queries: Queries) {
  return {
    /** Calls that began since that hour, and how many of them failed. */
    async callsSince(sinceMs: number) {
      const failed = sql<number>`sum(CASE WHEN ${callRollups.status} = 'failed' THEN ${callRollups.calls} ELSE 0 END)`;
      return await queries
        .select({
          tenantId: callRollups.tenantId,
          calls: sql<number>`sum(${callRollups.calls})`.mapWith(Number),
          failed: failed.mapWith(Number),
        })
        .from(callRollups)
        .where(
          and(
            gte(callRollups.hour, Math.floor(sinceMs / HOUR_MS)),
            ne(callRollups.status, "queued"),
          ),
        )
        .groupBy(callRollups.tenantId);
    },

    /** The 95th percentile (nearest rank) of the calls' latencies since then. */
    async latencySince(sinceMs: number) {
      const { tenantId, latencyP95Ms: latency } = calls;
      const ranked = queries
        .select({
          tenantId,
          latency,
          rank: sql<number>`row_number() OVER (PARTITION BY ${tenantId} ORDER BY ${latency})`.as(
            "rank",
          ),
          of: sql<number>`count(*) OVER (PARTITION BY ${tenantId})`.as("of"),
        })
        // Through the tenants, so that the index of a tenant's newest calls is used.
        .from(tenants)
        .innerJoin(calls, and(eq(tenantId, tenants.id), gte(calls.createdAt, sinceMs)))
        .where(isNotNull(latency))
        .as("ranked");
      return await queries
        .select({ tenantId: ranked.tenantId, p95Ms: ranked.latency })
        .from(ranked)
        .where(sql`${ranked.rank} = (${ranked.of} * 95 + 99) / 100`);
    },
  };
}

/** Changes to a tenant by the operator or the appliance. */
function tenantMarks(queries: Queries) {
  return {
    /**
     * Reserves the notice about stopped calls. Returns the tenant for the caller that may send it;
     * null: it was sent since `notSinceMs`.
     */
    async claimBurstNotice(
      tenantId: number,
      nowMs: number,
      notSinceMs: number,
    ): Promise<NotifiedTenant | null> {
      const isDue = or(isNull(tenants.burstToldAt), lte(tenants.burstToldAt, notSinceMs));
      const claimed = await queries
        .update(tenants)
        .set({ burstToldAt: nowMs })
        .where(and(eq(tenants.id, tenantId), isDue))
        .returning({ id: tenants.id });
      if (claimed.length === 0) return null;
      const [row] = await queries
        .select({ id: tenants.id, name: tenants.name, email: tenants.email, locale: readerLocale })
        .from(tenants)
        .where(eq(tenants.id, tenantId));
      return row ?? null;
    },

    async setPlan(tenantId: number, plan: string): Promise<void> {
      await queries.update(tenants).set({ plan }).where(eq(tenants.id, tenantId));
    },

    async setSuspended(tenantId: number, suspended: boolean): Promise<boolean> {
      const changed = await queries
        .update(tenants)
        .set({ suspended })
        .where(eq(tenants.id, tenantId))
        .returning({ id: tenants.id });
      return changed.length > 0;
    },
  };
}
