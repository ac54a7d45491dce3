/**
 * What a paid checkout does: its ledger transaction, and the change it bought. Runs inside the
 * caller's transaction, together with the step to `paid`.
 */

import type { Queries } from "../../core/database.ts";
import { unreachable } from "../../core/errors.ts";
import { payDebt } from "./chargeback.ts";
import { move, post } from "./ledger.ts";
import type { Plan } from "./ports.ts";
import type { BillingStores, Checkout, LedgerKind } from "./stores.ts";

/** 30 days to begin with and five blocks: 6 months in all. */
export const RETENTION_BLOCKS_MAX = 5;

/** Key `checkout:<id>`: the money of a top-up is the tenant's, that of anything else is earned. */
export async function bookPayment(
  stores: BillingStores,
  queries: Queries,
  checkout: Checkout,
  paidAt: number,
): Promise<void> {
  const transaction = {
    key: `checkout:${checkout.id}`,
    kind: ledgerKindOf(checkout.kind),
    note: noteOf(checkout),
    createdAt: paidAt,
  };
  const account = checkout.kind === "topup" ? "wallet" : "revenue";
  const entries = move("payments", account, checkout.amount);
  await post(stores, queries, checkout.tenantId, transaction, entries);
  if (account === "wallet")
    await payDebt(stores, queries, checkout.tenantId, transaction.key, paidAt);
}

/** The same payment, for a tenant who cannot get what it was for any more. */
export const asWalletMoney = (checkout: Checkout): Checkout => ({
  ...checkout,
  kind: "topup",
  item: noteOf(checkout),
});

/** Changes what the tenant has. False, and nothing changed, when that is impossible by now. */
export async function deliverItem(
  stores: BillingStores,
  queries: Queries,
  checkout: Checkout,
  plans: readonly Plan[],
  nowMs: number,
): Promise<boolean> {
  const accounts = stores.accounts(queries);
  const { tenantId, item } = checkout;
  switch (checkout.kind) {
    case "topup":
      return true;
    case "plan":
      if (item === null || !plans.some((plan) => plan.slug === item)) return false;
      await accounts.setPlan(tenantId, item);
      await stores.renewals(queries).lapse(tenantId, "plan", nowMs); // this payment took its place
      return true;
    case "crm_bridge":
      if ((await accounts.find(tenantId)).crmBridge) return false;
      await accounts.setCrmBridge(tenantId, true);
      return true;
    case "retention": {
      const blocks = (await accounts.find(tenantId)).retentionBlocks + Number(item);
      if (blocks > RETENTION_BLOCKS_MAX) return false;
      await accounts.setRetentionBlocks(tenantId, blocks);
      return true;
    }
    default:
      return unreachable(checkout.kind);
  }
}

function ledgerKindOf(kind: Checkout["kind"]): LedgerKind {
  return kind === "crm_bridge" ? "add_on" : kind;
}

/** What was bought, for the ledger and the payer. */
export function noteOf(checkout: Pick<Checkout, "kind" | "item">): string {
  switch (checkout.kind) {
    case "topup":
      return checkout.item ? `Top-up (paid for: ${checkout.item})` : "Top-up";
    case "plan":
      return `Plan ${checkout.item}`;
    case "crm_bridge":
      return "CRM bridge, one month";
    case "retention":
      return `Transcript retention, ${checkout.item} × 30 days`;
    default:
      return unreachable(checkout.kind);
  }
}
