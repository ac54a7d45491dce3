/**
 * Monthly renewal: when a calendar month begins in the tenant's zone, the wallet pays the plan and the CRM
 * bridge. Each tenant, month and item has a row in `renewals` and is charged once, even after a crash (ledger
 * key `renewal:<tenant>:<month>:<item>`).
 *
 * Rules:
 * - The month in which a tenant is created is free. Whole months follow. A plan bought by checkout is paid for
 *   the rest of the month (plan-purchase.ts); that month is not charged again.
 * - The CRM bridge is sold by time. If it was bought on the d-th, its paid month covers d − 1 days of the next
 *   one: they are deducted from the first renewal.
 * - Renewal never makes the wallet negative and locks nobody out. An unpaid month has no included minutes;
 *   calls continue at the overage price. Every round tries again, so that a top-up brings the minutes back at
 *   once. A month that ended unpaid is not owed. The bridge stays on for 7 days and is then switched off.
 * - Money held by live calls cannot pay. Suspended tenants are not charged.
 */

import { daysInMonth, wallClock } from "../../core/calendar.ts";
import type { Clock, ClockTrust } from "../../core/clock.ts";
import type { Database, Queries } from "../../core/database.ts";
import { describeError } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import { type MicroEur, microEur, shareOf } from "../../core/money.ts";
import type { MailQueue } from "../mail/mail-queue.ts";
import { freeMoney } from "./available-funds.ts";
import { CRM_BRIDGE_PRICE } from "./checkout.ts";
import { move, post } from "./ledger.ts";
import { bridgeOffMail, renewalUnpaidMail } from "./notices.ts";
import { monthIn } from "./plan-usage.ts";
import type { Plan } from "./ports.ts";
import type { BillingStores, Books, Renewal, RenewingTenant } from "./stores.ts";

export interface RenewalOptions {
  readonly database: Database;
  readonly stores: BillingStores;
  /** From the configuration; at least one. */
  readonly plans: readonly Plan[];
  readonly mails: Pick<MailQueue, "enqueue" | "wake">;
  readonly clock: Clock;
  readonly trust?: Pick<ClockTrust, "isTrusted">;
  readonly log: Log;
}

const BRIDGE_GRACE_MS = 7 * 24 * 60 * 60 * 1000;

/** Creates new months and pays due ones, for all tenants. If one tenant fails, the error is only logged. */
export async function renewMonths(options: RenewalOptions): Promise<void> {
  const { database, stores, clock, log } = options;
  const { renewals } = stores(database.read);
  const nowMs = clock.now();
  if (options.trust?.isTrusted() === false) return;
  const runIsolated = async (tenantId: number, step: (queries: Queries) => Promise<void>) => {
    try {
      await database.tx(step);
    } catch (error) {
      log.error("renewal.failed", { tenant: tenantId, error: describeError(error) });
    }
  };
  for (const zone of await renewals.timeZones()) {
    const month = monthIn(zone, nowMs);
    for (const tenant of await renewals.withoutMonth(zone, month))
      await runIsolated(tenant.id, (queries) => beginMonth(options, queries, tenant, month));
  }
  for (const { tenant, renewal } of await renewals.due())
    await runIsolated(tenant.id, (queries) => settleDue(options, queries, tenant, renewal));
  options.mails.wake();
}

async function beginMonth(
  { stores, plans, mails, clock }: RenewalOptions,
  queries: Queries,
  tenant: RenewingTenant,
  month: string,
): Promise<void> {
  const books = stores(queries);
  const createdAt = clock.now();
  const isFirst = monthIn(tenant.timeZone, tenant.createdAt) >= month;
  const plan = plans.find((found) => found.slug === tenant.planSlug) ?? plans[0];
  const unpaid: Renewal[] = [];
  const begin = async (
    item: Renewal["item"],
    amount: MicroEur,
    status = "due" as Renewal["status"],
  ) => {
    const base = { month, item, plan: item === "plan" ? tenant.planSlug : null, createdAt };
    const due: Renewal = { ...base, amount, status, settledAt: null };
    if (!(await books.renewals.insert(tenant.id, due)) || status !== "due") return;
    if (!(await pay(books, tenant.id, due, createdAt))) unpaid.push(due);
  };
  const price = plan?.pricePerMonth ?? microEur(0);
  const isBought = (await boughtIn(books, tenant, "plan")) === month;
  if (isBought) await begin("plan", price, "lapsed");
  else await begin("plan", isFirst ? microEur(0) : price);
  if (tenant.crmBridge)
    await begin("crm_bridge", isFirst ? microEur(0) : await bridgePrice(books, tenant, month));
  if (unpaid.length > 0) {
    const free = await freeMoney(books, tenant.id);
    await mails.enqueue(queries, tenant.id, renewalUnpaidMail(tenant, month, unpaid, free));
  }
}

async function settleDue(
  { stores, mails, clock }: RenewalOptions,
  queries: Queries,
  tenant: RenewingTenant,
  renewal: Renewal,
): Promise<void> {
  const books = stores(queries);
  const nowMs = clock.now();
  const { month, item } = renewal;
  const isPast = month < monthIn(tenant.timeZone, nowMs);
  const graceIsOver = item === "crm_bridge" && nowMs - renewal.createdAt > BRIDGE_GRACE_MS;
  if (!isPast && (tenant.suspended || (await pay(books, tenant.id, renewal, nowMs)))) return;
  if (!isPast && !graceIsOver) return;
  if (!(await books.renewals.settle(tenant.id, month, item, "unpaid", nowMs))) return;
  if (item !== "crm_bridge" || !tenant.crmBridge) return;
  await books.accounts.setCrmBridge(tenant.id, false);
  await mails.enqueue(queries, tenant.id, bridgeOffMail(tenant, month));
}

/** Returns false and changes nothing if the wallet has too little free money. */
async function pay(
  books: Books,
  tenantId: number,
  { month, item, plan, amount }: Renewal,
  nowMs: number,
): Promise<boolean> {
  if (amount > 0 && (await freeMoney(books, tenantId)) < amount) return false;
  if (!(await books.renewals.settle(tenantId, month, item, "paid", nowMs))) return false;
  if (amount === 0) return true;
  const transaction = {
    key: `renewal:${tenantId}:${month}:${item}`,
    kind: item === "plan" ? "plan" : "add_on",
    note: item === "plan" ? `Plan ${plan}, ${month}` : `CRM bridge, ${month}`,
    createdAt: nowMs,
  } as const;
  await post(books, tenantId, transaction, move("wallet", "revenue", amount));
  return true;
}

/** The month of the last paid checkout of this kind, in the tenant's zone. */
async function boughtIn(
  books: Books,
  tenant: RenewingTenant,
  kind: "plan" | "crm_bridge",
): Promise<string | null> {
  const paidAt = await books.checkouts.lastPaidAt(tenant.id, kind);
  return paidAt === null ? null : monthIn(tenant.timeZone, paidAt);
}

async function bridgePrice(books: Books, tenant: RenewingTenant, month: string): Promise<MicroEur> {
  const paidAt = await books.checkouts.lastPaidAt(tenant.id, "crm_bridge");
  if (paidAt === null) return CRM_BRIDGE_PRICE;
  const bought = wallClock(tenant.timeZone, paidAt);
  const boughtMonth = monthIn(tenant.timeZone, paidAt);
  if (boughtMonth >= month) return microEur(0);
  if (boughtMonth !== monthBefore(month)) return CRM_BRIDGE_PRICE;
  return firstBridgeRenewal(bought.day, daysInMonth(bought.year, bought.month));
}

/** Exact, then rounded half up to a micro-euro. `day`: day of the month of the purchase. */
export const firstBridgeRenewal = (day: number, daysOfMonth: number): MicroEur =>
  microEur(shareOf(CRM_BRIDGE_PRICE, daysOfMonth - day + 1, daysOfMonth));

/** `2026-01` → `2025-12` */
export function monthBefore(month: string): string {
  const [year = 0, number = 1] = month.split("-").map(Number);
  return number === 1 ? `${year - 1}-12` : `${year}-${String(number - 1).padStart(2, "0")}`;
}
