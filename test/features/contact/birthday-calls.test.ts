/** Birthday calls on a real store and the real call service, with a fake clock. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { isoUtc } from "../../../src/core/clock.ts";
import { callerStore } from "../../../src/features/contact/caller-store.ts";
import { contactStore } from "../../../src/features/contact/contact-store.ts";
import {
  birthdayCalls,
  callPurposes,
  calls,
  contacts,
  schedules,
  tenants,
} from "../../../src/store/schema/index.ts";
import { eventually } from "../../support/eventually.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import {
  type ApiServer,
  type ApiTenant,
  ask,
  pickId,
  startApiServer,
} from "../../support/http/api-server.ts";
import { tempDir } from "../../support/temp-dir.ts";

const ZONE = "Europe/Vilnius";
/** A Friday, 12:00 in Vilnius. */
const NOON = Date.parse("2026-11-20T12:00:00+02:00");
const clock = fakeClock(NOON);
const setClock = (atMs: number) => clock.stepWallClock(atMs - clock.now());
let server: ApiServer;
let tenant: ApiTenant;
let agentId = 0;
let numbers = 0;

beforeAll(async () => {
  server = await startApiServer({ directory: tempDir(), clock });
  tenant = await server.tenant();
  await server.credit(tenant.id, 100);
  agentId = pickId(
    await ask(server, tenant, "POST", "/agents", { name: "Care", prompt: "x" }),
    "agent.id",
  );
  await server.database.tx(async (queries) => {
    await queries
      .update(tenants)
      .set({ birthdayCalls: true, timeZone: ZONE })
      .where(eq(tenants.id, tenant.id));
    await callerStore(queries).putFeatureSettings(
      tenant.id,
      { birthdayAgentId: agentId, holidays: "LT" },
      NOON,
    );
  });
});

afterAll(() => server.stop());

beforeEach(async () => {
  setClock(NOON);
  await server.database.tx(async (queries) => {
    await queries.delete(birthdayCalls);
    await queries.delete(callPurposes);
    await queries.delete(schedules);
    await queries.delete(contacts);
  });
});

interface More {
  readonly consent?: boolean;
  readonly doNotCall?: boolean;
  readonly numberE164?: string;
}
const add = (birthday: string, more: More = {}) =>
  server.database.tx((queries) =>
    contactStore(queries).insert(tenant.id, {
      numberE164: more.numberE164 ?? `+3706${String(1_000_000 + numbers++)}`,
      firstName: "Ona",
      lastName: "",
      vocative: null,
      birthday,
      language: null,
      notes: "",
      pinHash: null,
      createdAt: 1,
      updatedAt: 1,
      consent: more.consent ?? true,
      doNotCall: more.doNotCall ?? false,
    }),
  );
const look = () => server.callerParts.birthdays.look();
const preview = () => server.callerParts.birthdays.preview(tenant.id);
const planned = () => server.database.read.select().from(schedules).orderBy(schedules.scheduleAt);
const entries = () => server.database.read.select().from(birthdayCalls);

/** The end of a call as the call itself reports it. */
const ended = (callUuid: string, endedReason: string, answeredMs: number) =>
  server.database.tx((queries) =>
    server.callerParts.callers.ended(queries, {
      tenantId: tenant.id,
      callUuid,
      direction: "outbound",
      number: "",
      agentId,
      status: answeredMs > 0 ? "completed" : "no_answer",
      endedReason,
      startedAt: 0,
      answeredMs,
      summary: "",
      line: "",
      transcript: "",
      costEur: 0,
      tenant: { callbackMemory: false, crmBridge: false },
    }),
  );

test("contacts with a birthday and consent are called once, spread over the hours", async () => {
  await add("1980-11-20");
  await add("--11-20");
  await add("1980-11-21");
  await add("1980-11-20", { consent: false });
  await add("1980-11-20", { doNotCall: true });
  await look();
  await look();
  const rows = await planned();
  expect(rows).toHaveLength(2);
  expect(rows.every(({ agentId: agent }) => agent === agentId)).toBe(true);
  expect(rows[0]?.scheduleAt).toBe(NOON);
  expect(rows[1]?.scheduleAt).toBe(NOON + 3 * 3_600_000);
  const wishes = { reason: "a birthday", sensitive: false, origin: "birthday" };
  expect(await server.database.read.select().from(callPurposes)).toMatchObject([wishes, wishes]);
  setClock(Date.parse("2027-11-20T12:00:00+02:00"));
  await look();
  expect(await entries()).toHaveLength(4);
});

test.each([
  ["before ten", "2026-11-20T09:59:00+02:00"],
  ["at six", "2026-11-20T18:00:00+02:00"],
  ["on a Sunday", "2026-11-22T12:00:00+02:00"],
  ["on a holiday", "2026-12-25T12:00:00+02:00"],
])("nobody is called %s", async (_, time) => {
  setClock(Date.parse(time));
  const { month, day } = { month: time.slice(5, 7), day: time.slice(8, 10) };
  await add(`--${month}-${day}`);
  await look();
  expect(await planned()).toEqual([]);
  expect(await server.callerParts.birthdays.preview(tenant.id)).toHaveLength(1);
});

test.each([
  ["on a Sunday is congratulated on Monday", "11-22", "2026-11-23"],
  ["on Christmas Eve and three days without calls is not", "12-24", null],
  ["on 25 December is congratulated on Monday the 28th", "12-25", "2026-12-28"],
  ["on 26 December is congratulated on Monday the 28th", "12-26", "2026-12-28"],
])("a birthday %s", async (_, birthday, planned_day) => {
  await add(`--${birthday}`);
  setClock(Date.parse(`2026-${birthday}T12:00:00+02:00`));
  await look();
  expect(await planned()).toEqual([]);
  const reason = planned_day === null ? "no_allowed_day" : null;
  expect(await preview()).toMatchObject([{ birthday: `2026-${birthday}`, planned_day, reason }]);
  for (let day = 0; day < 6; day++) {
    setClock(clock.now() + 86_400_000);
    await look();
  }
  const days = (await planned()).map(({ scheduleAt }) => isoUtc(scheduleAt).slice(0, 10));
  expect(days).toEqual(planned_day === null ? [] : [planned_day]);
});

test("a delayed birthday call is planned, and then no longer in the preview", async () => {
  await add("--11-22");
  setClock(Date.parse("2026-11-23T09:00:00+02:00"));
  expect(await preview()).toMatchObject([
    { birthday: "2026-11-22", planned_day: "2026-11-23", reason: null },
  ]);
  setClock(Date.parse("2026-11-23T12:00:00+02:00"));
  await look();
  expect(await preview()).toEqual([]);
  expect(await planned()).toHaveLength(1);
});

test("a birthday on 31 December greeted in January is greeted again next December", async () => {
  await add("--12-31");
  // 31 December 2028 is a Sunday, 1 January a holiday.
  setClock(Date.parse("2028-12-31T12:00:00+02:00"));
  await look();
  expect(await planned()).toEqual([]);
  setClock(Date.parse("2029-01-02T12:00:00+02:00"));
  await look();
  await look();
  expect(await entries()).toMatchObject([{ year: 2028 }]);
  setClock(Date.parse("2029-12-31T12:00:00+02:00"));
  await look();
  expect((await entries()).map(({ year }) => year)).toEqual([2028, 2029]);
});

test("the preview shows why nobody is called: hours are over, no agent, turned off", async () => {
  await add("1980-11-20");
  const reasons = async () => (await preview()).map(({ reason }) => reason);
  expect(await preview()).toMatchObject([{ planned_day: "2026-11-20", reason: null }]);
  setClock(Date.parse("2026-11-20T17:59:00+02:00"));
  expect(await reasons()).toEqual([null]);
  setClock(Date.parse("2026-11-20T18:00:00+02:00"));
  expect(await preview()).toMatchObject([{ planned_day: null, reason: "hours_over" }]);
  const turn = (isOn: boolean, birthdayAgentId: number | null) =>
    server.database.tx(async (q) => {
      await q.update(tenants).set({ birthdayCalls: isOn }).where(eq(tenants.id, tenant.id));
      await callerStore(q).putFeatureSettings(tenant.id, { birthdayAgentId }, NOON);
    });
  await turn(true, null);
  expect(await reasons()).toEqual(["no_agent"]);
  await turn(false, null);
  expect(await reasons()).toEqual(["turned_off"]);
  await turn(true, agentId);
});

test("29 February is greeted on the 28th in other years", async () => {
  setClock(Date.parse("2025-02-28T12:00:00+02:00"));
  await add("1980-02-29");
  await look();
  expect(await planned()).toHaveLength(1);
});

test("nobody answered: a second try three hours later, and no third", async () => {
  await add("1980-11-20");
  await look();
  await ended((await entries())[0]?.callUuid ?? "", "no_answer", 0);
  setClock(NOON + 600_000);
  await look();
  const [first, second] = await planned();
  expect(second?.scheduleAt).toBe(NOON + 600_000 + 3 * 3_600_000);
  expect(second?.callUuid).not.toBe(first?.callUuid);
  await ended(second?.callUuid ?? "", "no_answer", 0);
  expect((await entries())[0]?.state).toBe("given_up");
  setClock(NOON + 4 * 3_600_000);
  await look();
  expect(await planned()).toHaveLength(2);
  expect((await entries())[0]?.state).toBe("given_up");
});

test("at most two tries, however much of the day is left", async () => {
  const ten = Date.parse("2026-11-20T10:00:00+02:00");
  setClock(ten);
  await add("1980-11-20");
  await look();
  await ended((await entries())[0]?.callUuid ?? "", "no_answer", 0);
  await look();
  await ended((await entries())[0]?.callUuid ?? "", "no_answer", 0);
  setClock(ten + 4 * 3_600_000);
  await look();
  expect(await planned()).toHaveLength(2);
  expect((await entries())[0]?.state).toBe("given_up");
});

test("a reached person is not called again", async () => {
  await add("1980-11-20");
  await look();
  await ended((await entries())[0]?.callUuid ?? "", "agent_hangup", 30_000);
  await look();
  expect((await entries())[0]?.state).toBe("done");
  expect(await planned()).toHaveLength(1);
});

test("a contact deleted and imported again is not called twice in a year", async () => {
  const numberE164 = "+37069999901";
  await add("1980-11-20", { numberE164 });
  await look();
  expect(await planned()).toHaveLength(1);
  await server.database.tx((queries) => queries.delete(contacts));
  await add("1980-11-20", { numberE164 });
  await look();
  expect(await planned()).toHaveLength(1);
  expect(await server.callerParts.birthdays.preview(tenant.id)).toEqual([]);
  setClock(Date.parse("2027-11-20T12:00:00+02:00"));
  await look();
  expect(await entries()).toHaveLength(1);
});

test("a call that ended while nobody listened is retried the same day, not the next", async () => {
  await add("1980-11-20");
  await look();
  const uuid = (await entries())[0]?.callUuid ?? "";
  await server.database.tx((queries) =>
    queries.update(calls).set({ endedAt: NOON, status: "failed" }).where(eq(calls.callUuid, uuid)),
  );
  setClock(Date.parse("2026-11-21T12:00:00+02:00"));
  await look();
  expect(await planned()).toHaveLength(1);
  expect((await entries())[0]?.state).toBe("given_up");
});

test.each([
  ["for no line was free keeps the try", "plan_limit_reached", 1],
  ["for nobody was there keeps the try", "missed", 1],
  ["for the person may not be called has had it", "destination_not_allowed", 2],
])("a call that was never dialled %s", async (_, reason, attempts) => {
  await add("1980-11-20");
  await look();
  const uuid = (await entries())[0]?.callUuid ?? "";
  await server.database.tx(async (queries) => {
    await queries.update(schedules).set({ status: "failed", reason });
    const over = { endedAt: NOON, status: "failed" } as const;
    await queries.update(calls).set(over).where(eq(calls.callUuid, uuid));
  });
  setClock(NOON + 15 * 60_000);
  await look();
  const [, again] = await planned();
  const later = attempts === 1 ? 0 : 3 * 3_600_000;
  expect(again?.scheduleAt).toBe(NOON + 15 * 60_000 + later);
  expect(await entries()).toMatchObject([{ state: "scheduled", attempts }]);
});

test("a person who withdraws consent or opts out before the call is not dialled", async () => {
  const contact = await add("1980-11-20");
  await look();
  const callUuid = (await entries())[0]?.callUuid ?? "";
  const call = { tenantId: tenant.id, callUuid, toNumber: contact.numberE164 };
  const mayDial = () =>
    server.database.tx((queries) => server.callerParts.callers.mayDial(queries, call));
  await mayDial();
  setClock(Date.parse("2026-11-20T18:00:00+02:00"));
  await expect(mayDial()).rejects.toThrow("hours");
  setClock(NOON);
  await server.database.tx((q) =>
    contactStore(q).update(tenant.id, contact.id, { consent: false }),
  );
  await expect(mayDial()).rejects.toThrow();
  await server.database.tx((q) =>
    contactStore(q).update(tenant.id, contact.id, { consent: true, doNotCall: true }),
  );
  await expect(mayDial()).rejects.toThrow();
});

test("without an agent nothing is placed, and the preview still lists the people", async () => {
  await add("1980-11-20");
  const set = (birthdayAgentId: number | null) =>
    server.database.tx((q) =>
      callerStore(q).putFeatureSettings(tenant.id, { birthdayAgentId }, NOON),
    );
  await set(null);
  await look();
  expect(await planned()).toEqual([]);
  expect(await server.callerParts.birthdays.preview(tenant.id)).toHaveLength(1);
  await set(agentId);
});

test("after the start it checks every ten minutes", async () => {
  const { birthdays } = server.callerParts;
  const others = clock.pendingTimers;
  birthdays.start();
  await eventually(() => clock.pendingTimers === others + 1, "the first look");
  await add("1980-11-20");
  await clock.advance(599_999);
  expect(await planned()).toHaveLength(0);
  await clock.advance(1);
  await eventually(async () => (await planned()).length === 1, "the second look");
  await birthdays.stop();
});
