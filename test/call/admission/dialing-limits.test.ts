/**
 * Toll-fraud limits over a real store and HTTP: bursts to new numbers or countries, the daily cap, and who may
 * change the rules. Calls are admitted as `POST /calls`, the scheduler and transfers do it; nothing is dialled.
 */

import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { Admission, type DialingLimits } from "../../../src/call/admission/admission.ts";
import { createBurstNotice } from "../../../src/call/admission/burst-notice.ts";
import { callSetupStore } from "../../../src/call/store/call-setup-store.ts";
import { callStores } from "../../../src/call/store/call-stores.ts";
import { e164 } from "../../../src/core/e164.ts";
import { AppError } from "../../../src/core/errors.ts";
import { silentLog } from "../../../src/core/log.ts";
import { type MicroEur, microEur } from "../../../src/core/money.ts";
import { systemRandom } from "../../../src/core/random.ts";
import { billingStores } from "../../../src/features/billing/billing-stores.ts";
import { userStore } from "../../../src/features/identity/user-store.ts";
import { mailStore } from "../../../src/features/mail/mail-store.ts";
import { scheduleStore } from "../../../src/features/schedule/schedule-store.ts";
import { tenantAdminStore } from "../../../src/features/tenant/tenant-admin-store.ts";
import { createEventSink } from "../../../src/features/webhook/sink.ts";
import { webhookStores } from "../../../src/features/webhook/webhook-stores.ts";
import { calls, events, mails, tenants, users } from "../../../src/store/schema/index.ts";
import { eventually } from "../../support/eventually.ts";
import { type FakeClock, fakeClock } from "../../support/fake-clock.ts";
import {
  type ApiServer,
  type ApiTenant,
  ask,
  pick,
  startApiServer,
} from "../../support/http/api-server.ts";
import { insertCall, insertWebhook } from "../../support/store/stored-rows.ts";
import { tempDir } from "../../support/temp-dir.ts";

const newAgent = { name: "Reception", prompt: "You answer the phone." };
const NUMBERS = 3;
const COUNTRIES = 2;
const SPEND = microEur(1_000_000);
const dialing: DialingLimits = {
  dailySpendMax: SPEND,
  burst: { newNumbersPerHour: NUMBERS, newCountriesPerDay: COUNTRIES },
};

let clock: FakeClock;
let server: ApiServer;
let admission: Admission;

beforeEach(async () => {
  clock = fakeClock(Date.parse("2026-11-21T10:00:00Z"));
  server = await startApiServer({ directory: tempDir(), clock, dialing });
  const { database, billing } = server;
  const wake = () => undefined;
  admission = new Admission({
    stores: callStores,
    billing,
    clock,
    concurrentCallsMax: 100,
    liveCalls: () => 0,
    dialing: () => dialing,
    onBurstStop: createBurstNotice({
      stores: { tenants: tenantAdminStore, users: userStore },
      database,
      clock,
      log: silentLog,
      mails: {
        enqueue: (q, tenantId, mail) => mailStore(q).enqueue(tenantId, mail, clock.now()),
        wake,
      },
      events: createEventSink({ stores: webhookStores, clock, random: systemRandom, wake }),
    }),
  });
});
afterEach(() => server.stop());

async function newTenant(changes: Partial<typeof tenants.$inferInsert> = {}): Promise<ApiTenant> {
  const tenant = await server.tenant();
  await server.credit(tenant.id, 100);
  await server.database.tx((queries) =>
    queries
      .update(tenants)
      .set({ callsPerMinuteMax: 600, allowedPrefixes: "+", ...changes })
      .where(eq(tenants.id, tenant.id)),
  );
  await ask(server, tenant, "POST", "/agents", newAgent);
  return tenant;
}

const lithuanian = (n: number) => `+3706123450${n}`;
const ABROAD = ["+37126123456", "+37251234567", "+48512345678", "+491701234567"] as const;

async function asAdmission(
  { id }: ApiTenant,
  step: (
    queries: Parameters<typeof admission.fire>[0],
    tenant: Parameters<typeof admission.fire>[1],
    trunk: Parameters<typeof admission.fire>[2],
  ) => Promise<void>,
): Promise<string> {
  try {
    await server.database.tx(async (queries) => {
      const setup = callSetupStore(queries);
      const [tenant, trunk] = [await setup.tenant(id), await setup.trunk(id)];
      if (!tenant) throw new Error("no tenant");
      await step(queries, tenant, trunk);
    });
    return "admitted";
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return error.retryable ? `waits: ${error.code}` : error.code;
  }
}

/** Admits a due call as the dialer does. */
const fire = (tenant: ApiTenant, to: string) =>
  asAdmission(tenant, async (queries, row, trunk) => {
    const nowMs = clock.now();
    const toCountry = await admission.fire(queries, row, trunk, e164(to));
    const schedules = scheduleStore(queries);
    const entry = await schedules.insert(tenant.id, {
      callUuid: crypto.randomUUID(),
      toNumber: to,
      fromNumber: "+37052000000",
      scheduleAt: nowMs,
      status: "pending",
      immediate: false,
      createdAt: nowMs,
    });
    await schedules.leavePending(tenant.id, entry, "fired", { firedAt: nowMs, toCountry });
  });

const transfer = (tenant: ApiTenant, to: string) =>
  asAdmission(tenant, (queries, row, trunk) => admission.transfer(queries, row, trunk, to));

const place = async (tenant: ApiTenant, to: string) => {
  const answer = await ask(server, tenant, "POST", "/calls", { to_number: to });
  return answer.status === 200 ? "admitted" : `${answer.status} ${pick(answer, "error")}`;
};

describe("a burst to new numbers", () => {
  test("is refused above the limit, not below or at it, for every way of dialling", async () => {
    const tenant = await newTenant();
    expect(await fire(tenant, lithuanian(0))).toBe("admitted");
    expect(await transfer(tenant, `sip:${lithuanian(1)}@example.com`)).toBe("admitted");
    expect(await place(tenant, lithuanian(2))).toBe("admitted");
    expect(await fire(tenant, lithuanian(2))).toBe("admitted");
    expect(await fire(tenant, lithuanian(3))).toBe("plan_limit_reached");
    expect(await transfer(tenant, lithuanian(3))).toBe("plan_limit_reached");
    expect(await transfer(tenant, "sip:desk@example.com")).toBe("admitted");
    // Numbers of this hour stay allowed, and so do other tenants.
    expect(await fire(tenant, lithuanian(0))).toBe("admitted");
    expect(await fire(await newTenant(), lithuanian(3))).toBe("admitted");
  });

  test("is also refused if all transfers come at once", async () => {
    const { id } = await newTenant();
    const { read } = server.database;
    const [tenant, trunk] = [
      await callSetupStore(read).tenant(id),
      await callSetupStore(read).trunk(id),
    ];
    if (!tenant) throw new Error("no tenant");
    const transfers = [0, 1, 2, 3, 4].map((n) =>
      admission.transfer(read, tenant, trunk, lithuanian(n)),
    );
    const admitted = (await Promise.allSettled(transfers)).filter(
      ({ status }) => status === "fulfilled",
    );
    expect(admitted.length).toBe(NUMBERS);
  });

  test("ends after an hour, and numbers called before do not count as new", async () => {
    const tenant = await newTenant();
    for (let n = 0; n < NUMBERS; n++) await fire(tenant, lithuanian(n));
    expect(await fire(tenant, lithuanian(3))).toBe("plan_limit_reached");
    expect(await place(tenant, lithuanian(3))).toBe("403 plan_limit_reached");
    expect(await place(tenant, lithuanian(2))).toBe("admitted");
    await clock.advance(3_600_001);
    for (let n = 0; n < NUMBERS; n++) expect(await fire(tenant, lithuanian(n))).toBe("admitted");
    for (let n = 3; n < 3 + NUMBERS; n++)
      expect(await fire(tenant, lithuanian(n))).toBe("admitted");
    expect(await fire(tenant, lithuanian(6))).toBe("plan_limit_reached");
  });

  test("does not refuse calls scheduled for another day", async () => {
    const tenant = await newTenant();
    for (let n = 0; n < NUMBERS; n++) await fire(tenant, lithuanian(n));
    const later = await ask(server, tenant, "POST", "/calls", {
      to_number: lithuanian(3),
      schedule_at: "2026-12-01T10:00:00Z",
    });
    expect(later.status).toBe(200);
  });
});

describe("a burst to new countries", () => {
  test("is refused above the limit, except for the own country; countries of earlier days are known", async () => {
    const tenant = await newTenant();
    expect(await fire(tenant, lithuanian(0))).toBe("admitted");
    expect(await fire(tenant, ABROAD[0])).toBe("admitted");
    expect(await transfer(tenant, ABROAD[1])).toBe("admitted");
    await clock.advance(3_600_001);
    expect(await fire(tenant, ABROAD[2])).toBe("plan_limit_reached");
    expect(await transfer(tenant, ABROAD[2])).toBe("plan_limit_reached");
    expect(await fire(tenant, ABROAD[0])).toBe("admitted");
    expect(await fire(tenant, lithuanian(1))).toBe("admitted");
    await clock.advance(86_400_000);
    expect(await fire(tenant, ABROAD[1])).toBe("admitted");
    expect(await fire(tenant, ABROAD[2])).toBe("admitted");
    expect(await fire(tenant, ABROAD[3])).toBe("plan_limit_reached");
    expect(await fire(tenant, ABROAD[0])).toBe("admitted");
  });
});

test("notifies owner and operators once a day, by mail and event", async () => {
  const tenant = await newTenant();
  const webhook = await insertWebhook(server.database, tenant.id, { events: ["dialing.stopped"] });
  expect(webhook).toBeGreaterThan(0);
  const { database } = server;
  await database.tx((queries) =>
    queries.insert(users).values({
      email: "ops@example.com",
      name: "Ops",
      operator: true,
      createdAt: clock.now(),
      locale: "ru",
    } as typeof users.$inferInsert),
  );
  const told = async () => ({
    mails: (await database.read.select().from(mails)).map(({ recipient }) => recipient).sort(),
    events: (await database.read.select().from(events)).map(({ body }) => JSON.parse(body).data),
  });
  for (let n = 0; n < NUMBERS; n++) await fire(tenant, lithuanian(n));
  expect((await told()).mails).toEqual([]);
  for (let n = 3; n < 6; n++) await fire(tenant, lithuanian(n));
  const stop = { kind: "new_numbers", limit: NUMBERS };
  const once = { mails: ["ops@example.com", "owner@clinic.example"], events: [stop] };
  await eventually(async () => (await told()).events.length > 0, "it is told");
  expect(await told()).toEqual(once);
  const subjects = (await database.read.select().from(mails)).map(({ subject }) => subject).sort();
  expect(subjects).toEqual([
    expect.stringMatching(/^Calls of .+ to new destinations were stopped$/),
    expect.stringMatching(/^Звонки компании .+ на новые номера остановлены$/),
  ]);
  await clock.advance(86_400_001);
  for (let n = 3; n < 3 + NUMBERS; n++) await fire(tenant, lithuanian(n));
  expect(await fire(tenant, lithuanian(9))).toBe("plan_limit_reached");
  await eventually(async () => (await told()).events.length > 1, "it is told again");
  expect((await told()).mails.length).toBe(4);
});

describe("the daily spending cap", () => {
  async function spent(tenant: ApiTenant, amount: number, agoMs: number): Promise<void> {
    const uuid = crypto.randomUUID();
    await insertCall(server.database, tenant.id, uuid, microEur(0));
    await server.database.tx((queries) =>
      queries
        .update(calls)
        .set({ status: "completed", cost: microEur(amount), createdAt: clock.now() - agoMs })
        .where(eq(calls.callUuid, uuid)),
    );
  }

  test.each([
    ["below", -1, "admitted"],
    ["at", 0, "waits: plan_limit_reached"],
    ["above", 1, "waits: plan_limit_reached"],
  ])(
    "of the appliance applies to a tenant without its own: %s it",
    async (_, difference, outcome) => {
      const tenant = await newTenant();
      await spent(tenant, 400_000, 86_400_000 - 60_000);
      await spent(tenant, SPEND - 400_000 + difference, 3_600_000);
      await spent(tenant, 5_000_000, 86_400_001);
      expect(await fire(tenant, lithuanian(0))).toBe(outcome);
      expect(await transfer(tenant, "sip:desk@example.com")).toBe(outcome);
      expect(await place(tenant, lithuanian(0))).toBe(
        difference < 0 ? "admitted" : "403 plan_limit_reached",
      );
      expect(await fire(await newTenant(), lithuanian(0))).toBe("admitted");
    },
  );

  test.each([
    [400_000, "admitted"],
    [400_001, "waits: plan_limit_reached"],
  ])("counts the holds of live calls: %d micro-euro are above it", async (amount, outcome) => {
    const tenant = await newTenant();
    await spent(tenant, amount, 0);
    const callUuid = crypto.randomUUID();
    const live = { callUuid, month: "2026-11", planSeconds: 0, amount: microEur(599_999) };
    await server.database.tx((queries) =>
      billingStores(queries).holds.put(tenant.id, live, clock.now()),
    );
    expect(await fire(tenant, lithuanian(0))).toBe(outcome);
    expect(await transfer(tenant, "sip:desk@example.com")).toBe(outcome);
  });

  test("of the tenant overrides the appliance's, higher or lower", async () => {
    const more = await newTenant({ dailySpendMax: microEur(2 * SPEND) });
    const less = await newTenant({ dailySpendMax: 0 as MicroEur });
    await spent(more, SPEND, 0);
    expect(await fire(more, lithuanian(0))).toBe("admitted");
    expect(await fire(less, lithuanian(0))).toBe("waits: plan_limit_reached");
  });
});
