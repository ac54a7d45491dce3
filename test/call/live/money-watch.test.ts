/**
 * Balance checks of a live call, on a real file: one event when 60 s are left, and the end of the call at 0.
 */
import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import { MoneyWatch } from "../../../src/call/live/money-watch.ts";
import { microEur } from "../../../src/core/money.ts";
import { systemRandom } from "../../../src/core/random.ts";
import { Billing } from "../../../src/features/billing/billing.ts";
import { billingStores } from "../../../src/features/billing/billing-stores.ts";
import type { EventSink } from "../../../src/features/webhook/ports.ts";
import { createEventSink } from "../../../src/features/webhook/sink.ts";
import { webhookStores } from "../../../src/features/webhook/webhook-stores.ts";
import { events as eventRows, outbox } from "../../../src/store/schema/index.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { prepaidPlan } from "../../support/plans.ts";
import { insertCall, insertTenant, insertWebhook } from "../../support/store/stored-rows.ts";
import { openTestDatabase } from "../../support/store/test-store.ts";
import { tempDir } from "../../support/temp-dir.ts";

const clock = fakeClock(Date.parse("2026-11-21T04:05:06Z"));
const database = await openTestDatabase(join(tempDir(), "main.db"), clock.now());
afterAll(() => database.close());
/** One cent per second. */
const plan = { ...prepaidPlan, overagePerMinute: microEur(600_000) };
const billing = new Billing({ database, stores: billingStores, plans: [plan], clock });
let wakes = 0;
const sink = createEventSink({
  stores: webhookStores,
  clock,
  random: systemRandom,
  wake: () => wakes++,
});

async function callWith(seconds: number, events: EventSink = sink) {
  const tenantId = await insertTenant(database, { plan: "prepaid" });
  const webhookId = await insertWebhook(database, tenantId, { events: ["call.balance_low"] });
  await insertWebhook(database, tenantId, { events: ["call.ended", "tool.executed"] });
  await billing.credit(tenantId, microEur(seconds * 10_000), "test");
  const callUuid = crypto.randomUUID();
  await insertCall(database, tenantId, callUuid, plan.overagePerMinute);
  await database.tx((queries) => billing.hold(queries, tenantId, callUuid));
  const identity = {
    rowId: 1,
    tenantId,
    callUuid,
    direction: "inbound" as const,
    agentId: 7,
    language: "en" as const,
    fromNumber: "+37060000001",
    toNumber: "+37052000000",
    maxDurationSeconds: 600,
    overageRate: plan.overagePerMinute,
  } as const;
  const watch = new MoneyWatch({ billing, events }, identity);
  const told = async () =>
    (await database.read.select().from(eventRows).where(eq(eventRows.callUuid, callUuid))).map(
      (event) => JSON.parse(event.body),
    );
  return { tenantId, webhookId, callUuid, watch, told };
}

/** Sends one heartbeat per second, as the call worker does. Returns the second at which the money ended. */
async function talk(watch: MoneyWatch, from: number, to: number): Promise<number | null> {
  for (let second = from; second <= to; second++)
    if (await watch.isExhausted(second)) return second;
  return null;
}

test("60 s before its money ends a call sends one balance_low event, if a webhook subscribed to it", async () => {
  const { tenantId, webhookId, callUuid, watch, told } = await callWith(130);
  const before = wakes;
  expect(await talk(watch, 0, 69)).toBeNull();
  expect(await told()).toEqual([]);
  expect(await talk(watch, 70, 200)).toBe(130);
  expect((await told()).map(({ type, data }) => ({ type, data }))).toEqual([
    {
      type: "call.balance_low",
      data: {
        call_id: callUuid,
        direction: "inbound",
        agent_id: 7,
        seconds_left: 60,
        from_number: "+37060000001",
        to_number: "+37052000000",
      },
    },
  ]);
  expect(wakes - before).toBe(1);
  const sent = await database.read.select().from(outbox).where(eq(outbox.tenantId, tenantId));
  expect(sent.map((row) => row.webhookId)).toEqual([webhookId]);
});

test("a call that begins with less than a minute of money sends the event at once", async () => {
  const { watch, told } = await callWith(40);
  expect(await watch.isExhausted(0.2)).toBe(false);
  expect((await told()).map(({ data }) => data.seconds_left)).toEqual([39]);
  expect(await talk(watch, 1, 60)).toBe(40);
  expect((await told()).length).toBe(1);
});

test("a top-up before the 60-second mark prevents the balance_low event", async () => {
  const { tenantId, watch, told } = await callWith(130);
  await talk(watch, 0, 69);
  await billing.credit(tenantId, microEur(600 * 10_000), "top-up");
  expect(await talk(watch, 70, 400)).toBeNull();
  expect(await told()).toEqual([]);
});

test("an event that cannot be stored rolls the hold back, and the next heartbeat stores both", async () => {
  let broken = true;
  const flaky: EventSink = {
    emit: (queries, tenantId, event) =>
      broken ? Promise.reject(new Error("disk full")) : sink.emit(queries, tenantId, event),
    wake: () => undefined,
  };
  const { watch, told } = await callWith(50, flaky);
  await expect(watch.isExhausted(1)).rejects.toThrow("disk full");
  broken = false;
  expect(await watch.isExhausted(2)).toBe(false);
  expect((await told()).length).toBe(1);
});

test("piled-up heartbeats extend the hold and send the event once", async () => {
  const { watch, told } = await callWith(45);
  const answers = await Promise.all(Array.from({ length: 20 }, () => watch.isExhausted(1)));
  expect(answers.filter(Boolean)).toEqual([]);
  expect((await told()).length).toBe(1);
});

/** A watch that gets `answers` in order, and the seconds at which it asked for more money. */
function watchWith(...answers: readonly (readonly [covered: number, affordable: number])[]) {
  const asked: number[] = [];
  const extendHold = async (_tenantId: number, _callUuid: string, elapsedSeconds: number) => {
    asked.push(elapsedSeconds);
    const [coveredSeconds, affordableSeconds] = answers[asked.length - 1] ?? [10_000, 10_000];
    return { coveredSeconds, affordableSeconds };
  };
  const identity = { tenantId: 1, callUuid: "c" };
  const watch = new MoneyWatch(
    { billing: { extendHold }, events: sink } as unknown as ConstructorParameters<
      typeof MoneyWatch
    >[0],
    identity as unknown as ConstructorParameters<typeof MoneyWatch>[1],
  );
  return { watch, asked };
}

test.each([
  ["thirty seconds of what is covered are left", 100, 70],
  ["half of what was last granted is left, where that is less", 40, 20],
  ["thirty seconds are left where sixty were granted", 60, 30],
])("more money is asked for when %s", async (_, coveredSeconds, asksAt) => {
  const { watch, asked } = watchWith([coveredSeconds, 10_000]);
  await talk(watch, 0, asksAt);
  expect(asked).toEqual([0, asksAt]);
});

test("a granted hold counts from the second of its request", async () => {
  const { watch, asked } = watchWith([40, 10_000], [50, 10_000]);
  await talk(watch, 0, 60);
  expect(asked).toEqual([0, 20, 35]);
});

test("a minute before all money ends the watch asks again, so that the event is sent", async () => {
  const { watch, asked } = watchWith([1_000, 100]);
  await talk(watch, 0, 60);
  expect(asked).toEqual([0, 40]);
});
