/**
 * After a crash calls are billed to their last heartbeat, to the second, whatever the clock shows by then.
 */

import { afterAll, beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import { CallRegistry } from "../../../src/call/live/registry.ts";
import { recoverCalls } from "../../../src/call/recovery/recovery.ts";
import type { CallContext } from "../../../src/call/service/context.ts";
import { callStores } from "../../../src/call/store/call-stores.ts";
import { silentLog as log } from "../../../src/core/log.ts";
import { microEur } from "../../../src/core/money.ts";
import { systemRandom as random } from "../../../src/core/random.ts";
import { Billing } from "../../../src/features/billing/billing.ts";
import { billingStores as stores } from "../../../src/features/billing/billing-stores.ts";
import { verifyLedger } from "../../../src/features/billing/ledger.ts";
import { createEventSink } from "../../../src/features/webhook/sink.ts";
import { webhookStores } from "../../../src/features/webhook/webhook-stores.ts";
import { calls, events, holds } from "../../../src/store/schema/index.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { prepaidPlan } from "../../support/plans.ts";
import { UNKNOWN_CALLERS } from "../../support/sip/unknown-callers.ts";
import {
  insertAgent,
  insertCall,
  insertTenant,
  insertWebhook,
} from "../../support/store/stored-rows.ts";
import { openTestDatabase } from "../../support/store/test-store.ts";
import { tempDir } from "../../support/temp-dir.ts";

const directory = tempDir();
const ANSWERED = Date.parse("2026-11-21T12:00:00Z");
const MICRO_PER_SECOND = 10_000;
const clock = fakeClock(ANSWERED);
/** One cent per second. */
const plan = { ...prepaidPlan, overagePerMinute: microEur(60 * MICRO_PER_SECOND) };
const database = await openTestDatabase(join(directory, "main.db"), clock.now());
afterAll(() => database.close());

const billing = new Billing({ database, stores, plans: [plan], clock });
const wake = () => undefined;

const mailedTo: number[] = [];

/** The services that recovery uses on a just started appliance. */
const started = () =>
  ({
    database,
    stores: callStores,
    node: "A",
    clock,
    random,
    log,
    billing,
    registry: new CallRegistry(),
    callers: UNKNOWN_CALLERS,
    recordingsInWork: new Set(),
    settings: { recordingsDir: directory },
    events: createEventSink({ stores: webhookStores, clock, random, wake }),
    mails: { enqueue: async (_: unknown, tenantId: number) => void mailedTo.push(tenantId), wake },
  }) as unknown as CallContext;

beforeEach(() => clock.stepWallClock(ANSWERED - clock.now()));

/** A call of a dead process, with its last stored heartbeat. */
async function leftBehind(paidSeconds: number, heartbeatMs: number | null, answered = true) {
  const tenantId = await insertTenant(database, { plan: "prepaid" });
  await insertWebhook(database, tenantId, { events: ["call.failed"] });
  await billing.credit(tenantId, microEur(paidSeconds * MICRO_PER_SECOND), "test");
  const uuid = crypto.randomUUID();
  await insertCall(database, tenantId, uuid, plan.overagePerMinute);
  await database.tx(async (queries) => {
    await billing.hold(queries, tenantId, uuid);
    await queries
      .update(calls)
      .set({
        node: "A",
        createdAt: ANSWERED - 3_000,
        answeredAt: answered ? ANSWERED : null,
        heartbeatAt: heartbeatMs === null ? null : ANSWERED + heartbeatMs,
      })
      .where(eq(calls.callUuid, uuid));
  });
  if (answered) await billing.extendHold(tenantId, uuid, (heartbeatMs ?? 0) / 1000);
  const after = async () => {
    const [row] = await database.read.select().from(calls).where(eq(calls.callUuid, uuid));
    const held = await database.read.select().from(holds).where(eq(holds.tenantId, tenantId));
    const told = await database.read.select().from(events).where(eq(events.callUuid, uuid));
    const { balance } = await billing.balance(tenantId);
    return {
      status: row?.status,
      reason: row?.endedReason,
      seconds: row?.billableSeconds,
      endedAt: row?.endedAt,
      paid: paidSeconds - balance / MICRO_PER_SECOND,
      held: held.length,
      told: told.map(({ type }) => type),
    };
  };
  return { uuid, tenantId, after };
}

const HOURS_MS = 3_600_000;

test.each([
  ["47.3 s of heartbeats, noticed at once", 47_300, 0, 48],
  ["47.3 s of heartbeats, down for nine hours", 47_300, 9 * HOURS_MS, 48],
  ["47.3 s of heartbeats, the clock an hour back", 47_300, -HOURS_MS, 48],
  ["no heartbeat since the answer", 0, 60_000, 15],
  ["none at all", null, 60_000, 15],
  ["a heartbeat before the answer was stored", -2_000, 60_000, 15],
  ["exactly a minute", 60_000, 5_000, 60],
  ["a millisecond more", 60_001, 5_000, 61],
])("%s: billed to the last heartbeat only", async (_, heartbeatMs, downMs, seconds) => {
  const { after } = await leftBehind(600, heartbeatMs);
  clock.stepWallClock(downMs);
  await recoverCalls(started());
  const once = await after();
  expect(once).toMatchObject({
    status: "failed",
    reason: "interrupted",
    seconds,
    paid: seconds,
    held: 0,
    told: ["call.failed", "transcript.completed"],
  });
  expect(once.endedAt).toBe(ANSWERED + Math.max(1, heartbeatMs ?? 0));
  // A second crash during or after the recovery.
  await recoverCalls(started());
  expect(await after()).toEqual(once);
  expect(await verifyLedger(stores(database.read))).toEqual([]);
});

test("an unanswered call costs nothing, and its hold is released", async () => {
  const { after } = await leftBehind(600, 20_000, false);
  clock.stepWallClock(HOURS_MS);
  await recoverCalls(started());
  expect(await after()).toMatchObject({ seconds: 0, paid: 0, held: 0, status: "failed" });
});

test.each([
  ["that was answered", true],
  ["that was never answered", false],
])("the transcript mail of an interrupted call %s is sent: %p", async (_, answered) => {
  const { uuid, tenantId } = await leftBehind(600, 20_000, answered);
  const mail = { transcriptEmailEnabled: true, transcriptEmail: "ona@clinic.example" };
  const agentId = await insertAgent(database, tenantId, mail);
  await database.tx((queries) =>
    queries.update(calls).set({ agentId }).where(eq(calls.callUuid, uuid)),
  );
  await recoverCalls(started());
  expect(mailedTo.includes(tenantId)).toBe(answered);
});

test("a heartbeat beyond the wallet's money is billed up to that money", async () => {
  const { after } = await leftBehind(20, 23_000);
  await recoverCalls(started());
  expect(await after()).toMatchObject({ seconds: 20, paid: 20, held: 0 });
  expect(await verifyLedger(stores(database.read))).toEqual([]);
});

test("a clock set forward by an hour during the call does not extend the billed time", async () => {
  const { uuid, after } = await leftBehind(20_000, 40_000);
  await database.tx(async (queries) => {
    await queries
      .update(calls)
      .set({ heartbeatAt: ANSWERED + HOURS_MS + 45_000 })
      .where(eq(calls.callUuid, uuid));
  });
  clock.stepWallClock(HOURS_MS);
  await recoverCalls(started());
  // 40 s, plus the 60 s held ahead.
  const lasted = { seconds: 100, paid: 100, endedAt: ANSWERED + 100_000 };
  expect(await after()).toMatchObject({ ...lasted, held: 0 });
});
