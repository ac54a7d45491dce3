/** Monthly payments of tenants; queries that find work cover all tenants. */
import { and, eq, gt, inArray, notExists, sql } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import { microEur } from "../../core/money.ts";
import { arg, statement } from "../../store/query/prepared.ts";
import { readerLocale } from "../../store/query/reader-locale.ts";
import { planUsage, renewals } from "../../store/schema/money.ts";
import { tenants } from "../../store/schema/tenants.ts";
import type { RenewalStore } from "./stores.ts";

const ROUND_MAX = 1000;

const tenantColumns = {
  id: tenants.id,
  name: tenants.name,
  email: tenants.email,
  planSlug: tenants.plan,
  timeZone: tenants.timeZone,
  locale: readerLocale,
  crmBridge: tenants.crmBridge,
  suspended: tenants.suspended,
  createdAt: tenants.createdAt,
};

const planMonth = statement((queries) =>
  queries
    .select({
      status: renewals.status,
      monthPrice: renewals.amount,
      secondsUsed: planUsage.secondsUsed,
      secondsIncluded: planUsage.secondsIncluded,
    })
    .from(tenants)
    .leftJoin(
      renewals,
      and(
        eq(renewals.tenantId, tenants.id),
        eq(renewals.month, arg("month")),
        eq(renewals.item, "plan"),
      ),
    )
    .leftJoin(planUsage, and(eq(planUsage.tenantId, tenants.id), eq(planUsage.month, arg("month"))))
    .where(eq(tenants.id, arg("tenantId")))
    .prepare(),
);

export function renewalStore(queries: Queries): RenewalStore {
  return {
    ...dueRenewals(queries),
    ...paidPlans(queries),
    ...planMonths(queries),

    async insert(tenantId, renewal) {
      const inserted = await queries
        .insert(renewals)
        .values({ tenantId, ...renewal })
        .onConflictDoNothing()
        .returning({ tenantId: renewals.tenantId });
      return inserted.length > 0;
    },

    async settle(tenantId, month, item, status, nowMs) {
      const changed = await queries
        .update(renewals)
        .set({ status, settledAt: nowMs })
        .where(
          and(
            eq(renewals.tenantId, tenantId),
            eq(renewals.month, month),
            eq(renewals.item, item),
            eq(renewals.status, "due"),
          ),
        )
        .returning({ tenantId: renewals.tenantId });
      return changed.length > 0;
    },

    async lapse(tenantId, item, nowMs) {
      await queries
        .update(renewals)
        .set({ status: "lapsed", settledAt: nowMs })
        .where(
          and(
            eq(renewals.tenantId, tenantId),
            eq(renewals.item, item),
            inArray(renewals.status, ["due", "refunded"]),
          ),
        );
    },
  };
}

/** Tenants whose month begins. */
function dueRenewals(queries: Queries): Pick<RenewalStore, "timeZones" | "withoutMonth" | "due"> {
  return {
    async timeZones() {
      const rows = await queries.selectDistinct({ zone: tenants.timeZone }).from(tenants);
      return rows.map((row) => row.zone);
    },

    async withoutMonth(timeZone, month) {
      const begun = queries
        .select({ one: sql`1` })
        .from(renewals)
        .where(
          and(
            eq(renewals.tenantId, tenants.id),
            eq(renewals.month, month),
            eq(renewals.item, "plan"),
          ),
        );
      return queries
        .select(tenantColumns)
        .from(tenants)
        .where(and(eq(tenants.timeZone, timeZone), eq(tenants.suspended, false), notExists(begun)))
        .orderBy(tenants.id)
        .limit(ROUND_MAX);
    },

    async due() {
      return queries
        .select({
          tenant: tenantColumns,
          renewal: {
            month: renewals.month,
            item: renewals.item,
            plan: renewals.plan,
            amount: renewals.amount,
            status: renewals.status,
            createdAt: renewals.createdAt,
            settledAt: renewals.settledAt,
          },
        })
        .from(renewals)
        .innerJoin(tenants, eq(tenants.id, renewals.tenantId))
        .where(eq(renewals.status, "due"))
        .orderBy(renewals.month, renewals.tenantId, sql`${renewals.item} DESC`);
    },
  };
}

/** Payments for a plan. */
function paidPlans(queries: Queries): Pick<RenewalStore, "planMonth" | "isPaidAfter"> {
  return {
    async planMonth(tenantId, month) {
      const found = await planMonth(queries).get({ tenantId, month });
      return {
        status: found?.status ?? null,
        monthPrice: found?.monthPrice ?? microEur(0),
        secondsUsed: found?.secondsUsed ?? 0,
        secondsIncluded: found?.secondsIncluded ?? null,
      };
    },

    async isPaidAfter(tenantId, item, month) {
      const found = await queries
        .select({ month: renewals.month })
        .from(renewals)
        .where(
          and(
            eq(renewals.tenantId, tenantId),
            eq(renewals.item, item),
            eq(renewals.status, "paid"),
            gt(renewals.amount, microEur(0)),
            gt(renewals.month, month),
          ),
        )
        .limit(1);
      return found.length > 0;
    },
  };
}

/** Months of a plan: a purchase sets them, a refund ends them, and reversing the refund restores them. */
function planMonths(
  queries: Queries,
): Pick<RenewalStore, "setPlanMonth" | "endPlanMonth" | "restorePlanMonth"> {
  return {
    async setPlanMonth(tenantId, month, { plan, monthPrice, nowMs }) {
      await queries
        .update(renewals)
        .set({ plan, amount: monthPrice, status: "lapsed", settledAt: nowMs })
        .where(
          and(
            eq(renewals.tenantId, tenantId),
            eq(renewals.month, month),
            eq(renewals.item, "plan"),
          ),
        );
    },

    async endPlanMonth(tenantId, month, plan, nowMs) {
      const ended = { status: "refunded", settledAt: nowMs } as const;
      await queries
        .insert(renewals)
        .values({
          tenantId,
          month,
          item: "plan",
          plan,
          amount: microEur(0),
          createdAt: nowMs,
          ...ended,
        })
        .onConflictDoUpdate({
          target: [renewals.tenantId, renewals.month, renewals.item],
          set: ended,
        });
    },

    async restorePlanMonth(tenantId, month, nowMs) {
      await queries
        .update(renewals)
        .set({ status: "lapsed", settledAt: nowMs })
        .where(
          and(
            eq(renewals.tenantId, tenantId),
            eq(renewals.month, month),
            eq(renewals.item, "plan"),
            eq(renewals.status, "refunded"),
          ),
        );
    },
  };
}
