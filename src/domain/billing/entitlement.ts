/**
 * What becomes of what was bought when its whole payment is taken back (refunded, or disputed):
 * - a plan: the month it was paid for has no included minutes any more; calls go on at the price beyond
 *   the plan, from the wallet. The plan stays chosen: its next month is due as ever, and it can be
 *   bought again for this one.
 * - the CRM bridge is switched off, unless the wallet has paid for a later month since.
 * - retention blocks go, and with them what only they kept. That cannot be undone, so it waits until the
 *   taking back is final: a pending refund or an open dispute leaves them.
 * A refund that fails and a dispute that is won bring everything back. A part of a payment takes nothing.
 *
 * Told by level, not by event: `syncItem` is given how it stands now and changes what differs. What was
 * done stands in the ledger as transactions without entries, `withdrawn:<checkout>:<cause>:<n>` and
 * `restored:…`, so that it happens once however often it is reported.
 */

import type { Queries } from "../../core/database.ts";
import { unreachable } from "../../core/errors.ts";
import { RETENTION_BLOCKS_MAX } from "./fulfilment.ts";
import { post } from "./ledger.ts";
import { monthIn } from "./plan-usage.ts";
import type { BillingStores, Checkout } from "./stores.ts";

/** How the taking back of a payment stands, by one cause: its refunds together, or one dispute. */
export interface ChargebackStatus {
  /** `refunds`, or the dispute's id. */
  readonly cause: string;
  /** Of the whole payment, and nothing has been given back. */
  readonly isWhole: boolean;
  /** It will not be given back any more. */
  readonly isFinal: boolean;
}

/** Only for a checkout whose item was delivered: what became wallet money instead has no item. */
export async function syncEntitlement(
  stores: BillingStores,
  queries: Queries,
  checkout: Checkout,
  { cause, isWhole, isFinal }: ChargebackStatus,
  nowMs: number,
): Promise<void> {
  if (checkout.kind === "topup") return;
  const ledger = stores.ledger(queries);
  const about = `${checkout.id}:${cause}`;
  const has = (what: string, n: number) =>
    ledger.hasKey(checkout.tenantId, `${what}:${about}:${n}`);
  let times = 0;
  while (await has("withdrawn", times + 1)) times++;
  const isRevoked = times > 0 && !(await has("restored", times));
  const shouldBeRevoked = isWhole && (isFinal || checkout.kind !== "retention" || isRevoked);
  if (shouldBeRevoked === isRevoked) return;
  const transaction = {
    key: shouldBeRevoked ? `withdrawn:${about}:${times + 1}` : `restored:${about}:${times}`,
    kind: "refund",
    note: `${labelOf(checkout)} ${shouldBeRevoked ? "ended: its payment was taken back" : "is back"}`,
    createdAt: nowMs,
  } as const;
  await post(stores, queries, checkout.tenantId, transaction, []);
  if (shouldBeRevoked) await revokeEntitlement(stores, queries, checkout, nowMs);
  else await restoreEntitlement(stores, queries, checkout, nowMs);
}

async function revokeEntitlement(
  stores: BillingStores,
  queries: Queries,
  checkout: Checkout,
  nowMs: number,
): Promise<void> {
  const { tenantId, kind, item } = checkout;
  const accounts = stores.accounts(queries);
  const account = await accounts.find(tenantId);
  switch (kind) {
    case "topup":
      return;
    case "plan": {
      const month = monthIn(account.timeZone, checkout.paidAt ?? nowMs);
      if (await isLatest(stores, queries, checkout))
        await stores.renewals(queries).endPlanMonth(tenantId, month, item, nowMs);
      return;
    }
    case "crm_bridge": {
      const month = monthIn(account.timeZone, checkout.paidAt ?? nowMs);
      const renewals = stores.renewals(queries);
      if (!(await isLatest(stores, queries, checkout))) return;
      if (await renewals.isPaidAfter(tenantId, "crm_bridge", month)) return;
      await accounts.setCrmBridge(tenantId, false);
      await renewals.lapse(tenantId, "crm_bridge", nowMs);
      return;
    }
    case "retention":
      await accounts.setRetentionBlocks(
        tenantId,
        Math.max(0, account.retentionBlocks - Number(item)),
      );
      return;
    default:
      unreachable(kind);
  }
}

async function restoreEntitlement(
  stores: BillingStores,
  queries: Queries,
  checkout: Checkout,
  nowMs: number,
): Promise<void> {
  const { tenantId, kind, item } = checkout;
  const accounts = stores.accounts(queries);
  const account = await accounts.find(tenantId);
  switch (kind) {
    case "topup":
      return;
    case "plan": {
      const month = monthIn(account.timeZone, checkout.paidAt ?? nowMs);
      await stores.renewals(queries).restorePlanMonth(tenantId, month, nowMs);
      return;
    }
    case "crm_bridge":
      if (await isLatest(stores, queries, checkout)) await accounts.setCrmBridge(tenantId, true);
      return;
    case "retention":
      await accounts.setRetentionBlocks(
        tenantId,
        Math.min(RETENTION_BLOCKS_MAX, account.retentionBlocks + Number(item)),
      );
      return;
    default:
      unreachable(kind);
  }
}

/** Nothing of the kind was bought after it. */
async function isLatest(
  stores: BillingStores,
  queries: Queries,
  { tenantId, kind, paidAt }: Checkout,
): Promise<boolean> {
  const last = await stores.checkouts(queries).lastPaidAt(tenantId, kind);
  return paidAt === null || last === null || last <= paidAt;
}

function labelOf({ kind, item }: Pick<Checkout, "kind" | "item">): string {
  switch (kind) {
    case "topup":
      return "Top-up";
    case "plan":
      return `The month of plan ${item}`;
    case "crm_bridge":
      return "The CRM bridge";
    case "retention":
      return `Transcript retention, ${item} × 30 days,`;
    default:
      return unreachable(kind);
  }
}
