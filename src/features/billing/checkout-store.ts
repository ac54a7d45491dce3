/** Checkouts: the ordered item, and whether it was paid. */
import {
  and,
  type Column,
  desc,
  eq,
  gt,
  inArray,
  notExists,
  notInArray,
  or,
  sql,
} from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import { checkouts, ledgerTransactions } from "../../store/schema/money.ts";
import { tenants } from "../../store/schema/tenants.ts";
import type { CheckoutStore } from "./stores.ts";

export function checkoutStore(queries: Queries): CheckoutStore {
  return {
    ...paidCheckouts(queries),

    async insert(checkout) {
      await queries.insert(checkouts).values(checkout);
    },

    async find(id) {
      const found = await queries.select().from(checkouts).where(eq(checkouts.id, id));
      return found[0] ?? null;
    },

    async list(tenantId) {
      return queries
        .select()
        .from(checkouts)
        .where(eq(checkouts.tenantId, tenantId))
        .orderBy(desc(checkouts.createdAt));
    },

    async waiting(provider, nowMs, { search, limit, offset }) {
      const isWanted = and(
        eq(checkouts.provider, provider),
        inArray(checkouts.status, search === "" ? ["open"] : ["open", "cancelled"]),
        gt(checkouts.expiresAt, nowMs),
        search === "" ? undefined : mentions(queries, search),
      );
      const found = await queries
        .select()
        .from(checkouts)
        .where(isWanted)
        .orderBy(desc(checkouts.createdAt), desc(checkouts.id))
        .limit(limit)
        .offset(offset);
      return { checkouts: found, total: await queries.$count(checkouts, isWanted) };
    },

    async cancelOlder(tenantId, nowMs, kept) {
      const open = and(
        eq(checkouts.tenantId, tenantId),
        eq(checkouts.status, "open"),
        gt(checkouts.expiresAt, nowMs),
      );
      const newest = queries
        .select({ id: checkouts.id })
        .from(checkouts)
        .where(open)
        .orderBy(desc(checkouts.createdAt), desc(sql`rowid`))
        .limit(kept);
      await queries
        .update(checkouts)
        .set({ status: "cancelled" })
        .where(and(open, notInArray(checkouts.id, newest)));
    },
  };
}

function mentions(queries: Queries, search: string) {
  const has = (column: Column) => sql`instr(lower(${column}), lower(${search})) > 0`;
  const companies = queries
    .select({ id: tenants.id })
    .from(tenants)
    .where(or(has(tenants.name), has(tenants.email)));
  return or(has(checkouts.id), inArray(checkouts.tenantId, companies));
}

/** The results of checkouts. */
function paidCheckouts(
  queries: Queries,
): Pick<CheckoutStore, "markPaid" | "setSession" | "lastPaidAt" | "cancel"> {
  return {
    async markPaid(id, nowMs, from) {
      const changed = await queries
        .update(checkouts)
        .set({ status: "paid", paidAt: nowMs })
        .where(and(eq(checkouts.id, id), inArray(checkouts.status, from)))
        .returning({ id: checkouts.id });
      return changed.length > 0;
    },

    async setSession(id, providerSession) {
      await queries.update(checkouts).set({ providerSession }).where(eq(checkouts.id, id));
    },

    async lastPaidAt(tenantId, kind) {
      const asWalletMoney = queries
        .select({ one: sql`1` })
        .from(ledgerTransactions)
        .where(
          and(
            eq(ledgerTransactions.key, sql`'checkout:' || ${checkouts.id}`),
            eq(ledgerTransactions.kind, "topup"),
          ),
        );
      const found = await queries
        .select({ paidAt: checkouts.paidAt })
        .from(checkouts)
        .where(
          and(
            eq(checkouts.tenantId, tenantId),
            eq(checkouts.kind, kind),
            eq(checkouts.status, "paid"),
            notExists(asWalletMoney),
          ),
        )
        .orderBy(desc(checkouts.paidAt))
        .limit(1);
      return found[0]?.paidAt ?? null;
    },

    async cancel(id) {
      await queries
        .update(checkouts)
        .set({ status: "cancelled" })
        .where(and(eq(checkouts.id, id), eq(checkouts.status, "open")));
    },
  };
}
