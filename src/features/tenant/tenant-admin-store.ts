/** Tenants for the operator: creates, lists and suspends them. Covers all tenants, unlike the other stores. */
import { and, eq, gte, inArray, isNull, lte, ne, or, sql } from "drizzle-orm";
import type { NotifiedTenant } from "../../call/admission/burst-notice.ts";
import type { Queries } from "../../core/database.ts";
import { type MicroEur, microEur } from "../../core/money.ts";
import { HOUR_MS } from "../../store/query/hour-span.ts";
import { arg, parsedJson, statement } from "../../store/query/prepared.ts";
import { readerLocale } from "../../store/query/reader-locale.ts";
import {
  agents,
  callDays,
  callRollups,
  calls,
  planUsage,
  tenants,
  trialDays,
  wallets,
} from "../../store/schema/index.ts";

const DAY_MS = 24 * HOUR_MS;
/** Maximum calls per tenant: a busy tenant has tens of thousands a day. */
const LATENCY_CALLS_MAX = 1000;

type TenantRecord = typeof tenants.$inferSelect;
type NewTenant = Omit<typeof tenants.$inferInsert, "id">;

/** Without fields: all tenants. */
export interface TenantPage {
  readonly ids?: readonly number[];
  readonly limit?: number;
  readonly offset?: number;
}

export function tenantAdminStore(queries: Queries) {
  return {
    ...tenantLists(queries),
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

    find(tenantId: number): Promise<TenantRecord | undefined> {
      return queries.select().from(tenants).where(eq(tenants.id, tenantId)).get();
    },

    /** Null if the agent does not exist. */
    async ownerOfAgent(agentId: number): Promise<number | null> {
      const row = await queries
        .select({ tenantId: agents.tenantId })
        .from(agents)
        .where(eq(agents.id, agentId))
        .get();
      return row?.tenantId ?? null;
    },

    /** Null if the call does not exist. */
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

function tenantLists(queries: Queries) {
  return {
    /** Names and addresses of all tenants for searching, in the order of ids. */
    labels() {
      const { id, name, email } = tenants;
      return queries.select({ id, name, email }).from(tenants).orderBy(id);
    },

    async count(): Promise<number> {
      return await queries.$count(tenants);
    },

    /** In the order of ids. */
    async list({ ids, limit = -1, offset = 0 }: TenantPage) {
      return await (ids
        ? tenantsNamed(queries).all(idsOf(ids))
        : pageOfTenants(queries).all({ limit, offset }));
    },
  };
}

const idsOf = (tenantIds: readonly number[]) => ({ ids: `[${tenantIds.join()}]` });
const isNamed = inArray(tenants.id, sql`(SELECT value FROM json_each(${arg("ids")}))`);

const listedTenants = (queries: Queries) => {
  const { id, name, email, plan, suspended, createdAt } = tenants;
  return queries
    .select({ id, name, email, plan, suspended, createdAt, balance: wallets.balance })
    .from(tenants)
    .leftJoin(wallets, eq(wallets.tenantId, tenants.id))
    .orderBy(tenants.id)
    .$dynamic();
};
const pageOfTenants = statement((queries) =>
  listedTenants(queries).limit(arg("limit")).offset(arg("offset")).prepare(),
);
const tenantsNamed = statement((queries) => listedTenants(queries).where(isNamed).prepare());

/** The query of `callsSince`. Exported for a test of its query plan. */
export const callsOfTenants = (queries: Queries) => {
  const failed = sql<number>`sum(CASE WHEN ${callRollups.status} = 'failed' THEN ${callRollups.calls} ELSE 0 END)`;
  return (
    queries
      .select({
        tenantId: callRollups.tenantId,
        calls: sql<number>`sum(${callRollups.calls})`.mapWith(Number),
        failed: failed.mapWith(Number),
      })
      // From the tenants, so that the primary key finds the hours of each.
      .from(tenants)
      .crossJoin(callRollups)
      .where(
        and(
          isNamed,
          eq(callRollups.tenantId, tenants.id),
          gte(callRollups.hour, arg("sinceHour")),
          ne(callRollups.status, "queued"),
        ),
      )
      .groupBy(tenants.id)
  );
};
const readCalls = statement((queries) => callsOfTenants(queries).prepare());

/** The operator's costs of calls and trials since a UTC day, by tenant. */
const readCosts = statement((queries) => {
  const calls = sql`(SELECT coalesce(sum(d.cost_of_goods), 0) FROM ${callDays} d
    WHERE d.tenant_id = ${sql.raw("tenants.id")} AND d.day >= ${arg("sinceDay")})`;
  const trials = sql`(SELECT coalesce(sum(t.cost_of_goods), 0) FROM ${trialDays} t
    WHERE t.tenant_id = ${sql.raw("tenants.id")} AND t.day >= ${arg("sinceDate")})`;
  return queries
    .select({ tenantId: tenants.id, cost: sql<MicroEur>`${calls} + ${trials}` })
    .from(tenants)
    .where(isNamed)
    .prepare();
});

/** The query of `latenciesSince`. Exported for a test of its query plan. */
export const latenciesOfTenants = (queries: Queries) => {
  // Raw SQL, because without a join Drizzle omits the table names.
  const latencies = sql`(
    SELECT json_group_array(latency) FROM (
      SELECT c.latency_p95_ms AS latency FROM calls c
      WHERE c.tenant_id = tenants.id AND c.created_at >= ${arg("sinceMs")}
      ORDER BY c.created_at DESC, c.id DESC LIMIT ${sql.raw(String(LATENCY_CALLS_MAX))}
    ) WHERE latency IS NOT NULL)`;
  return queries
    .select({ tenantId: tenants.id, latenciesMs: parsedJson<number[]>(latencies) })
    .from(tenants)
    .where(isNamed);
};
const readLatencies = statement((queries) => latenciesOfTenants(queries).prepare());

/** Results of these tenants' calls. Tenants without calls have no row. */
const tenantActivity = (queries: Queries) => ({
  /** Calls since that hour, and how many of them failed. */
  costsSince: async (tenantIds: readonly number[], sinceMs: number) =>
    await readCosts(queries).all({
      ...idsOf(tenantIds),
      sinceDay: Math.floor(sinceMs / DAY_MS),
      sinceDate: new Date(sinceMs).toISOString().slice(0, 10),
    }),
  callsSince: async (tenantIds: readonly number[], sinceMs: number) =>
    await readCalls(queries).all({ ...idsOf(tenantIds), sinceHour: Math.floor(sinceMs / HOUR_MS) }),

  /** Latencies (95th percentile) of each tenant's newest calls since then, in no order. */
  latenciesSince: async (tenantIds: readonly number[], sinceMs: number) =>
    await readLatencies(queries).all({ ...idsOf(tenantIds), sinceMs }),
});

/** Changes to a tenant by the operator or the appliance. */
function tenantMarks(queries: Queries) {
  return {
    /**
     * Reserves the notice about stopped calls. Returns the tenant for the caller that may send it; null if it
     * was sent since `notSinceMs`.
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
      await queries
        .update(planUsage)
        .set({ secondsIncluded: null })
        .where(eq(planUsage.tenantId, tenantId));
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
