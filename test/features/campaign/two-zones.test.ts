/**
 * Two companies on two continents, each with a campaign across the weekend on which Europe's clocks change:
 * runner, call service and scheduler, hour by hour, with a fake dialer.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { isoUtc } from "../../../src/core/clock.ts";
import { silentLog } from "../../../src/core/log.ts";
import { campaignStore } from "../../../src/features/campaign/campaign-store.ts";
import { CampaignRunner } from "../../../src/features/campaign/runner.ts";
import { scheduleStore } from "../../../src/features/schedule/schedule-store.ts";
import { Scheduler } from "../../../src/features/schedule/scheduler.ts";
import { tenants } from "../../../src/store/schema/index.ts";
import { eventually } from "../../support/eventually.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { type ApiServer, ask, pickId, startApiServer } from "../../support/http/api-server.ts";
import { tempDir } from "../../support/temp-dir.ts";

const HOUR_MS = 3_600_000;
const FRIDAY_NIGHT = Date.parse("2026-03-27T23:00:00Z");
const HOURS = 72;
const clock = fakeClock(FRIDAY_NIGHT);

interface Dialled {
  readonly tenantId: number;
  readonly callUuid: string;
  readonly atMs: number;
}
const dialled: Dialled[] = [];
let live: Dialled[] = [];
let looks = 0;
let server: ApiServer;
let runner: CampaignRunner;
let scheduler: Scheduler;

beforeAll(async () => {
  server = await startApiServer({ directory: tempDir(), clock });
  const { database, calls, callerParts } = server;
  runner = new CampaignRunner({
    database,
    records: (queries) => {
      const store = campaignStore(queries);
      const lost = () => {
        looks++;
        return store.lost();
      };
      return { ...store, lost };
    },
    callService: () => calls,
    clock,
    log: silentLog,
    isDoNotCall: async () => false,
  });
  scheduler = new Scheduler({
    records: scheduleStore,
    database,
    clock,
    log: silentLog,
    owner: "us",
    isDraining: () => false,
    async fire(entry) {
      const { id, tenantId, callUuid, leaseToken } = entry;
      await database.tx(async (queries) => {
        await callerParts.callers.mayDial(queries, entry);
        await scheduleStore(queries).leavePending(tenantId, id, "fired", {}, leaseToken);
      });
      const call = { tenantId, callUuid, atMs: clock.now() };
      dialled.push(call);
      live.push(call);
      return { type: "dialed" };
    },
    async abandon() {
      throw new Error("nobody is given up");
    },
  }).start();
  runner.start();
});
afterAll(async () => {
  await scheduler.stop();
  await runner.stop();
  await server.stop();
});

async function companyIn(timeZone: string): Promise<number> {
  const tenant = await server.tenant();
  await server.credit(tenant.id, 100);
  await server.database.tx(async (queries) => {
    await queries.update(tenants).set({ timeZone }).where(eq(tenants.id, tenant.id));
  });
  const agent = await ask(server, tenant, "POST", "/agents", { name: "Care", prompt: "x" });
  const numbers = Array.from({ length: HOURS }, (_, n) => `+3706${1_000_000 + n}`);
  const made = await ask(server, tenant, "POST", "/campaigns", {
    name: "Check-ups",
    agent_id: pickId(agent, "agent.id"),
    csv: `number\n${numbers.join("\n")}`,
  });
  const id = pickId(made, "campaign.id");
  await ask(server, tenant, "POST", `/campaigns/${id}/action`, { action: "start" });
  return tenant.id;
}

/** Both campaigns have been checked: the start of a later check proves the end of this one. */
async function looked(): Promise<void> {
  for (let round = 0; round < 2; round++) {
    const before = looks;
    runner.wake();
    await eventually(async () => looks > before, "a look");
  }
}

/** Ends the calls of the last hour and starts others. */
async function anHourPasses(): Promise<void> {
  clock.stepWallClock(HOUR_MS - 1_000);
  for (const { tenantId, callUuid } of live)
    await server.database.tx((queries) =>
      runner.listener.ended(queries, {
        tenantId,
        callUuid,
        direction: "outbound",
        number: "",
        agentId: null,
        status: "completed",
        endedReason: "agent_hangup",
        startedAt: 0,
        answeredMs: 20_000,
        summary: "",
        line: "",
        transcript: "",
        costEur: 0,
        tenant: { callbackMemory: false, crmBridge: false },
      }),
    );
  live = [];
  await clock.advance(1_000);
  await looked();
  await clock.advance(1_000);
  await scheduler.idle();
  clock.stepWallClock(-1_000);
}

const timesOf = (tenant: number): string[] =>
  dialled
    .filter(({ tenantId }) => tenantId === tenant)
    .map(({ atMs }) => isoUtc(atMs).slice(5, 16).replace("T", " "));

const hourly = (day: string, from: number): string[] =>
  Array.from({ length: 8 }, (_, n) => `${day} ${String(from + n).padStart(2, "0")}:00`);

test("each company's campaign calls only in its own hours, before and after a change of clocks, and not on Sunday", async () => {
  const vilnius = await companyIn("Europe/Vilnius");
  const newYork = await companyIn("America/New_York");
  for (let hour = 0; hour < HOURS; hour++) await anHourPasses();
  // Ten to six: UTC+2 on Saturday, UTC+3 on Monday. New York changed three weeks before: UTC−4.
  expect(timesOf(vilnius)).toEqual([...hourly("03-28", 8), ...hourly("03-30", 7)]);
  expect(timesOf(newYork)).toEqual([...hourly("03-28", 14), ...hourly("03-30", 14)]);
}, 60_000);
