/**
 * Revokes a purchase when its whole payment is refunded or disputed:
 * - A plan's month loses its included minutes; calls continue at the overage price. The plan stays chosen: its
 *   next month is due as usual, and this month can be bought again. A later change of the plan does not keep the
 *   minutes, because its price deducted the payment.
 * - The CRM bridge is switched off, unless the wallet has paid for a later month since.
 * - Retention blocks are removed, and the data that only they kept is deleted. Because that cannot be undone,
 *   it waits until the refund or the dispute is final.
 * A failed refund and a won dispute restore everything. A partial refund revokes nothing.
 *
 * `syncEntitlement` gets the current status and applies the differences. The ledger records each step as a
 * transaction without entries, `withdrawn:<checkout>:<cause>:<n>` or `restored:…`. So a repeated report changes
 * nothing.
 */

import { startOfDay, wallClock } from "../../core/calendar.ts";
import { unreachable } from "../../core/errors.ts";
import { RETENTION_BLOCKS_MAX } from "./fulfilment.ts";
import { post } from "./ledger.ts";
import { monthIn } from "./plan-usage.ts";
import type { Books, Checkout } from "./stores.ts";

/** Status of a payment's chargeback for one cause: all its refunds, or one dispute. */
export interface ChargebackStatus {
  /** `refunds`, or the dispute's id. */
  readonly cause: string;
  /** True if it covers the whole payment and nothing was reversed. */
  readonly isWhole: boolean;
  /** True if it can no longer be reversed. */
  readonly isFinal: boolean;
}

/** Only for a checkout whose item was delivered, not for one that became wallet money. */
export async function syncEntitlement(
  books: Books,
  checkout: Checkout,
  { cause, isWhole, isFinal }: ChargebackStatus,
  nowMs: number,
): Promise<void> {
  if (checkout.kind === "topup") return;
  const ledger = books.ledger;
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
  await post(books, checkout.tenantId, transaction, []);
  await setEntitlement(books, checkout, shouldBeRevoked, nowMs);
}

async function setEntitlement(
  books: Books,
  checkout: Checkout,
  isRevoked: boolean,
  nowMs: number,
): Promise<void> {
  const { tenantId, kind, item, paidAt } = checkout;
  const { accounts, renewals } = books;
  const account = await accounts.find(tenantId);
  const month = monthIn(account.timeZone, paidAt ?? nowMs);
  switch (kind) {
    case "topup":
      return;
    case "plan":
      await setPlanMonth(books, checkout, account.timeZone, nowMs);
      return;
    case "crm_bridge":
      if (!(await isLatest(books, checkout))) return;
      if (isRevoked && (await renewals.isPaidAfter(tenantId, "crm_bridge", month))) return;
      await accounts.setCrmBridge(tenantId, !isRevoked);
      if (isRevoked) await renewals.lapse(tenantId, "crm_bridge", nowMs);
      return;
    case "retention": {
      const blocks = account.retentionBlocks + (isRevoked ? -Number(item) : Number(item));
      const bounded = Math.max(0, Math.min(RETENTION_BLOCKS_MAX, blocks));
      await accounts.setRetentionBlocks(tenantId, bounded);
      return;
    }
    default:
      unreachable(kind);
  }
}

async function setPlanMonth(
  books: Books,
  checkout: Checkout,
  timeZone: string,
  nowMs: number,
): Promise<void> {
  const { tenantId, item, paidAt } = checkout;
  const month = monthIn(timeZone, paidAt ?? nowMs);
  const state = await planMonthBy(books, checkout, timeZone);
  if (state === "paid") await books.renewals.restorePlanMonth(tenantId, month, nowMs);
  if (state === "revoked") await books.renewals.endPlanMonth(tenantId, month, item, nowMs);
}

/**
 * State of a payment's plan month. Changes of a plan deduct the earlier payments, so one revoked payment revokes
 * all of them. A purchase of a revoked month is a full payment and starts again.
 */
async function planMonthBy(
  { ledger }: Books,
  { id, tenantId, paidAt }: Checkout,
  timeZone: string,
): Promise<"paid" | "revoked" | "bought again"> {
  if (paidAt === null) throw new Error("a payment was expected");
  const { year, month } = wallClock(timeZone, paidAt);
  const monthStart = startOfDay(timeZone, { year, month, day: 1 });
  const payments = new Set<string>();
  const revoked = new Set<string>();
  for (const key of await ledger.planKeysSince(tenantId, monthStart)) {
    const [event, checkoutId = "", cause] = key.split(":");
    const revocation = `${checkoutId}:${cause}`;
    if (event === "checkout") {
      if (revoked.size > 0) payments.clear();
      revoked.clear();
      payments.add(checkoutId);
    } else if (event === "withdrawn" && payments.has(checkoutId)) revoked.add(revocation);
    else if (event === "restored") revoked.delete(revocation);
  }
  if (!payments.has(id)) return "bought again";
  return revoked.size > 0 ? "revoked" : "paid";
}

/** True if no item of this kind was bought later. */
async function isLatest(books: Books, { tenantId, kind, paidAt }: Checkout): Promise<boolean> {
  const last = await books.checkouts.lastPaidAt(tenantId, kind);
  return last === null || last <= (paidAt ?? last);
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
