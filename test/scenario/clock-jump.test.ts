/** The wall clock jumps five years ahead while the appliance runs: nothing is deleted, charged or missed. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { and, eq } from "drizzle-orm";
import { type App, startApp } from "../../src/app/app.ts";
import { type Clock, systemClock } from "../../src/core/clock.ts";
import { silentLog } from "../../src/core/log.ts";
import { microEur } from "../../src/core/money.ts";
import { systemRandom } from "../../src/core/random.ts";
import { auditEntries, calls, renewals, schedules, turns } from "../../src/store/schema/index.ts";
import { applianceSettings } from "../support/appliance/appliance.ts";
import { eventually } from "../support/eventually.ts";
import { tempDir } from "../support/temp-dir.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Jobs of a minute and more run this often. */
const JOB_MS = 100;

let jumpMs = 0;
const hurried = (ms: number) => (ms >= 60_000 ? JOB_MS : ms);
const clock: Clock = {
  ...systemClock,
  now: () => systemClock.now() + jumpMs,
  after: (ms, task) => systemClock.after(hurried(ms), task),
  every: (ms, task) => systemClock.every(hurried(ms), task),
};

let app: App;
let tenantId: number;

beforeAll(async () => {
  app = await startApp(applianceSettings(tempDir(), "127.0.8.61"), {
    clock,
    random: systemRandom,
    log: silentLog,
    isSynchronised: async () => false,
  });
  ({ id: tenantId } = await app.ask("tenant.create", {
    name: "Clinic",
    email: "desk@example.com",
    plan: null,
  }));
  const nowMs = clock.now();
  await app.database.tx(async (queries) => {
    const [call] = await queries
      .insert(calls)
      .values({
        callUuid: "00000000-0000-7000-8000-000000000001",
        tenantId,
        direction: "inbound",
        status: "completed",
        fromNumber: "+37060000001",
        toNumber: "+37052000000",
        recordingStatus: "none",
        overageRate: microEur(0),
        cost: microEur(0),
        createdAt: nowMs - HOUR,
        endedAt: nowMs - HOUR,
      })
      .returning({ id: calls.id });
    await queries.insert(turns).values({
      callId: call?.id ?? 0,
      turnIndex: 0,
      speaker: "customer",
      text: "My name is Ona.",
      startMs: 0,
      endMs: 900,
      interrupted: false,
    });
    await queries.insert(schedules).values({
      tenantId,
      callUuid: "00000000-0000-7000-8000-000000000002",
      status: "pending",
      toNumber: "+37060000001",
      fromNumber: "+37052000000",
      immediate: false,
      scheduleAt: nowMs + DAY,
      createdAt: nowMs,
    });
    await queries.insert(auditEntries).values({
      tenantId,
      action: "updateAgent",
      target: "/agents/1",
      ip: "",
      outcome: "done",
      at: nowMs,
    });
  });
  await eventually(async () => (await months()).length === 1, "this month began");
}, 60_000);

afterAll(() => app.stop());

const months = () => app.database.read.select().from(renewals);
const statusOf = async () => (await app.database.read.select().from(schedules))[0]?.status;
const stored = async () => ({
  words: (await app.database.read.select().from(turns)).length,
  audit: (
    await app.database.read
      .select()
      .from(auditEntries)
      .where(and(eq(auditEntries.tenantId, tenantId), eq(auditEntries.action, "updateAgent")))
  ).length,
  months: (await months()).length,
  schedule: await statusOf(),
});

test("everything waits until the operator confirms the clock", async () => {
  const before = { words: 1, audit: 1, months: 1, schedule: "pending" as const };
  expect(await stored()).toEqual(before);
  jumpMs = 5 * 365 * DAY;
  await Bun.sleep(15 * JOB_MS);
  // The scheduler checks once a second.
  await Bun.sleep(1_500);
  expect(await stored()).toEqual(before);
  const ready = await (await fetch(`${app.addresses.http}/readyz`)).json();
  expect(JSON.stringify(ready)).toContain("linevoice clock confirm");

  const { now } = await app.ask("clock.confirm", {});
  expect(Date.parse(now)).toBeGreaterThan(systemClock.now() + jumpMs - 60_000);
  await eventually(async () => (await statusOf()) === "missed", "the scheduled call is missed");
  await eventually(async () => (await stored()).words === 0, "the transcript has expired");
  await eventually(async () => (await stored()).audit === 0, "the audit entry is old");
  await eventually(async () => (await months()).length === 2, "the month begins");
}, 60_000);
