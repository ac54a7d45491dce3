/** All stores of billing, and the small parts of tenants and calls that it needs. */
import { and, eq, sql } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import { notFound } from "../../core/errors.ts";
import type { AccountStore, BillingStores, CallRateStore } from "../../domain/billing/stores.ts";
import { checkoutStore } from "./checkout-store.ts";
import { holdStore, planUsageStore } from "./hold-store.ts";
import { ledgerStore, walletStore } from "./ledger-store.ts";
import { prepared } from "./prepared.ts";
import { renewalStore } from "./renewal-store.ts";
import { calls } from "./schema/calls.ts";
import { tenants } from "./schema/tenants.ts";

function accountStore(queries: Queries): AccountStore {
  return {
    async find(tenantId) {
      const statement = prepared(queries, "accounts.find", () =>
        queries
          .select({
            planSlug: tenants.plan,
            timeZone: tenants.timeZone,
            crmBridge: tenants.crmBridge,
            retentionBlocks: tenants.retentionBlocks,
          })
          .from(tenants)
          .where(eq(tenants.id, sql.placeholder("tenantId")))
          .prepare(),
      );
      const account = await statement.get({ tenantId });
      if (!account) throw notFound("tenant");
      return account;
    },

    async setPlan(tenantId, slug) {
      await queries.update(tenants).set({ plan: slug }).where(eq(tenants.id, tenantId));
    },

    async setCrmBridge(tenantId, on) {
      await queries.update(tenants).set({ crmBridge: on }).where(eq(tenants.id, tenantId));
    },

    async setRetentionBlocks(tenantId, blocks) {
      await queries
        .update(tenants)
        .set({ retentionBlocks: blocks })
        .where(eq(tenants.id, tenantId));
    },
  };
}

function callRateStore(queries: Queries): CallRateStore {
  const ofCall = (tenantId: number, callUuid: string) =>
    and(eq(calls.tenantId, tenantId), eq(calls.callUuid, callUuid));
  return {
    async rateOf(tenantId, callUuid) {
      const found = await queries
        .select({ rate: calls.overageRate })
        .from(calls)
        .where(ofCall(tenantId, callUuid));
      return found[0]?.rate ?? null;
    },

    async chargeOf(tenantId, callUuid) {
      const found = await queries
        .select({
          billableSeconds: calls.billableSeconds,
          includedSeconds: calls.includedSeconds,
          overageSeconds: calls.overageSeconds,
          overagePerMinute: calls.overageRate,
          cost: calls.cost,
        })
        .from(calls)
        .where(ofCall(tenantId, callUuid));
      return found[0] ?? null;
    },
  };
}

export const billingStores: BillingStores = {
  ledger: ledgerStore,
  wallet: walletStore,
  planUsage: planUsageStore,
  holds: holdStore,
  accounts: accountStore,
  callRates: callRateStore,
  checkouts: checkoutStore,
  renewals: renewalStore,
};
