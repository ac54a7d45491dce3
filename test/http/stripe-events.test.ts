/**
 * Stripe's events in unusual conditions: signatures to the second, every order and all at once, disputes first.
 */
import { afterAll, afterEach, expect, test } from "bun:test";
import { seededRandom } from "../../src/core/random.ts";
import { billingStores } from "../../src/features/billing/billing-stores.ts";
import { verifyLedger } from "../../src/features/billing/ledger.ts";
import { fakeClock } from "../support/fake-clock.ts";
import { type ApiTenant, ask, pick, startApiServer } from "../support/http/api-server.ts";
import { deliverEvent, startStripeServer, stripeSignature } from "../support/net/stripe-server.ts";
import { tempDir } from "../support/temp-dir.ts";

const NOW_SEC = Date.parse("2026-11-21T12:00:00Z") / 1000;
const ORDERS = 12;
const COPIES = 10;

const stripe = startStripeServer();
const clock = fakeClock(NOW_SEC * 1000);
const api = await startApiServer({ directory: tempDir(), stripe: stripe.settings, clock });
afterAll(async () => {
  await api.stop();
  await stripe.stop();
});
afterEach(async () => {
  expect(await verifyLedger(billingStores(api.database.read))).toEqual([]);
});

const signed = (event: object, atSeconds = NOW_SEC) => deliverEvent(api.base, event, { atSeconds });

async function balanceOf(tenant: ApiTenant): Promise<unknown> {
  return pick(await ask(api, tenant, "GET", "/billing/balance"), "balance_eur");
}

async function paidSession(eur: number) {
  const tenant = await api.tenant({ plan: "prepaid" });
  expect((await ask(api, tenant, "POST", "/topup", { amount_eur: eur })).status).toBe(200);
  const session = stripe.newest();
  session.payment_status = "paid";
  return { tenant, session };
}

const completed = (session: object) => stripe.event("checkout.session.completed", session);

test.each([
  [299, 200],
  [300, 200],
  [301, 400],
  [3_600, 400],
  [0, 200],
])("a signature %d seconds old is answered %d", async (ageSec, status) => {
  const { tenant, session } = await paidSession(10);
  expect(await signed(completed(session), NOW_SEC - ageSec)).toBe(status);
  expect(await balanceOf(tenant)).toBe(status === 200 ? 10 : 0);
});

test("a signature with another time than its own is refused", async () => {
  const { tenant, session } = await paidSession(10);
  const event = completed(session);
  const body = JSON.stringify(event);
  const old = stripeSignature(body, { atSeconds: NOW_SEC - 400 });
  const renewed = old.replace(/^t=\d+/, `t=${NOW_SEC}`);
  expect(await deliverEvent(api.base, event, { signature: renewed })).toBe(400);
  expect(await balanceOf(tenant)).toBe(0);
});

/** Another order for each seed. */
function shuffled<Item>(items: readonly Item[], seed: number): Item[] {
  const random = seededRandom(seed);
  const order = items.map((item) => ({ item, at: random.float() }));
  return order.sort((left, right) => left.at - right.at).map(({ item }) => item);
}

test("payment, refund and dispute have the same result in any order, ten times each and all at once", async () => {
  for (let seed = 1; seed <= ORDERS; seed++) {
    const { tenant, session } = await paidSession(50);
    const refund = { id: `re_order_${seed}`, amount: 1000, status: "succeeded" as const };
    stripe.refunds.set(session.payment_intent, [refund]);
    const dispute = {
      id: `dp_order_${seed}`,
      payment_intent: session.payment_intent,
      amount: 1500,
      status: "needs_response",
      balance_transactions: [{ amount: -1500 }],
    };
    stripe.disputes.set(dispute.id, dispute);
    const events = [
      completed(session),
      stripe.event("checkout.session.async_payment_succeeded", session),
      stripe.event("refund.created", { ...refund, payment_intent: session.payment_intent }),
      stripe.event("charge.refunded", { id: `ch_${seed}`, payment_intent: session.payment_intent }),
      stripe.event("charge.dispute.created", { id: dispute.id }),
      stripe.event("charge.dispute.funds_withdrawn", { id: dispute.id }),
    ];
    const copies = Array.from({ length: COPIES }, () => events).flat();
    const answers = await Promise.all(shuffled(copies, seed).map((event) => signed(event)));
    expect([seed, new Set(answers)]).toEqual([seed, new Set([200])]);
    expect([seed, await balanceOf(tenant)]).toEqual([seed, 25]);
  }
});

test("a dispute reported before its payment is booked with it, and undone when it is won", async () => {
  const { tenant, session } = await paidSession(30);
  const dispute = {
    id: "dp_first",
    payment_intent: session.payment_intent,
    amount: 3000,
    status: "needs_response",
    balance_transactions: [{ amount: -3000 }],
  };
  stripe.disputes.set(dispute.id, dispute);
  expect(await signed(stripe.event("charge.dispute.funds_withdrawn", { id: dispute.id }))).toBe(
    200,
  );
  expect(await balanceOf(tenant)).toBe(0);
  expect(await signed(completed(session))).toBe(200);
  expect(await balanceOf(tenant)).toBe(0);
  dispute.status = "won";
  dispute.balance_transactions.push({ amount: 3000 });
  // The earlier report comes once more, late: its data is fetched again.
  for (const type of ["charge.dispute.closed", "charge.dispute.funds_withdrawn"])
    expect(await signed(stripe.event(type, { id: dispute.id }))).toBe(200);
  expect(await balanceOf(tenant)).toBe(30);
});
