/**
 * 100 calls race for the last cents of one wallet: real INVITEs and real API requests, admission, holds,
 * call workers, SQLite. Takes about 25 seconds: one of them talks until its money has ended.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { eq, sql } from "drizzle-orm";
import { verifyLedger } from "../../src/billing/ledger.ts";
import { closingPhrase } from "../../src/call/closing-phrase.ts";
import { eurToMicro } from "../../src/core/money.ts";
import type { Phone } from "../../src/demo/phone/phone.ts";
import { billingStores } from "../../src/store/billing-stores.ts";
import { calls, tenants } from "../../src/store/schema/index.ts";
import { type Appliance, OWN_NUMBER, startAppliance } from "../support/appliance.ts";
import { eventually } from "../support/eventually.ts";
import { tempDir } from "../support/temp-dir.ts";

const CALLS = 100;
const CALLER = "+37061000011";
const CALLEE = "+37061000012";
const MICRO_PER_SECOND = 10_000;
/** Two holds of 60 s, and one of the 15 s that a call needs at least. */
const SECONDS = 60 + 60 + 15;
const MOST_ANSWERED = SECONDS / 15;

let world: Appliance;
let caller: Phone;
let callee: Phone;

beforeAll(async () => {
  world = await startAppliance({
    dataDir: tempDir(),
    host: "127.0.8.61",
    settings: (settings) => ({
      ...settings,
      concurrentCallsMax: 2 * CALLS,
      plans: settings.plans.map((plan) => ({
        ...plan,
        ...{ slug: "prepaid", includedMinutes: 0, pricePerMonth: eurToMicro(0) },
        ...{ overagePerMinute: eurToMicro(0.6), maxConcurrentCalls: 2 * CALLS },
      })),
    }),
  });
  await world.app.database.tx(async (queries) => {
    await queries
      .update(tenants)
      .set({ callsPerMinuteMax: 2 * CALLS })
      .where(eq(tenants.id, world.tenantId));
  });
  caller = await world.phone(CALLER);
  callee = await world.phone(CALLEE);
  callee.onCall((incoming) => void incoming.answer().catch(() => undefined));
}, 60_000);

afterAll(() => world.close());

/** Wallet and holds of one instant. */
async function money(): Promise<{ balance: number; held: number }> {
  const { tenantId, app } = world;
  const [row] = await app.database.read.all<{ balance: number; held: number }>(sql`
    SELECT balance, (SELECT coalesce(sum(amount), 0) FROM holds WHERE tenant_id = ${tenantId}) AS held
    FROM wallets WHERE tenant_id = ${tenantId}`);
  return row ?? { balance: 0, held: 0 };
}

const rows = () => world.app.database.read.select().from(calls);

test("100 calls that race for the last cents never overdraw, and the one whose money ends is told goodbye", async () => {
  await world.app.operator.credit(
    world.tenantId,
    (SECONDS * MICRO_PER_SECOND) / 1e6,
    "all there is",
  );
  const wrong: string[] = [];
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      const { balance, held } = await money();
      if (balance < 0) wrong.push(`the wallet is at ${balance}`);
      if (held > balance) wrong.push(`${held} is promised, ${balance} is there`);
      await Bun.sleep(10);
    }
  })();

  const asked = await Promise.all(
    Array.from({ length: CALLS }, async (_, n) => {
      if (n % 2 === 1) {
        const { status, body } = await world.api("POST", "/calls", { to_number: CALLEE });
        return status === 200 ? "asked" : body.error;
      }
      const call = await caller.call(OWN_NUMBER);
      return call.answered.then(
        () => "answered",
        () => "refused",
      );
    }),
  );
  for (const outcome of asked)
    expect(["answered", "refused", "asked", "insufficient_balance"]).toContain(outcome);

  const exhausted = async () =>
    (await rows()).find(({ endedReason, billableSeconds }) => {
      return endedReason === "balance_exhausted" && billableSeconds > 0;
    });
  await eventually(async () => (await exhausted()) !== undefined, "money ends a call", 90_000);
  const said = await world.callWhen((await exhausted())?.callUuid ?? "", () => true);
  expect(said.transcript).toContain(closingPhrase("en"));
  expect(said.status).toBe("completed");

  await Promise.all([...caller.calls, ...callee.calls].map((call) => call.hangUp()));
  await eventually(
    async () => (await rows()).every(({ endedAt }) => endedAt !== null),
    "every call has ended",
    60_000,
  );
  isOver = true;
  await watching;
  expect(wrong).toEqual([]);

  const ended = await rows();
  const answered = ended.filter(({ answeredAt }) => answeredAt !== null);
  const refusals = asked.filter((outcome) => outcome === "insufficient_balance").length;
  expect(ended.length).toBe(CALLS - refusals);
  expect(answered.length).toBeGreaterThan(0);
  expect(answered.length).toBeLessThanOrEqual(MOST_ANSWERED);
  for (const { answeredAt, cost } of ended) expect(answeredAt !== null).toBe(cost > 0);
  const paid = ended.reduce((sum, { cost }) => sum + cost, 0);
  expect(await money()).toEqual({ balance: SECONDS * MICRO_PER_SECOND - paid, held: 0 });
  for (const { billableSeconds, cost } of answered)
    expect(Number(cost)).toBeLessThanOrEqual(billableSeconds * MICRO_PER_SECOND);
  expect(await verifyLedger(billingStores, world.app.database.read)).toEqual([]);
}, 240_000);
