/** Checkouts: what a tenant wants to pay, and whether it was paid. */
import { and, desc, eq } from "drizzle-orm";
import type { CheckoutStore } from "../billing/stores.ts";
import type { Queries } from "./database.ts";
import { checkouts } from "./schema/money.ts";

export function checkoutStore(queries: Queries): CheckoutStore {
  return {
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

    async markPaid(id, nowMs) {
      const changed = await queries
        .update(checkouts)
        .set({ status: "paid", paidAt: nowMs })
        .where(and(eq(checkouts.id, id), eq(checkouts.status, "open")))
        .returning({ id: checkouts.id });
      return changed.length > 0;
    },
  };
}
