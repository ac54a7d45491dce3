/** A refunded payment: the wallet pays what it can, and the next money pays the remaining debt first. */
import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { microEur } from "../../../src/core/money.ts";
import { billingStores } from "../../../src/features/billing/billing-stores.ts";
import { bookChargeback, reverseChargeback } from "../../../src/features/billing/chargeback.ts";
import { move, post } from "../../../src/features/billing/ledger.ts";
import type { Checkout } from "../../../src/features/billing/stores.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { insertTenant } from "../../support/store/stored-rows.ts";
import { openTestDatabase } from "../../support/store/test-store.ts";
import { tempDir } from "../../support/temp-dir.ts";

const clock = fakeClock();
const database = await openTestDatabase(join(tempDir(), "main.db"), clock.now());
afterAll(() => database.close());

const EURO = 1_000_000;

/** A refunded top-up of 20 EUR, of which 15 were spent. */
async function refundedTopUp() {
  const tenantId = await insertTenant(database);
  const checkout = { id: `chk_${tenantId}`, tenantId, kind: "topup" } as Checkout;
  const amount = microEur(20 * EURO);
  const refund = { checkout, key: `refund:${tenantId}`, amount, note: "", nowMs: clock.now() };
  await database.tx(async (queries) => {
    const books = billingStores(queries);
    const at = { note: "", createdAt: clock.now() };
    const spent = microEur(15 * EURO);
    await post(
      ...([books, tenantId, { key: `topup:${tenantId}`, kind: "topup", ...at }] as const),
      move("payments", "wallet", amount),
    );
    await post(
      ...([books, tenantId, { key: `spent:${tenantId}`, kind: "charge", ...at }] as const),
      move("wallet", "revenue", spent),
    );
  });
  const owns = async () => {
    const { ledger } = billingStores(database.read);
    const sums = ["wallet", "receivable", "payments"] as const;
    return await Promise.all(
      sums.map(async (account) => (await ledger.sumOf(tenantId, account)) / EURO),
    );
  };
  const take = () => database.tx((queries) => bookChargeback(billingStores(queries), refund));
  const giveBack = () =>
    database.tx((queries) => reverseChargeback(billingStores(queries), refund));
  return { owns, take, giveBack };
}

test("a refund takes the wallet's money once, and the rest becomes a debt", async () => {
  const { owns, take } = await refundedTopUp();
  expect(await owns()).toEqual([5, 0, -20]);
  await take();
  await take();
  expect(await owns()).toEqual([0, -15, 0]);
});

test("a failed refund pays the debt at once, and only once", async () => {
  const { owns, take, giveBack } = await refundedTopUp();
  await giveBack();
  expect(await owns()).toEqual([5, 0, -20]);
  await take();
  await giveBack();
  expect(await owns()).toEqual([5, 0, -20]);
  await giveBack();
  expect(await owns()).toEqual([5, 0, -20]);
});

test("a refunded plan is taken from the revenue, not from the wallet, and a failed refund returns it", async () => {
  const tenantId = await insertTenant(database);
  const checkout = { id: `chk_${tenantId}`, tenantId, kind: "plan" } as Checkout;
  const amount = microEur(19 * EURO);
  const refund = { checkout, key: `refund:${tenantId}`, amount, note: "", nowMs: clock.now() };
  const sums = async () => {
    const { ledger } = billingStores(database.read);
    const accounts = ["wallet", "revenue", "payments"] as const;
    return Promise.all(accounts.map(async (name) => (await ledger.sumOf(tenantId, name)) / EURO));
  };
  await database.tx(async (queries) => {
    const paid = { key: `checkout:${checkout.id}`, kind: "plan", note: "", createdAt: 0 } as const;
    await post(billingStores(queries), tenantId, paid, move("payments", "revenue", amount));
  });
  expect(await sums()).toEqual([0, 19, -19]);
  await database.tx((queries) => bookChargeback(billingStores(queries), refund));
  expect(await sums()).toEqual([0, 0, 0]);
  await database.tx((queries) => reverseChargeback(billingStores(queries), refund));
  expect(await sums()).toEqual([0, 19, -19]);
});
