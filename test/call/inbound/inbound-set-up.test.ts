/** Simultaneous inbound calls: one transaction, and each is decided independently. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { Admission } from "../../../src/call/admission/admission.ts";
import { InboundSetUp, type SetUpPorts } from "../../../src/call/inbound/inbound-set-up.ts";
import type { IncomingLeg, TrunkSettings } from "../../../src/call/sip-port.ts";
import { callStores } from "../../../src/call/store/call-stores.ts";
import type { Database } from "../../../src/core/database.ts";
import { microEur } from "../../../src/core/money.ts";
import { systemRandom as random } from "../../../src/core/random.ts";
import { Billing } from "../../../src/features/billing/billing.ts";
import { billingStores } from "../../../src/features/billing/billing-stores.ts";
import { createEventSink } from "../../../src/features/webhook/sink.ts";
import { webhookStores } from "../../../src/features/webhook/webhook-stores.ts";
import { calls, holds, phoneNumbers } from "../../../src/store/schema/index.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { prepaidPlan, startPlan, wideDialing } from "../../support/plans.ts";
import { insertAgent, insertTenant } from "../../support/store/stored-rows.ts";
import { openTestDatabase } from "../../support/store/test-store.ts";
import { tempDir } from "../../support/temp-dir.ts";

const CALLER = "+37061000001";
const clock = fakeClock();
let database: Database;
let transactions = 0;

beforeAll(async () => {
  const opened = await openTestDatabase(join(tempDir(), "linevoice.db"), clock.now());
  database = {
    ...opened,
    tx: (...given: Parameters<typeof opened.tx>) => {
      transactions++;
      return opened.tx(...given);
    },
  } as Database;
});
afterAll(() => database.close());
beforeEach(async () => {
  await database.tx(async (queries) => {
    await queries.delete(calls);
    await queries.delete(holds);
  });
});

let numbers = 0;

/** A tenant with a number and an agent. */
async function tenantWithNumber(plan: string) {
  const tenantId = await insertTenant(database, { plan });
  const agentId = await insertAgent(database, tenantId);
  const numberE164 = `+3705200${String(++numbers).padStart(4, "0")}`;
  await database.tx((queries) =>
    queries
      .insert(phoneNumbers)
      .values({ tenantId, numberE164, agentId, inboundEnabled: true, createdAt: 0 }),
  );
  return { tenantId, numberE164 };
}

function appliance(
  callsMax: { ofPlan: number; ofAppliance: number; heard?: number } = {
    ofPlan: 5,
    ofAppliance: 100,
  },
) {
  const plans = [startPlan, prepaidPlan].map((plan) => ({
    ...plan,
    maxConcurrentCalls: callsMax.ofPlan,
  }));
  const billing = new Billing({ database, stores: billingStores, plans, clock, random });
  const wake = () => undefined;
  const events = createEventSink({ stores: webhookStores, clock, random, wake });
  const context = {
    database,
    stores: callStores,
    billing,
    events,
    clock,
    random,
    node: "A",
    admission: new Admission({
      stores: callStores,
      billing,
      clock,
      concurrentCallsMax: callsMax.ofAppliance,
      liveCalls: () => 0,
      dialing: () => wideDialing,
      heardCallsMax: callsMax.heard,
    }),
    settings: { recordingsDir: "/nowhere", callerTagKey: new Uint8Array(32), voiceAliases: {} },
    callers: { contextOf: async () => null },
    mayRecord: () => false,
  } as unknown as SetUpPorts;
  return { context, billing };
}

type Tenant = Awaited<ReturnType<typeof tenantWithNumber>>;

/** Sets up all calls while another write runs. Returns each result, in the order of arrival. */
async function arriveTogether(context: SetUpPorts, tenants: readonly Tenant[]) {
  const busy = Promise.withResolvers<void>();
  const other = database.tx(() => busy.promise);
  transactions = 0;
  const setUp = new InboundSetUp(context);
  const arrived = tenants.map(({ tenantId, numberE164 }) => {
    const leg = {
      calledNumbers: [numberE164],
      provenNumbers: [],
      callerNumber: CALLER,
      sipCallId: "a@b",
    };
    const trunk = { tenantId, trunkId: 1, callerId: numberE164 };
    return setUp.take(leg as unknown as IncomingLeg, trunk as unknown as TrunkSettings).then(
      ({ identity }) => identity.rowId,
      (error: Error) => error.message.slice(0, 30),
    );
  });
  busy.resolve();
  await other;
  return await Promise.all(arrived);
}

const stored = (table: typeof calls | typeof holds) => database.read.$count(table);

test("simultaneous calls share one transaction, and each is stored with its hold", async () => {
  const { context } = appliance();
  const [one, two] = [await tenantWithNumber("start"), await tenantWithNumber("start")];
  const rows = await arriveTogether(context, [one, two, one]);
  expect(rows).toEqual([expect.any(Number), expect.any(Number), expect.any(Number)]);
  expect(new Set(rows).size).toBe(3);
  expect(transactions).toBe(1);
  expect([await stored(calls), await stored(holds)]).toEqual([3, 3]);
});

test("the plan's concurrent calls are not exceeded, and another tenant has its own", async () => {
  const { context } = appliance({ ofPlan: 2, ofAppliance: 100 });
  const [one, two] = [await tenantWithNumber("start"), await tenantWithNumber("start")];
  const rows = await arriveTogether(context, [one, one, one, two, one]);
  const [many, id] = ["Plan start allows 2 concurrent", expect.any(Number)];
  expect(rows).toEqual([id, id, many, id, many]);
  expect([await stored(calls), await stored(holds)]).toEqual([3, 3]);
});

test("the appliance's concurrent calls are not exceeded", async () => {
  const { context } = appliance({ ofPlan: 5, ofAppliance: 2 });
  const tenants = [await tenantWithNumber("start"), await tenantWithNumber("start")];
  const rows = await arriveTogether(context, [...tenants, ...tenants]);
  const [many, id] = ["The appliance has reached its ", expect.any(Number)];
  expect(rows).toEqual([id, id, many, many]);
});

test("calls above the machine's recognition capacity find all lines busy, for every tenant", async () => {
  const { context } = appliance({ ofPlan: 2, ofAppliance: 100, heard: 3 });
  const [one, two] = [await tenantWithNumber("start"), await tenantWithNumber("start")];
  // The plan limits one tenant before the machine is full.
  const rows = await arriveTogether(context, [one, one, one, two, two]);
  const id = expect.any(Number);
  expect(rows).toEqual([
    id,
    id,
    "Plan start allows 2 concurrent",
    id,
    "All lines are busy: the embedd",
  ]);
  expect([await stored(calls), await stored(holds)]).toEqual([3, 3]);
});

test("no cent is held twice", async () => {
  const { context, billing } = appliance();
  const tenant = await tenantWithNumber("prepaid");
  // Twice 15 seconds at 100,001 µ€ per minute, but not three times.
  await billing.credit(tenant.tenantId, microEur(60_000), "test");
  const rows = await arriveTogether(context, [tenant, tenant, tenant]);
  const id = expect.any(Number);
  expect(rows).toEqual([id, id, expect.stringContaining("The plan's minutes")]);
  const amounts = await database.read.select({ amount: holds.amount }).from(holds);
  expect(amounts.reduce((sum, { amount }) => sum + amount, 0)).toBeLessThanOrEqual(60_000);
});

test("an unknown number rejects its own call only", async () => {
  const { context } = appliance();
  const tenant = await tenantWithNumber("start");
  const nobody = { ...tenant, numberE164: "+37052999999" };
  const rows = await arriveTogether(context, [nobody, tenant]);
  expect(rows).toEqual(["The phone number +37052999999 ", expect.any(Number)]);
});

test("a failed statement of one call fails only that call", async () => {
  const { context } = appliance();
  const [broken, sound] = [await tenantWithNumber("start"), await tenantWithNumber("start")];
  const { events } = context;
  const emit: typeof events.emit = async (queries, tenantId, event) => {
    if (tenantId === broken.tenantId) await queries.run(sql`INSERT INTO nothing VALUES (1)`);
    await events.emit(queries, tenantId, event);
  };
  const failing = { ...context, events: { ...events, emit } };
  const rows = await arriveTogether(failing, [sound, broken, sound]);
  const id = expect.any(Number);
  expect(rows).toEqual([id, expect.any(String), id]);
  expect([await stored(calls), await stored(holds)]).toEqual([2, 2]);
});
