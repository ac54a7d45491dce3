/** Purchases end when their payment is refunded, and return with it: over real HTTP, with a fake Stripe. */
import { afterAll, afterEach, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { billingStores } from "../../src/features/billing/billing-stores.ts";
import { verifyLedger } from "../../src/features/billing/ledger.ts";
import { tenants } from "../../src/store/schema/index.ts";
import { type ApiTenant, ask, pick, startApiServer } from "../support/http/api-server.ts";
import { deliverEvent, startStripeServer } from "../support/net/stripe-server.ts";
import { tempDir } from "../support/temp-dir.ts";

const stripe = startStripeServer();
const api = await startApiServer({ directory: tempDir(), stripe: stripe.settings });
afterAll(async () => {
  await api.stop();
  await stripe.stop();
});
afterEach(async () => {
  expect(await verifyLedger(billingStores(api.database.read))).toEqual([]);
});

const deliver = async (event: object) => expect(await deliverEvent(api.base, event)).toBe(200);

async function buy(tenant: ApiTenant, order: object) {
  expect((await ask(api, tenant, "POST", "/checkout", order)).status).toBe(200);
  const session = stripe.newest();
  session.payment_status = "paid";
  await deliver(stripe.event("checkout.session.completed", session));
  return session;
}

interface Refund {
  id: string;
  amount: number;
  status: "succeeded" | "pending" | "failed";
}
let refunds = 0;

async function refund(
  session: { payment_intent: string },
  amount: number,
  status: Refund["status"] = "succeeded",
) {
  const made: Refund = { id: `re_item_${++refunds}`, amount, status };
  const all = [...(stripe.refunds.get(session.payment_intent) ?? []), made];
  stripe.refunds.set(session.payment_intent, all);
  const tell = () =>
    deliver(stripe.event("refund.updated", { ...made, payment_intent: session.payment_intent }));
  await tell();
  return {
    async turn(to: Refund["status"]) {
      made.status = to;
      await tell();
    },
  };
}

const stateOf = async (tenant: ApiTenant) => {
  const [row] = await api.database.read.select().from(tenants).where(eq(tenants.id, tenant.id));
  const balance = await ask(api, tenant, "GET", "/billing/balance");
  return {
    plan: row?.plan,
    bridge: row?.crmBridge,
    blocks: row?.retentionBlocks,
    minutesLeft: Number(pick(balance, "included_seconds_left")) / 60,
    balance: pick(balance, "balance_eur"),
  };
};

test("a refunded plan has no included minutes left, and can be bought again", async () => {
  const tenant = await api.tenant({ plan: "prepaid" });
  const session = await buy(tenant, { item: "plan", plan: "start" });
  const { minutesLeft } = await stateOf(tenant);
  expect(minutesLeft).toBeGreaterThan(0);
  await refund(session, session.amount_total - 100);
  expect(await stateOf(tenant)).toMatchObject({ minutesLeft }); // a partial refund ends nothing
  const rest = await refund(session, 100);
  for (let n = 0; n < 3; n++) await rest.turn("succeeded");
  expect(await stateOf(tenant)).toMatchObject({ plan: "start", minutesLeft: 0, balance: 0 });
  await buy(tenant, { item: "plan", plan: "start" });
  expect(await stateOf(tenant)).toMatchObject({ plan: "start", minutesLeft });
  const twice = await ask(api, tenant, "POST", "/checkout", { item: "plan", plan: "start" });
  expect(twice.status).toBe(409);
});

test("a failed refund restores the month's minutes, and a later refund removes them again", async () => {
  const tenant = await api.tenant({ plan: "prepaid" });
  const session = await buy(tenant, { item: "plan", plan: "start" });
  const { minutesLeft } = await stateOf(tenant);
  const first = await refund(session, session.amount_total, "pending");
  expect(await stateOf(tenant)).toMatchObject({ minutesLeft: 0 });
  await first.turn("failed");
  await first.turn("failed");
  expect(await stateOf(tenant)).toMatchObject({ minutesLeft });
  await refund(session, session.amount_total);
  expect(await stateOf(tenant)).toMatchObject({ minutesLeft: 0, balance: 0 });
});

test("a refunded CRM bridge is switched off; one bought again since belongs to another payment", async () => {
  const tenant = await api.tenant({ plan: "prepaid" });
  const first = await buy(tenant, { item: "crm_bridge" });
  const back = await refund(first, 7900, "pending");
  expect(await stateOf(tenant)).toMatchObject({ bridge: false });
  await buy(tenant, { item: "crm_bridge" });
  await back.turn("succeeded");
  expect(await stateOf(tenant)).toMatchObject({ bridge: true });
});

test("retention blocks stay while a refund or a dispute may still be undone", async () => {
  const tenant = await api.tenant({ plan: "prepaid" });
  await buy(tenant, { item: "retention", blocks: 1 });
  const session = await buy(tenant, { item: "retention", blocks: 3 });
  const back = await refund(session, 1500, "pending");
  expect(await stateOf(tenant)).toMatchObject({ blocks: 4 });
  await back.turn("succeeded");
  await back.turn("succeeded");
  expect(await stateOf(tenant)).toMatchObject({ blocks: 1 });
  await back.turn("failed");
  expect(await stateOf(tenant)).toMatchObject({ blocks: 4 });
});

test("a disputed add-on is off during the dispute, and on again when it is won", async () => {
  const tenant = await api.tenant({ plan: "prepaid" });
  const session = await buy(tenant, { item: "crm_bridge" });
  const dispute = {
    id: "dp_item",
    payment_intent: session.payment_intent,
    amount: 7900,
    status: "needs_response",
    balance_transactions: [] as { amount: number }[],
  };
  stripe.disputes.set(dispute.id, dispute);
  const told = () => deliver(stripe.event("charge.dispute.updated", { id: dispute.id }));
  await told();
  expect(await stateOf(tenant)).toMatchObject({ bridge: true }); // an inquiry moves no money
  dispute.balance_transactions.push({ amount: -7900 });
  for (let n = 0; n < 2; n++) await told();
  expect(await stateOf(tenant)).toMatchObject({ bridge: false });
  dispute.balance_transactions.push({ amount: 7900 });
  dispute.status = "won";
  for (let n = 0; n < 2; n++) await told();
  expect(await stateOf(tenant)).toMatchObject({ bridge: true, balance: 0 });
});

/** Two checkouts of the same are opened, then both are paid. */
async function paidTwice(item: object) {
  const tenant = await api.tenant({ plan: "prepaid" });
  const open = async () => {
    await ask(api, tenant, "POST", "/checkout", item);
    return stripe.newest();
  };
  const [first, second] = [await open(), await open()];
  for (const session of [first, second]) {
    session.payment_status = "paid";
    await deliver(stripe.event("checkout.session.completed", session));
  }
  return { tenant, first, second };
}

test("a plan paid twice is bought once; the second payment is wallet money", async () => {
  const { tenant, first, second } = await paidTwice({ item: "plan", plan: "start" });
  expect(await stateOf(tenant)).toMatchObject({
    plan: "start",
    balance: second.amount_total / 100,
  });
  // The first payment still belongs to the plan.
  await refund(first, first.amount_total);
  expect(await stateOf(tenant)).toMatchObject({ plan: "start", minutesLeft: 0 });
});

test("a bridge paid twice ends with the payment that bought it", async () => {
  const { tenant, first } = await paidTwice({ item: "crm_bridge" });
  await refund(first, 7900);
  expect(await stateOf(tenant)).toMatchObject({ bridge: false, balance: 79 });
});

test("a refund of the second payment changes only the wallet", async () => {
  const { tenant, second } = await paidTwice({ item: "crm_bridge" });
  await refund(second, 7900);
  expect(await stateOf(tenant)).toMatchObject({ bridge: true, balance: 0 });
});
