/** All stores of billing, including the columns of tenants and calls that it needs. */
import { and, eq, sql } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import { notFound } from "../../core/errors.ts";
import type { MicroEur } from "../../core/money.ts";
import { arg, parsedJson, statement } from "../../store/query/prepared.ts";
import { calls } from "../../store/schema/calls.ts";
import { tenants } from "../../store/schema/tenants.ts";
import { checkoutStore } from "./checkout-store.ts";
import { holdStore } from "./hold-store.ts";
import { ledgerStore, walletStore } from "./ledger-store.ts";
import { renewalStore } from "./renewal-store.ts";
import type { AccountStatus, AccountStore, BillingStores, CallRateStore } from "./stores.ts";
import { usageStore } from "./usage-store.ts";

const findAccount = statement((queries) =>
  queries
    .select({
      planSlug: tenants.plan,
      timeZone: tenants.timeZone,
      crmBridge: tenants.crmBridge,
      retentionBlocks: tenants.retentionBlocks,
    })
    .from(tenants)
    .where(eq(tenants.id, arg("tenantId")))
    .prepare(),
);

/** A tenant's account (`AccountStatus`), as columns of the tenant's row. */
export function accountStatusColumns() {
  const tenantId = arg("tenantId");
  return {
    planSlug: tenants.plan,
    timeZone: tenants.timeZone,
    balance: sql<MicroEur>`coalesce(
        (SELECT balance FROM wallets WHERE tenant_id = ${tenantId}), 0)`,
    planStatuses: parsedJson<AccountStatus["planStatuses"]>(sql`
        (SELECT json_group_object(month, status) FROM renewals
          WHERE tenant_id = ${tenantId} AND item = 'plan')`),
    secondsUsed: parsedJson<AccountStatus["secondsUsed"]>(sql`
        (SELECT json_group_object(month, seconds_used) FROM plan_usage
          WHERE tenant_id = ${tenantId})`),
    secondsIncluded: parsedJson<AccountStatus["secondsIncluded"]>(sql`
        (SELECT json_group_object(month, seconds_included) FROM plan_usage
          WHERE tenant_id = ${tenantId})`),
    holds: parsedJson<AccountStatus["holds"]>(sql`
        (SELECT json_group_array(json_object('callUuid', call_uuid, 'month', month,
            'planSeconds', plan_seconds, 'amount', amount))
          FROM holds WHERE tenant_id = ${tenantId})`),
    rate: sql<MicroEur | null>`
        (SELECT overage_rate FROM calls
          WHERE call_uuid = ${arg("callUuid")} AND tenant_id = ${tenantId})`,
    isCharged: sql`EXISTS
        (SELECT 1 FROM ledger_transactions
          WHERE key = ${arg("chargeKey")} AND tenant_id = ${tenantId})`.mapWith(Boolean),
  };
}

/** Arguments of `accountStatusColumns`. `call` null: without a call. */
export const accountStatusArguments = (
  tenantId: number,
  call: { readonly uuid: string; readonly chargeKey: string } | null,
) => ({ tenantId, callUuid: call?.uuid ?? null, chargeKey: call?.chargeKey ?? null });

const accountStatus = statement((queries) =>
  queries
    .select(accountStatusColumns())
    .from(tenants)
    .where(eq(tenants.id, arg("tenantId")))
    .prepare(),
);

function accountStore(queries: Queries): AccountStore {
  return {
    async find(tenantId) {
      const account = await findAccount(queries).get({ tenantId });
      if (!account) throw notFound("tenant");
      return account;
    },

    async accountStatus(tenantId, call) {
      const row = await accountStatus(queries).get(accountStatusArguments(tenantId, call));
      if (!row) throw notFound("tenant");
      return row;
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

const callRate = statement((queries) =>
  queries
    .select({ rate: calls.overageRate })
    .from(calls)
    .where(and(eq(calls.tenantId, arg("tenantId")), eq(calls.callUuid, arg("callUuid"))))
    .prepare(),
);

function callRateStore(queries: Queries): CallRateStore {
  return {
    async rateOf(tenantId, callUuid) {
      return (await callRate(queries).get({ tenantId, callUuid }))?.rate ?? null;
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
        .where(and(eq(calls.tenantId, tenantId), eq(calls.callUuid, callUuid)));
      return found[0] ?? null;
    },
  };
}

export const billingStores: BillingStores = (queries) => ({
  ledger: ledgerStore(queries),
  wallet: walletStore(queries),
  holds: holdStore(queries),
  usage: usageStore(queries),
  accounts: accountStore(queries),
  callRates: callRateStore(queries),
  checkouts: checkoutStore(queries),
  renewals: renewalStore(queries),
});
