/** Payments through Stripe: the real client and server, with a fake Stripe on loopback. */
import { afterAll, afterEach, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { systemClock } from "../../src/core/clock.ts";
import { microEur } from "../../src/core/money.ts";
import { billingStores } from "../../src/features/billing/billing-stores.ts";
import { verifyLedger } from "../../src/features/billing/ledger.ts";
import { serverOf } from "../../src/features/billing/payments/stripe.ts";
import { ledgerTransactions, tenants } from "../../src/store/schema/index.ts";
import { type ApiTenant, ask, pick, pickText, startApiServer } from "../support/http/api-server.ts";
import { deliverEvent, startStripeServer, stripeSignature } from "../support/net/stripe-server.ts";
import { tempDir } from "../support/temp-dir.ts";

const stripe = startStripeServer();
const directory = tempDir();
let api = await startApiServer({ directory, stripe: stripe.settings });
afterAll(async () => {
  await api.stop();
  await stripe.stop();
});
afterEach(async () => {
  stripe.onCreated(null);
  stripe.setOutage(false);
  expect(await verifyLedger(billingStores(api.database.read))).toEqual([]);
});

const completed = (session: object) => stripe.event("checkout.session.completed", session);
const deliver = (event: object) => deliverEvent(api.base, event);

async function balanceOf(tenant: ApiTenant): Promise<unknown> {
  return pick(await ask(api, tenant, "GET", "/billing/balance"), "balance_eur");
}

async function topUp(eur = 50) {
  const tenant = await api.tenant({ plan: "prepaid" });
  const opened = await ask(api, tenant, "POST", "/topup", { amount_eur: eur });
  expect(opened.status).toBe(200);
  const session = stripe.newest();
  return { tenant, session, id: pickText(opened, "checkout.id"), opened };
}

async function paidTopUp(eur = 50) {
  const opened = await topUp(eur);
  opened.session.payment_status = "paid";
  expect(await deliver(completed(opened.session))).toBe(200);
  return opened;
}

test("a top-up sends the tenant to a session of exactly its amount", async () => {
  const { session, opened, id } = await topUp(12.34);
  expect(session).toMatchObject({
    amount_total: 1234,
    currency: "eur",
    client_reference_id: id,
  });
  expect(pick(opened, "checkout_url")).toBe(session.url);
});

test.each([
  ["https://api.stripe.com", { protocol: "https", host: "api.stripe.com", port: 443 }],
  ["http://stripe.example", { protocol: "http", host: "stripe.example", port: 80 }],
  ["https://stripe.example:8443", { protocol: "https", host: "stripe.example", port: 8443 }],
] as const)("the API at %s is used at the port of its scheme, or its own", (url, server) => {
  expect(serverOf(url)).toEqual(server);
});

test("a session ends after 23 hours: Stripe allows 24, and clocks differ", async () => {
  const { session } = await topUp();
  const hours = (session.expires_at - systemClock.now() / 1000) / 3600;
  expect(hours).toBeLessThanOrEqual(23);
  expect(hours).toBeGreaterThan(22.9);
});

test("the same event 50 times at once fills the wallet once", async () => {
  const { tenant, session } = await topUp();
  session.payment_status = "paid";
  const event = completed(session);
  const statuses = await Promise.all(Array.from({ length: 50 }, () => deliver(event)));
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(await balanceOf(tenant)).toBe(50);
});

test("two kinds of event about one session, in the wrong order, fill the wallet once", async () => {
  const { tenant, session } = await topUp();
  const early = completed(session);
  expect(await deliver(early)).toBe(200); // completed, but the bank has not paid yet
  expect(await balanceOf(tenant)).toBe(0);
  session.payment_status = "paid";
  expect(await deliver(stripe.event("checkout.session.async_payment_succeeded", session))).toBe(
    200,
  );
  expect(await deliver(early)).toBe(200);
  expect(await balanceOf(tenant)).toBe(50);
});

test("an event's claims are not trusted: the session is fetched", async () => {
  const { tenant, session } = await topUp();
  const claim = { ...session, payment_status: "paid", amount_total: 100_000 };
  expect(await deliver(completed(claim))).toBe(200);
  expect(await balanceOf(tenant)).toBe(0);
});

test("money in another currency than euro fills no wallet", async () => {
  const { tenant, session } = await topUp();
  Object.assign(session, { payment_status: "paid", currency: "usd" });
  expect(await deliver(completed(session))).toBe(409);
  expect(await balanceOf(tenant)).toBe(0);
});

test("a payment reported before the tenant has its session's address is not lost", async () => {
  const statuses: number[] = [];
  stripe.onCreated(async (session) => {
    session.payment_status = "paid";
    statuses.push(await deliver(completed(session)));
  });
  const { tenant } = await topUp(20);
  expect(statuses).toEqual([200]);
  expect(await balanceOf(tenant)).toBe(20);
});

test("an event after a restart finds its checkout, and a repeated one changes nothing", async () => {
  const { tenant, session } = await topUp(30);
  session.payment_status = "paid";
  await api.stop();
  api = await startApiServer({ directory, stripe: stripe.settings });
  expect(await deliver(completed(session))).toBe(200);
  await api.stop();
  api = await startApiServer({ directory, stripe: stripe.settings });
  expect(await deliver(completed(session))).toBe(200);
  expect(await balanceOf(tenant)).toBe(30);
});

test("while the API is down the event is answered 500, and works when it is repeated", async () => {
  const { tenant, session } = await topUp();
  session.payment_status = "paid";
  stripe.setOutage(true);
  expect(await deliver(completed(session))).toBe(500);
  stripe.setOutage(false);
  expect(await deliver(completed(session))).toBe(200);
  expect(await balanceOf(tenant)).toBe(50);
});

test("a checkout refused by the provider answers 503 and stays unpaid", async () => {
  const tenant = await api.tenant({ plan: "prepaid" });
  stripe.setOutage(true);
  const refused = await ask(api, tenant, "POST", "/topup", { amount_eur: 10 });
  expect(refused.status).toBe(503);
  const [checkout] = await api.checkouts.list(tenant.id);
  expect(checkout?.status).toBe("cancelled");
});

test("a wrong or missing signature, or one of another body or older than 300 s, is refused", async () => {
  const { tenant, session } = await topUp();
  session.payment_status = "paid";
  const event = completed(session);
  const nowSec = Math.floor(Date.now() / 1000);
  const wrong = [
    { secret: "whsec_other" },
    { signature: "" },
    { signature: "t=1,v1=00" },
    { signature: stripeSignature("{}") },
    { atSeconds: nowSec - 310 },
  ];
  for (const options of wrong) expect(await deliverEvent(api.base, event, options)).toBe(400);
  expect(await balanceOf(tenant)).toBe(0);
  expect(await deliverEvent(api.base, event, { atSeconds: nowSec - 250 })).toBe(200);
  expect(await balanceOf(tenant)).toBe(50);
});

test("unknown events, and sessions of other systems, are answered 200 and change nothing", async () => {
  expect(await deliver(stripe.event("invoice.finalized", { id: "in_1" }))).toBe(200);
  const foreign = { ...stripe.newest(), id: "cs_foreign", client_reference_id: "order-17" };
  stripe.sessions.set(foreign.id, foreign);
  expect(await deliver(completed(foreign))).toBe(200);
  const unknown = { ...foreign, id: "cs_gone", client_reference_id: `chk_${"0".repeat(32)}` };
  stripe.sessions.set(unknown.id, { ...unknown, payment_status: "paid" });
  expect(await deliver(completed(unknown))).toBe(200);
});

test("a second session or another amount for the same checkout is not fulfilled", async () => {
  const { tenant, session } = await topUp();
  const other = { ...session, id: "cs_other", payment_status: "paid" as const };
  stripe.sessions.set(other.id, other);
  expect(await deliver(completed(other))).toBe(409);
  stripe.sessions.set(session.id, { ...session, amount_total: 1, payment_status: "paid" });
  expect(await deliver(completed(session))).toBe(409);
  expect(await balanceOf(tenant)).toBe(0);
});

test("a plan is changed when it is paid, and earns revenue", async () => {
  const tenant = await api.tenant({ plan: "prepaid" });
  await ask(api, tenant, "POST", "/checkout", { item: "plan", plan: "start" });
  const session = stripe.newest();
  session.payment_status = "paid";
  expect(await deliver(completed(session))).toBe(200);
  const [row] = await api.database.read.select().from(tenants).where(eq(tenants.id, tenant.id));
  expect(row?.plan).toBe("start");
  expect(await balanceOf(tenant)).toBe(0);
});

test("a free plan starts when its session is complete; a paid one does not", async () => {
  const tenant = await api.tenant();
  await ask(api, tenant, "POST", "/checkout", { item: "plan", plan: "prepaid" });
  const free = stripe.newest();
  expect(free.amount_total).toBe(0);
  const planOf = async () => pick(await ask(api, tenant, "GET", "/billing/balance"), "plan");
  expect(await deliver(completed(free))).toBe(200);
  expect(await planOf()).toBe("start");
  free.payment_status = "no_payment_required";
  for (let n = 0; n < 2; n++) expect(await deliver(completed(free))).toBe(200);
  expect(await planOf()).toBe("prepaid");
  const { session } = await topUp();
  session.payment_status = "no_payment_required";
  expect(await deliver(completed(session))).toBe(200);
  const owner = await api.checkouts.get(session.client_reference_id);
  expect(owner.status).toBe("open");
});

test("a payment for something no longer deliverable goes to the wallet", async () => {
  const tenant = await api.tenant({ plan: "prepaid" });
  const buy = async () => {
    await ask(api, tenant, "POST", "/checkout", { item: "crm_bridge" });
    const session = stripe.newest();
    session.payment_status = "paid";
    return session;
  };
  const [first, second] = [await buy(), await buy()];
  for (const session of [first, second, second])
    expect(await deliver(completed(session))).toBe(200);
  expect(await balanceOf(tenant)).toBe(79);
});

test("the operator cannot confirm a Stripe payment", async () => {
  const { id } = await topUp();
  await expect(api.checkouts.confirm(id)).rejects.toMatchObject({ code: "conflict" });
});

test("a refund leaves the wallet once, however often and whenever it is reported", async () => {
  const { tenant, session } = await topUp();
  session.payment_status = "paid";
  const refund = { id: "re_1", amount: 2000, status: "succeeded" as const };
  stripe.refunds.set(session.payment_intent, [refund]);
  const charge = { id: "ch_1", payment_intent: session.payment_intent };
  // Before the payment itself was reported.
  expect(await deliver(stripe.event("charge.refunded", charge))).toBe(200);
  expect(await deliver(completed(session))).toBe(200);
  const again = stripe.event("refund.updated", { ...refund, ...charge, id: refund.id });
  await Promise.all(Array.from({ length: 10 }, () => deliver(again)));
  expect(await balanceOf(tenant)).toBe(30);
});

test("a failed refund returns to the wallet", async () => {
  const { tenant, session } = await paidTopUp();
  const refund = { id: "re_2", amount: 5000, status: "pending" as "pending" | "failed" };
  stripe.refunds.set(session.payment_intent, [refund]);
  const object = { id: refund.id, payment_intent: session.payment_intent };
  expect(await deliver(stripe.event("refund.created", object))).toBe(200);
  expect(await balanceOf(tenant)).toBe(0);
  refund.status = "failed";
  for (let n = 0; n < 3; n++)
    expect(await deliver(stripe.event("refund.failed", object))).toBe(200);
  expect(await balanceOf(tenant)).toBe(50);
});

test("a spent and disputed top-up is a debt, never a wallet below zero", async () => {
  const { tenant, session } = await paidTopUp();
  await api.billing.credit(tenant.id, microEur(-40_000_000), "spent");
  const dispute = {
    id: "dp_1",
    payment_intent: session.payment_intent,
    amount: 5000,
    status: "needs_response",
    balance_transactions: [] as { amount: number }[],
  };
  stripe.disputes.set(dispute.id, dispute);
  const object = { id: dispute.id };
  expect(await deliver(stripe.event("charge.dispute.created", object))).toBe(200);
  expect(await balanceOf(tenant)).toBe(10); // an inquiry moves no money
  dispute.balance_transactions.push({ amount: -5000 });
  expect(await deliver(stripe.event("charge.dispute.funds_withdrawn", object))).toBe(200);
  expect(await balanceOf(tenant)).toBe(0);
  // The next top-up pays the debt of 40 first.
  await ask(api, tenant, "POST", "/topup", { amount_eur: 60 });
  const next = stripe.newest();
  next.payment_status = "paid";
  expect(await deliver(completed(next))).toBe(200);
  expect(await balanceOf(tenant)).toBe(20);
  dispute.balance_transactions.push({ amount: 5000 });
  for (let n = 0; n < 2; n++)
    expect(await deliver(stripe.event("charge.dispute.funds_reinstated", object))).toBe(200);
  expect(await balanceOf(tenant)).toBe(70);
  const kinds = await api.database.read
    .select({ key: ledgerTransactions.key })
    .from(ledgerTransactions)
    .where(eq(ledgerTransactions.tenantId, tenant.id));
  expect(kinds.map((row) => row.key)).toContain("dispute:dp_1:undone");
});

test("the page of a Stripe checkout shows whether it is paid, without bank details", async () => {
  const { session, id } = await topUp();
  const page = async () => (await fetch(`${api.base}/checkout/${id}`)).text();
  expect(await page()).toContain("Waiting for your payment");
  expect(await page()).not.toContain("IBAN");
  session.payment_status = "paid";
  await deliver(completed(session));
  expect(await page()).toContain("Paid");
});

test("without Stripe its endpoint does not exist, and a huge body is refused", async () => {
  const huge = await fetch(`${api.base}/payments/stripe/webhook`, {
    method: "POST",
    body: "x".repeat(600_000),
  });
  expect(huge.status).toBe(413);
  const manual = await startApiServer({ directory: tempDir() });
  expect(await deliverEvent(manual.base, stripe.event("x", {}))).toBe(404);
  await manual.stop();
});
