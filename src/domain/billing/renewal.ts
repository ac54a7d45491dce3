/**
 * Monthly renewal: on the first day of a calendar month in the tenant's zone the wallet pays the
 * plan and the CRM bridge. The `renewals` rows decide, one a tenant, month and item; a round only
 * looks. Each is charged once (ledger key `renewal:<tenant>:<month>:<item>`), whatever crashes.
 *
 * Rules, and why:
 * - The month in which a tenant is made is free of charge, whole months follow: nothing to divide,
 *   and nobody pays for days before the start. A plan bought by checkout is paid in full at once,
 *   whatever the day, because its minutes are given in full at once; so its month is not charged again.
 * - The CRM bridge is sold by time. Bought on the d-th, the d − 1 days that its paid month reaches
 *   into the next one are taken off the first renewal.
 * - A wallet that cannot pay is never driven below zero and nobody is locked out: without payment
 *   the month has no included minutes, calls go on at the overage price from what is left. The
 *   renewal is tried again every round, so that a top-up brings the minutes back at once; a month
 *   that passed unpaid is not owed. The bridge stays on for 7 days of grace, then goes off.
 * - Money that live calls hold is not free to pay with. Suspended tenants are not charged.
 */

import { daysInMonth, wallClock } from "../../core/calendar.ts";
import type { Clock } from "../../core/clock.ts";
import type { Database, Queries } from "../../core/database.ts";
import { describeError } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import { type MicroEur, microEur } from "../../core/money.ts";
import type { MailQueue } from "../mail/mail-queue.ts";
import { CRM_BRIDGE_PRICE } from "./checkout.ts";
import { freeMoney } from "./funds.ts";
import { move, post } from "./ledger.ts";
import { bridgeOffMail, renewalUnpaidMail } from "./notices.ts";
import { monthIn } from "./plan-usage.ts";
import type { Plan } from "./ports.ts";
import type { BillingStores, Renewal, RenewingTenant } from "./stores.ts";

export interface RenewalOptions {
  readonly database: Database;
  readonly stores: BillingStores;
  /** From the configuration; at least one. */
  readonly plans: readonly Plan[];
  readonly mails: Pick<MailQueue, "enqueue" | "wake">;
  readonly clock: Clock;
  readonly log: Log;
}

const BRIDGE_GRACE_MS = 7 * 24 * 60 * 60 * 1000;

/** One round over all tenants: begins months, pays what is due. One tenant's failure is logged. */
export async function renewMonths(options: RenewalOptions): Promise<void> {
  const { database, stores, clock, log } = options;
  const nowMs = clock.now();
  const runIsolated = async (tenantId: number, step: (queries: Queries) => Promise<void>) => {
    try {
      await database.tx(step);
    } catch (error) {
      log.error("renewal.failed", { tenant: tenantId, error: describeError(error) });
    }
  };
  for (const zone of await stores.renewals(database.read).timeZones()) {
    const month = monthIn(zone, nowMs);
    for (const tenant of await stores.renewals(database.read).withoutMonth(zone, month))
      await runIsolated(tenant.id, (queries) => beginMonth(options, queries, tenant, month));
  }
  for (const { tenant, renewal } of await stores.renewals(database.read).due())
    await runIsolated(tenant.id, (queries) => settleDue(options, queries, tenant, renewal));
  options.mails.wake();
}

async function beginMonth(
  { stores, plans, mails, clock }: RenewalOptions,
  queries: Queries,
  tenant: RenewingTenant,
  month: string,
): Promise<void> {
  const records = stores.renewals(queries);
  const createdAt = clock.now();
  const isFirst = monthIn(tenant.timeZone, tenant.createdAt) >= month;
  const plan = plans.find((found) => found.slug === tenant.planSlug) ?? plans[0];
  const unpaid: Renewal[] = [];
  const begin = async (item: Renewal["item"], amount: MicroEur) => {
    const base = { month, item, plan: item === "plan" ? tenant.planSlug : null, createdAt };
    const due: Renewal = { ...base, amount, status: "due", settledAt: null };
    if (!(await records.insert(tenant.id, due))) return;
    if (!(await pay(stores, queries, tenant.id, due, createdAt))) unpaid.push(due);
  };
  const isPlanFree = isFirst || (await boughtIn(stores, queries, tenant, "plan")) === month;
  await begin("plan", isPlanFree ? microEur(0) : (plan?.pricePerMonth ?? microEur(0)));
  if (tenant.crmBridge)
    await begin(
      "crm_bridge",
      isFirst ? microEur(0) : await bridgePrice(stores, queries, tenant, month),
    );
  if (unpaid.length > 0) {
    const free = await freeMoney(stores, queries, tenant.id);
    await mails.enqueue(queries, tenant.id, renewalUnpaidMail(tenant, month, unpaid, free));
  }
}

async function settleDue(
  { stores, mails, clock }: RenewalOptions,
  queries: Queries,
  tenant: RenewingTenant,
  renewal: Renewal,
): Promise<void> {
  const records = stores.renewals(queries);
  const nowMs = clock.now();
  const { month, item } = renewal;
  const isPast = month < monthIn(tenant.timeZone, nowMs);
  const graceIsOver = item === "crm_bridge" && nowMs - renewal.createdAt > BRIDGE_GRACE_MS;
  if (!isPast && (tenant.suspended || (await pay(stores, queries, tenant.id, renewal, nowMs))))
    return;
  if (!isPast && !graceIsOver) return;
  if (!(await records.settle(tenant.id, month, item, "lapsed", nowMs))) return;
  if (item !== "crm_bridge" || !tenant.crmBridge) return;
  await stores.accounts(queries).setCrmBridge(tenant.id, false);
  await mails.enqueue(queries, tenant.id, bridgeOffMail(tenant, month));
}

/** False, and nothing changed, when the free money of the wallet does not reach. */
async function pay(
  stores: BillingStores,
  queries: Queries,
  tenantId: number,
  { month, item, plan, amount }: Renewal,
  nowMs: number,
): Promise<boolean> {
  if (amount > 0 && (await freeMoney(stores, queries, tenantId)) < amount) return false;
  if (!(await stores.renewals(queries).settle(tenantId, month, item, "paid", nowMs))) return false;
  if (amount === 0) return true;
  const transaction = {
    key: `renewal:${tenantId}:${month}:${item}`,
    kind: item === "plan" ? "plan" : "add_on",
    note: item === "plan" ? `Plan ${plan}, ${month}` : `CRM bridge, ${month}`,
    createdAt: nowMs,
  } as const;
  await post(stores, queries, tenantId, transaction, move("wallet", "revenue", amount));
  return true;
}

/** The month of the last paid checkout of this kind, in the tenant's zone. */
async function boughtIn(
  stores: BillingStores,
  queries: Queries,
  tenant: RenewingTenant,
  kind: "plan" | "crm_bridge",
): Promise<string | null> {
  const paidAt = await stores.checkouts(queries).lastPaidAt(tenant.id, kind);
  return paidAt === null ? null : monthIn(tenant.timeZone, paidAt);
}

async function bridgePrice(
  stores: BillingStores,
  queries: Queries,
  tenant: RenewingTenant,
  month: string,
): Promise<MicroEur> {
  const paidAt = await stores.checkouts(queries).lastPaidAt(tenant.id, "crm_bridge");
  if (paidAt === null) return CRM_BRIDGE_PRICE;
  const bought = wallClock(tenant.timeZone, paidAt);
  const boughtMonth = monthIn(tenant.timeZone, paidAt);
  if (boughtMonth >= month) return microEur(0);
  if (boughtMonth !== monthBefore(month)) return CRM_BRIDGE_PRICE;
  return firstBridgeRenewal(bought.day, daysInMonth(bought.year, bought.month));
}

/** Exact, then rounded half up to a micro-euro once. `day`: on which the paid month began. */
export function firstBridgeRenewal(day: number, daysOfMonth: number): MicroEur {
  const charged = BigInt(CRM_BRIDGE_PRICE) * BigInt(daysOfMonth - day + 1);
  const days = BigInt(daysOfMonth);
  return microEur(Number((2n * charged + days) / (2n * days)));
}

/** `2026-01` → `2025-12` */
export function monthBefore(month: string): string {
  const [year = 0, number = 1] = month.split("-").map(Number);
  return number === 1 ? `${year - 1}-12` : `${year}-${String(number - 1).padStart(2, "0")}`;
}
