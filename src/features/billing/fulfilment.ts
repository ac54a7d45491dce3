/**
 * Fulfils a paid checkout: books the payment and delivers the item. Runs in the transaction that marks the
 * checkout as paid.
 */

import { unreachable } from "../../core/errors.ts";
import { payDebt } from "./chargeback.ts";
import { move, post } from "./ledger.ts";
import type { PaymentProvider } from "./payment-provider.ts";
import { deliverPlan } from "./plan-purchase.ts";
import type { Plan } from "./ports.ts";
import type { Books, Checkout, LedgerKind } from "./stores.ts";

/** Maximum blocks: with the free 30 days, five blocks of 30 days make 6 months. */
export const RETENTION_BLOCKS_MAX = 5;
const RETENTION_DAYS_MAX = 180;
const BLOCK_DAYS = 30;

/**
 * Days that a tenant with `blocks` keeps its transcripts, and how many more blocks fit into 180 days.
 * `transcriptsDays`: free days of the appliance.
 */
export function retentionOf(blocks: number, transcriptsDays = 30) {
  const most = Math.floor((RETENTION_DAYS_MAX - transcriptsDays) / BLOCK_DAYS);
  const paid = Math.min(transcriptsDays + BLOCK_DAYS * blocks, RETENTION_DAYS_MAX);
  return {
    days: Math.max(transcriptsDays, paid),
    blocksLeft: Math.max(0, Math.min(RETENTION_BLOCKS_MAX, most) - blocks),
  };
}

/**
 * Books the payment with the key `checkout:<id>`. A top-up belongs to the tenant; any other payment is revenue.
 */
export async function bookPayment(books: Books, checkout: Checkout, paidAt: number): Promise<void> {
  const transaction = {
    key: `checkout:${checkout.id}`,
    kind: ledgerKindOf(checkout.kind),
    note: noteOf(checkout),
    createdAt: paidAt,
  };
  const account = checkout.kind === "topup" ? "wallet" : "revenue";
  const entries = move("payments", account, checkout.amount);
  await post(books, checkout.tenantId, transaction, entries);
  if (account === "wallet") await payDebt(books, checkout.tenantId, transaction.key, paidAt);
}

/** The payment as a top-up, for an item that can no longer be delivered. */
export const asWalletMoney = (checkout: Checkout): Checkout => ({
  ...checkout,
  kind: "topup",
  item: noteOf(checkout),
});

/** Returns false and changes nothing if the item can no longer be delivered. */
export async function deliverItem(
  books: Books,
  checkout: Checkout,
  {
    plans,
    provider,
    transcriptsDays,
  }: {
    readonly plans: readonly Plan[];
    readonly provider: Pick<PaymentProvider, "amountMin">;
    readonly transcriptsDays?: number;
  },
  nowMs: number,
): Promise<boolean> {
  const accounts = books.accounts;
  const { tenantId, item } = checkout;
  switch (checkout.kind) {
    case "topup":
      return true;
    case "plan":
      return deliverPlan(books, checkout, { plans, amountMin: provider.amountMin }, nowMs);
    case "crm_bridge":
      if ((await accounts.find(tenantId)).crmBridge) return false;
      await accounts.setCrmBridge(tenantId, true);
      return true;
    case "retention": {
      const { retentionBlocks } = await accounts.find(tenantId);
      if (Number(item) > retentionOf(retentionBlocks, transcriptsDays).blocksLeft) return false;
      await accounts.setRetentionBlocks(tenantId, retentionBlocks + Number(item));
      return true;
    }
    default:
      return unreachable(checkout.kind);
  }
}

function ledgerKindOf(kind: Checkout["kind"]): LedgerKind {
  return kind === "crm_bridge" ? "add_on" : kind;
}

/** Text of the item, for the ledger and the payer. */
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
