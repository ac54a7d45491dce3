/** The campaign runner on a real store and the real call service, with a fake clock. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import { eq, inArray } from "drizzle-orm";
import {
  abandonSchedule,
  TrunkUnreachable,
} from "../../../src/call/outbound/abandoned-schedule.ts";
import type { CallService } from "../../../src/call/ports.ts";
import { callStores } from "../../../src/call/store/call-stores.ts";
import { AppError } from "../../../src/core/errors.ts";
import { silentLog } from "../../../src/core/log.ts";
import { microEur } from "../../../src/core/money.ts";
import { campaignStore } from "../../../src/features/campaign/campaign-store.ts";
import { CampaignRunner } from "../../../src/features/campaign/runner.ts";
import { contactStore } from "../../../src/features/contact/contact-store.ts";
import { createDoNotCallList } from "../../../src/features/contact/do-not-call.ts";
import { doNotCallStore } from "../../../src/features/contact/do-not-call-store.ts";
import {
  callPurposes,
  calls,
  campaigns,
  campaignTargets,
  contacts,
  doNotCallEntries,
  schedules,
  tenants,
  trunks,
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

/** A Friday, 12:00 in Vilnius. */
const NOON = Date.parse("2026-11-20T12:00:00+02:00");
const MINUTE_MS = 60_000;
/** Fewest calls after which a campaign is judged. */
const BREAKER_MIN = 10;
const clock = fakeClock(NOON);
let server: ApiServer;
let tenant: ApiTenant;
let agentId = 0;
const runners: CampaignRunner[] = [];

beforeAll(async () => {
  server = await startApiServer({ directory: tempDir(), clock });
  tenant = await server.tenant();
  await server.credit(tenant.id, 1_000);
  agentId = pickId(
    await ask(server, tenant, "POST", "/agents", { name: "Care", prompt: "x" }),
    "agent.id",
  );
});
afterAll(() => server.stop());
beforeEach(async () => {
  clock.stepWallClock(NOON - clock.now());
  await server.database.tx(async (queries) => {
    await queries.delete(campaigns);
    await queries.delete(callPurposes);
    await queries.delete(calls);
    await queries.delete(schedules);
    await queries.delete(contacts);
    await queries.delete(doNotCallEntries);
  });
});
afterEach(async () => {
  for (const runner of runners.splice(0)) await runner.stop();
});

const refusals = createDoNotCallList(doNotCallStore, new Uint8Array(32), {
  get revocations() {
    return server.database.revocations;
  },
});

function startRunner(callService: CallService = server.calls): CampaignRunner {
  const { database } = server;
  const runner = new CampaignRunner({
    database,
    records: campaignStore,
    callService: () => callService,
    clock,
    log: silentLog,
    isDoNotCall: refusals.has,
  });
  runners.push(runner);
  runner.start();
  return runner;
}

interface Wish {
  readonly numbers: number;
  readonly concurrency?: number;
  readonly attempts?: number;
  readonly agent?: number;
  readonly of?: ApiTenant & { readonly fromNumber?: string };
}

async function running({
  numbers,
  concurrency = 2,
  attempts = 1,
  agent = agentId,
  of = tenant,
}: Wish): Promise<number> {
  const lines = Array.from({ length: numbers }, (_, n) => numberOf(n));
  const made = await ask(server, of, "POST", "/campaigns", {
    name: "Check-ups",
    agent_id: agent,
    from_number: of.fromNumber,
    csv: ["number", ...lines].join("\n"),
    concurrency,
    attempts,
    retry_after_min: 60,
  });
  const id = pickId(made, "campaign.id");
  await ask(server, of, "POST", `/campaigns/${id}/action`, { action: "start" });
  return id;
}

const numberOf = (n: number) => `+3706${1_000_000 + n}`;
const targets = (id: number) =>
  server.database.read
    .select()
    .from(campaignTargets)
    .where(eq(campaignTargets.campaignId, id))
    .orderBy(campaignTargets.id);
const inState = async (id: number, status: string) =>
  (await targets(id)).filter((target) => target.status === status);
const statusOf = async (id: number) =>
  (await server.database.read.select().from(campaigns).where(eq(campaigns.id, id)).get())?.status;
const calling = (id: number, count: number) =>
  eventually(async () => (await inState(id, "calling")).length === count, `${count} calls`);

/** Reports a call's end as the call itself does. */
async function ends(runner: CampaignRunner, callUuid: string | null, endedReason: string) {
  const unanswered = ["no_answer", "busy", "invalid_number", "declined", "cancelled"];
  const answeredMs = unanswered.includes(endedReason) ? 0 : 20_000;
  await server.database.tx((queries) =>
    runner.listener.ended(queries, {
      tenantId: tenant.id,
      callUuid: callUuid ?? "",
      direction: "outbound",
      number: "",
      agentId,
      status: "completed",
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
}

/** The contact with this number asked not to be called. */
const refuses = (numberE164: string) =>
  server.database.tx(async (queries) => {
    await contactStore(queries).insert(tenant.id, {
      numberE164,
      firstName: "Ona",
      lastName: "",
      vocative: null,
      birthday: null,
      language: null,
      notes: "",
      consent: true,
      doNotCall: true,
      pinHash: null,
      createdAt: 1,
      updatedAt: 1,
    });
  });

/** Ends the calls of a dead process, as a start does. */
async function interrupted(
  cut: readonly { readonly callUuid: string | null }[],
  status: "dialing" | "ringing" | "in_progress",
) {
  const nowMs = clock.now();
  const ringingAt = status === "dialing" ? null : nowMs;
  const answeredAt = status === "in_progress" ? nowMs : null;
  const times = { ringingAt, answeredAt, endedAt: nowMs };
  const uuids = cut.map(({ callUuid }) => callUuid ?? "");
  await server.database.tx((queries) =>
    queries
      .update(calls)
      .set({ status: "failed", endedReason: "interrupted", ...times })
      .where(inArray(calls.callUuid, uuids)),
  );
}

test("concurrent calls stay within the cap; each ended call starts the next; the last one finishes the campaign", async () => {
  const id = await running({ numbers: 5, concurrency: 2 });
  const runner = startRunner();
  await calling(id, 2);
  for (let left = 5; left > 0; left--) {
    await calling(id, Math.min(2, left));
    expect(await inState(id, "calling")).toHaveLength(Math.min(2, left));
    const [one] = await inState(id, "calling");
    await ends(runner, one?.callUuid ?? null, "agent_hangup");
    runner.wake();
  }
  await eventually(async () => (await statusOf(id)) === "finished", "the end");
  expect(await inState(id, "done")).toHaveLength(5);
  expect(await server.database.read.select().from(schedules)).toHaveLength(5);
  const purposes = await server.database.read.select().from(callPurposes);
  expect(purposes.map(({ reason, sensitive, origin }) => [reason, sensitive, origin])).toEqual(
    Array(5).fill(["Check-ups", false, "campaign"]),
  );
});

test("the runner checks at its start and every 15 seconds", async () => {
  const ownClock = fakeClock();
  const looksAtMs: number[] = [];
  const lost = async () => {
    looksAtMs.push(ownClock.elapsedMs);
    throw new Error("the store is away");
  };
  const runner = new CampaignRunner({
    database: {},
    records: () => ({ lost }),
    clock: ownClock,
    log: silentLog,
  } as unknown as ConstructorParameters<typeof CampaignRunner>[0]);
  runner.start();
  for (const ms of [0, 14_999, 1, 15_000]) {
    await ownClock.advance(ms);
    await Bun.sleep(0);
  }
  await runner.stop();
  expect(looksAtMs).toEqual([0, 15_000, 30_000]);
});

test.each([
  [0, [5]],
  [2, [3]],
  [5, []],
])("with %d of five calls in progress, the runner queries targets: %j", async (count, asked) => {
  const limits: number[] = [];
  const campaign = {
    id: 1,
    tenantId: 1,
    agentId: 1,
    timeZone: "UTC",
    holidays: null,
    hasTrunk: true,
    concurrencyMax: 5,
    callingFrom: 600,
    callingTo: 1_200,
  };
  const runner = new CampaignRunner({
    clock: fakeClock(Date.parse("2026-11-24T12:00:00Z")),
    log: silentLog,
    database: { read: null, tx: (work: (queries: null) => Promise<unknown>) => work(null) },
    records: () => ({
      lost: async () => [],
      running: async () => [campaign],
      latestOutcomes: async () => [],
      refusedOfNext: async () => [],
      callingCount: async () => count,
      hasWaiting: async () => true,
      due: async (_: number, __: number, limit: number) => {
        limits.push(limit);
        return [];
      },
    }),
  } as unknown as ConstructorParameters<typeof CampaignRunner>[0]);
  runner.start();
  await Bun.sleep(0);
  await runner.stop();
  expect(limits).toEqual([...asked]);
});

test("a late check delays no other: all campaigns are checked every 15 seconds", async () => {
  const ownClock = fakeClock(0);
  const asked: (readonly number[] | null)[] = [];
  const lateMs = [3, 0, 0];
  const runner = new CampaignRunner({
    database: {},
    records: () => ({
      lost: async () => {
        await ownClock.advance(lateMs.shift() ?? 0);
        return [];
      },
      running: async (tenants: readonly number[] | null) => {
        asked.push(tenants);
        return [];
      },
    }),
    clock: ownClock,
    log: silentLog,
  } as unknown as ConstructorParameters<typeof CampaignRunner>[0]);
  runner.start();
  await eventually(() => asked.length === 1, "the first look");
  await ownClock.advance(14_997);
  await eventually(() => asked.length === 2, "the second look");
  await ownClock.advance(15_000);
  await eventually(() => asked.length === 3, "the third look");
  await runner.stop();
  expect(asked).toEqual([null, null, null]);
});

test("all campaigns are checked, with time for other work in between; after a call's end only its company's", async () => {
  const looks: number[] = [];
  const campaign = {
    agentId: 1,
    timeZone: "UTC",
    holidays: null,
    callingFrom: 600,
    callingTo: 601,
  };
  const all = Array.from({ length: 250 }, (_, n) => ({
    ...campaign,
    id: n + 1,
    tenantId: 1 + (n % 5),
  }));
  const runner = new CampaignRunner({
    clock: fakeClock(Date.parse("2026-11-24T12:00:00Z")),
    log: silentLog,
    database: { read: null },
    records: () => ({
      lost: async () => [],
      running: async (tenants: number[] | null, after: number, limit: number) =>
        all
          .filter(({ id, tenantId }) => id > after && (tenants?.includes(tenantId) ?? true))
          .slice(0, limit),
      callingCount: async (id: number) => looks.push(id),
      hasWaiting: async () => true,
    }),
  } as unknown as ConstructorParameters<typeof CampaignRunner>[0]);
  let turns = 0;
  const turning = setInterval(() => turns++, 0);
  runner.start();
  await eventually(() => looks.length === 250, "all are looked at");
  clearInterval(turning);
  expect(turns).toBeGreaterThan(1);
  expect(looks).toEqual(all.map(({ id }) => id));
  const ended = { tenantId: 3, direction: "inbound" } as unknown as Parameters<
    typeof runner.listener.ended
  >[1];
  await runner.listener.ended({} as Parameters<typeof runner.listener.ended>[0], ended);
  runner.listener.wake();
  await eventually(() => looks.length === 300, "the company's are");
  await Bun.sleep(20);
  expect(looks.slice(250)).toEqual(
    all.filter(({ tenantId }) => tenantId === 3).map(({ id }) => id),
  );
  await runner.stop();
});

test.each([
  [1, "stored"],
  [2, "conflict"],
])("while %d of two calls are in progress elsewhere a call is: %s", async (count, outcome) => {
  const outcomes: string[] = [];
  const campaign = {
    id: 1,
    tenantId: 1,
    agentId: 1,
    timeZone: "UTC",
    holidays: null,
    hasTrunk: true,
    concurrencyMax: 2,
    callingFrom: 600,
    callingTo: 1_200,
    fromNumber: null,
    name: "A",
  };
  let counted = 0;
  const runner = new CampaignRunner({
    clock: fakeClock(Date.parse("2026-11-24T12:00:00Z")),
    log: silentLog,
    database: { read: null, tx: (work: (queries: null) => Promise<unknown>) => work(null) },
    isDoNotCall: async () => false,
    records: () => ({
      lost: async () => [],
      running: async () => [campaign],
      latestOutcomes: async () => [],
      refusedOfNext: async () => [],
      callingCount: async () => (counted++ === 0 ? 0 : count),
      hasWaiting: async () => true,
      setCalling: async () => true,
      due: async () => [{ id: 1, numberE164: "+37061000001", variables: {} }],
    }),
    callService: () => ({
      request: async (
        _: number,
        order: { stored: (queries: null, id: string) => Promise<void> },
      ) => {
        await order.stored(null, "c").catch((error) => {
          outcomes.push(error.code);
          throw error;
        });
        outcomes.push("stored");
      },
    }),
  } as unknown as ConstructorParameters<typeof CampaignRunner>[0]);
  runner.start();
  await Bun.sleep(0);
  await runner.stop();
  expect(outcomes).toEqual([outcome]);
});

test("nobody is called before ten or on a Sunday", async () => {
  for (const time of ["2026-11-20T09:59:00+02:00", "2026-11-22T12:00:00+02:00"]) {
    clock.stepWallClock(Date.parse(time) - clock.now());
    const id = await running({ numbers: 1 });
    const runner = startRunner();
    runner.wake();
    await runner.stop();
    expect(await inState(id, "waiting")).toHaveLength(1);
    expect(await statusOf(id)).toBe("running");
  }
});

test("an unreached person is retried after the pause and not before, up to the maximum", async () => {
  const id = await running({ numbers: 1, attempts: 2 });
  const runner = startRunner();
  await calling(id, 1);
  await ends(runner, (await targets(id))[0]?.callUuid ?? null, "no_answer");
  clock.stepWallClock(60 * MINUTE_MS - 1);
  runner.wake();
  await runner.stop();
  expect((await targets(id))[0]).toMatchObject({ status: "waiting", attempts: 1 });

  clock.stepWallClock(1);
  const later = startRunner();
  await calling(id, 1);
  await ends(later, (await targets(id))[0]?.callUuid ?? null, "busy");
  later.wake();
  await eventually(async () => (await statusOf(id)) === "finished", "the end");
  expect((await targets(id))[0]).toMatchObject({ status: "failed", outcome: "busy", attempts: 2 });
});

test("a call cancelled while ringing counts as not reached", async () => {
  const id = await running({ numbers: 1, attempts: 2 });
  const runner = startRunner();
  await calling(id, 1);
  await ends(runner, (await targets(id))[0]?.callUuid ?? null, "cancelled");
  expect((await targets(id))[0]).toMatchObject({ status: "waiting", outcome: "cancelled" });
});

test.each([
  ["voicemail_hangup", "waiting"],
  ["voicemail_left", "done"],
  ["silence_timeout", "done"],
  ["media_lost", "waiting"],
  ["declined", "waiting"],
])("a call that ended with %s sets its number to %s", async (reason, status) => {
  const id = await running({ numbers: 1, attempts: 2 });
  const runner = startRunner();
  await calling(id, 1);
  await ends(runner, (await targets(id))[0]?.callUuid ?? null, reason);
  expect((await targets(id))[0]).toMatchObject({ status, outcome: reason, attempts: 1 });
});

test("a number that does not exist is not retried", async () => {
  const id = await running({ numbers: 1, attempts: 5 });
  const runner = startRunner();
  await calling(id, 1);
  await ends(runner, (await targets(id))[0]?.callUuid ?? null, "invalid_number");
  expect((await targets(id))[0]).toMatchObject({ status: "failed", attempts: 1 });
});

test.each([
  ["half of them failed", BREAKER_MIN / 2, "stopped_by_breaker"],
  ["one fewer than half failed", BREAKER_MIN / 2 - 1, "running"],
])("the breaker: of ten calls, %s", async (_, failures, status) => {
  const id = await running({ numbers: BREAKER_MIN + 2, concurrency: 1 });
  const runner = startRunner();
  for (let call = 0; call < BREAKER_MIN; call++) {
    await calling(id, 1);
    const [one] = await inState(id, "calling");
    await ends(runner, one?.callUuid ?? null, call < failures ? "declined" : "agent_hangup");
    if (call < BREAKER_MIN - 1) expect(await statusOf(id)).toBe("running");
    runner.wake();
  }
  if (status === "running") await calling(id, 1);
  else await eventually(async () => (await statusOf(id)) === status, "the breaker");
  expect(await statusOf(id)).toBe(status as "running");
  expect((await server.database.read.select().from(schedules)).length).toBe(
    BREAKER_MIN + (status === "running" ? 1 : 0),
  );
});

test("nine failures of nine are too few for the breaker; a resumed campaign is checked again", async () => {
  const id = await running({ numbers: 14, concurrency: 1 });
  const runner = startRunner();
  for (let call = 0; call < BREAKER_MIN; call++) {
    await calling(id, 1);
    expect(await statusOf(id)).toBe("running");
    const [one] = await inState(id, "calling");
    await ends(runner, one?.callUuid ?? null, "declined");
    runner.wake();
  }
  await eventually(async () => (await statusOf(id)) === "stopped_by_breaker", "the breaker");
  clock.stepWallClock(1_000);
  await ask(server, tenant, "POST", `/campaigns/${id}/action`, { action: "resume" });
  runner.wake();
  await calling(id, 1);
  expect(await statusOf(id)).toBe("running");
});

test.each([
  ["what went well before them does not count", { failed: 0, well: 11, failedAgain: 10 }],
  ["the first of them counts", { failed: 1, well: 10, failedAgain: 9 }],
])("the breaker uses the last twenty calls: %s", async (_, { failed, well, failedAgain }) => {
  const calls = failed + well + failedAgain;
  const id = await running({ numbers: calls + 1, concurrency: 1 });
  const runner = startRunner();
  for (let call = 0; call < calls; call++) {
    await calling(id, 1);
    expect(await statusOf(id)).toBe("running");
    clock.stepWallClock(1_000);
    const [one] = await inState(id, "calling");
    const isWell = call >= failed && call < failed + well;
    await ends(runner, one?.callUuid ?? null, isWell ? "agent_hangup" : "declined");
    runner.wake();
  }
  await eventually(async () => (await statusOf(id)) === "stopped_by_breaker", "the breaker");
});

test("a person who opts out during the campaign is skipped, and the others are called", async () => {
  const id = await running({ numbers: 3, concurrency: 1 });
  const runner = startRunner();
  await calling(id, 1);
  await refuses(numberOf(1));
  await ends(runner, (await inState(id, "calling"))[0]?.callUuid ?? null, "agent_hangup");
  runner.wake();
  await eventually(
    async () => (await inState(id, "calling"))[0]?.numberE164 === numberOf(2),
    "the third is called",
  );
  expect((await targets(id))[1]).toMatchObject({ status: "skipped", outcome: "do_not_call" });
});

test("in a long list all opted-out numbers are skipped at once, and the next ones are called", async () => {
  const id = await running({ numbers: 1_003, concurrency: 2 });
  for (let n = 0; n < 1_001; n++) await refuses(numberOf(n));
  startRunner();
  await eventually(async () => (await inState(id, "skipped")).length === 1_001, "all are skipped");
  await calling(id, 2);
});

test("an opted-out number known only by its fingerprint is skipped without a call", async () => {
  await server.database.tx((queries) => refusals.add(queries, tenant.id, numberOf(0), 1));
  const id = await running({ numbers: 2, concurrency: 1 });
  const runner = startRunner();
  await calling(id, 1);
  expect((await targets(id))[0]).toMatchObject({ status: "skipped", outcome: "do_not_call" });
  expect((await inState(id, "calling"))[0]?.numberE164).toBe(numberOf(1));
  await runner.stop();
});

test("a number that may not be called now delays no other, and is called later", async () => {
  const id = await running({ numbers: 2, concurrency: 1 });
  const newCountry = new AppError({
    code: "plan_limit_reached",
    publicMessage: "Calls to new destinations are stopped.",
    field: "to_number",
  });
  let isStopped = true;
  const callService: CallService = {
    ...server.calls,
    async request(tenantId, call) {
      if (isStopped && call.toNumber === numberOf(0)) throw newCountry;
      return await server.calls.request(tenantId, call);
    },
  };
  const runner = startRunner(callService);
  await eventually(async () => ((await targets(id))[0]?.notBefore ?? 0) > NOON, "it waits");
  expect((await targets(id))[0]).toMatchObject({ status: "waiting", attempts: 0, outcome: null });
  runner.wake();
  await calling(id, 1);
  expect((await inState(id, "calling"))[0]?.numberE164).toBe(numberOf(1));
  await ends(runner, (await targets(id))[1]?.callUuid ?? null, "agent_hangup");
  isStopped = false;
  clock.stepWallClock(15 * MINUTE_MS);
  runner.wake();
  await calling(id, 1);
  expect((await inState(id, "calling"))[0]?.numberE164).toBe(numberOf(0));
});

test("a person in a call of one campaign is called by another after that call", async () => {
  const [first, second] = [await running({ numbers: 1 }), await running({ numbers: 2 })];
  const runner = startRunner();
  await calling(first, 1);
  await calling(second, 1);
  expect((await inState(second, "calling")).map(({ numberE164 }) => numberE164)).toEqual([
    numberOf(1),
  ]);
  await ends(runner, (await targets(first))[0]?.callUuid ?? null, "agent_hangup");
  runner.wake();
  await calling(second, 2);
});

test("a number is called once by two runners, and by one that starts after a crash", async () => {
  const id = await running({ numbers: 6, concurrency: 3 });
  const [first, second] = [startRunner(), startRunner()];
  first.wake();
  second.wake();
  await calling(id, 3);
  await Promise.all([first.stop(), second.stop()]);
  await startRunner().stop();
  expect(await inState(id, "calling")).toHaveLength(3);
  const placed = await server.database.read.select().from(schedules);
  expect(placed.map(({ toNumber }) => toNumber).sort()).toEqual([0, 1, 2].map(numberOf));
});

test("a call that ended while no runner was active is settled at the next start", async () => {
  const id = await running({ numbers: 2, concurrency: 1, attempts: 2 });
  const runner = startRunner();
  await calling(id, 1);
  await runner.stop();
  const [one] = await inState(id, "calling");
  await server.database.tx((queries) =>
    queries
      .update(calls)
      .set({ status: "failed", endedAt: clock.now(), endedReason: "interrupted" })
      .where(eq(calls.callUuid, one?.callUuid ?? "")),
  );
  startRunner();
  await eventually(
    async () => (await inState(id, "calling"))[0]?.numberE164 === numberOf(1),
    "the second is called",
  );
  expect((await targets(id))[0]).toMatchObject({
    status: "waiting",
    outcome: "interrupted",
    attempts: 1,
    notBefore: NOON + 60 * MINUTE_MS,
  });
});

test("a campaign without remaining numbers is finished, however its calls ended", async () => {
  const id = await running({ numbers: BREAKER_MIN, concurrency: BREAKER_MIN });
  const runner = startRunner();
  await calling(id, BREAKER_MIN);
  for (const { callUuid } of await inState(id, "calling")) await ends(runner, callUuid, "declined");
  runner.wake();
  await eventually(async () => (await statusOf(id)) !== "running", "it stops");
  expect(await statusOf(id)).toBe("finished");
});

test("the earlier results of repeated calls do not count against a resumed campaign", async () => {
  const atOnce = BREAKER_MIN + 1;
  const id = await running({ numbers: atOnce + 1, concurrency: atOnce, attempts: 2 });
  const runner = startRunner();
  await calling(id, atOnce);
  for (const { callUuid } of await inState(id, "calling")) await ends(runner, callUuid, "declined");
  runner.wake();
  await eventually(async () => (await statusOf(id)) === "stopped_by_breaker", "the breaker");
  clock.stepWallClock(60 * MINUTE_MS);
  await ask(server, tenant, "POST", `/campaigns/${id}/action`, { action: "resume" });
  runner.wake();
  await calling(id, atOnce);
  const last = (await targets(id)).at(-1);
  expect(last).toMatchObject({ status: "calling", attempts: 1 });
  await ends(runner, last?.callUuid ?? null, "agent_hangup");
  runner.wake();
  await calling(id, atOnce);
  expect(await statusOf(id)).toBe("running");
});

test.each([
  ["when it was answered", "in_progress"],
  ["before anybody answered", "ringing"],
] as const)("ten calls interrupted by our restart %s do not stop a campaign", async (_, status) => {
  const id = await running({ numbers: BREAKER_MIN + 1, concurrency: BREAKER_MIN, attempts: 2 });
  const runner = startRunner();
  await calling(id, BREAKER_MIN);
  await runner.stop();
  await interrupted(await inState(id, "calling"), status);
  startRunner();
  await eventually(
    async () => (await targets(id)).at(-1)?.status === "calling",
    "the last one is called",
  );
  expect(await statusOf(id)).toBe("running");
  expect(await inState(id, "waiting")).toHaveLength(BREAKER_MIN);
  for (const target of await inState(id, "waiting"))
    expect(target).toMatchObject({ attempts: 1, notBefore: NOON + 60 * MINUTE_MS });
});

test.each([
  [
    "before it rang is made up for, once",
    "dialing",
    [
      ["waiting", 1],
      ["failed", 2],
    ],
  ],
  ["while it rang was an attempt", "ringing", [["failed", 1]]],
  ["while they talked was an attempt", "in_progress", [["failed", 1]]],
] as const)("the only attempt, interrupted by our restart %s", async (_, status, states) => {
  const id = await running({ numbers: 1, attempts: 1 });
  for (const [state, attempts] of states) {
    const runner = startRunner();
    await calling(id, 1);
    await runner.stop();
    await interrupted(await inState(id, "calling"), status);
    startRunner();
    await calling(id, 0);
    expect(await targets(id)).toMatchObject([{ status: state, outcome: "interrupted", attempts }]);
    clock.stepWallClock(60 * MINUTE_MS);
  }
});

/** The reason why the call would not be dialled, or null. */
async function refusalOf(callUuid: string): Promise<AppError | null> {
  const call = { tenantId: tenant.id, callUuid, toNumber: numberOf(0) };
  return await server.database
    .tx((queries) => server.callerParts.callers.mayDial(queries, call))
    .then(
      () => null,
      (error) => error,
    );
}

/** The scheduler gives up an entry; by default the only one. */
async function abandoned(
  status: "failed" | "missed",
  why: AppError | null,
  named?: typeof schedules.$inferSelect,
): Promise<void> {
  const [only] = await server.database.read.select().from(schedules);
  const entry = named ?? only;
  if (!entry) throw new Error("no entry");
  const events = { emit: async () => undefined, wake: () => undefined };
  const ports = { database: server.database, stores: callStores, events, clock };
  await abandonSchedule(ports, entry, status, why);
}

test("a number whose turn comes after the hours is called the next day, with the attempt unused", async () => {
  const toClock = (time: string) => clock.stepWallClock(Date.parse(time) - clock.now());
  toClock("2026-11-20T17:59:59+02:00");
  const id = await running({ numbers: 1 });
  const first = startRunner();
  await calling(id, 1);
  await first.stop();
  const [target] = await inState(id, "calling");
  const callUuid = target?.callUuid ?? "";
  expect(await refusalOf(callUuid)).toBeNull();
  toClock("2026-11-20T18:00:00+02:00");
  const refused = await refusalOf(callUuid);
  expect(refused).toMatchObject({ retryable: false, code: "conflict" });
  await abandoned("failed", refused);
  const second = startRunner();
  await eventually(async () => (await inState(id, "waiting")).length === 1, "it waits again");
  await second.stop();
  expect(await targets(id)).toMatchObject([{ attempts: 0, callUuid: null }]);
  toClock("2026-11-21T10:00:00+02:00");
  startRunner();
  await calling(id, 1);
  expect(await targets(id)).toMatchObject([{ attempts: 1 }]);
});

test.each([
  ["pause", { status: "waiting", attempts: 0 }],
  ["cancel", { status: "skipped", outcome: "cancelled", attempts: 0 }],
])(
  "a number that still waits for a line or the trunk is not called after %s",
  async (action, left) => {
    const id = await running({ numbers: 1 });
    const first = startRunner();
    await calling(id, 1);
    await first.stop();
    const [target] = await inState(id, "calling");
    await ask(server, tenant, "POST", `/campaigns/${id}/action`, { action });
    const refused = await refusalOf(target?.callUuid ?? "");
    expect(refused).toMatchObject({ retryable: false, code: "conflict" });
    await abandoned("failed", refused);
    startRunner();
    await eventually(async () => (await inState(id, "calling")).length === 0, "it is given up");
    expect(await targets(id)).toMatchObject([left]);
  },
);

test("a cancelled campaign has no waiting numbers, even if its last call is busy", async () => {
  const id = await running({ numbers: 1, attempts: 3 });
  const runner = startRunner();
  await calling(id, 1);
  const [target] = await inState(id, "calling");
  await ask(server, tenant, "POST", `/campaigns/${id}/action`, { action: "cancel" });
  await ends(runner, target?.callUuid ?? null, "busy");
  expect(await targets(id)).toMatchObject([{ status: "failed", outcome: "busy", attempts: 1 }]);
});

test("a person who opts out while the call waits for a line is skipped, not failed", async () => {
  const id = await running({ numbers: 1, attempts: 1 });
  const first = startRunner();
  await calling(id, 1);
  await first.stop();
  const [target] = await inState(id, "calling");
  await refuses(numberOf(0));
  const refused = await refusalOf(target?.callUuid ?? "");
  expect(refused).toMatchObject({ retryable: false, code: "destination_not_allowed" });
  await abandoned("failed", refused);
  startRunner();
  await eventually(async () => (await statusOf(id)) === "finished", "the end");
  expect(await targets(id)).toMatchObject([{ status: "skipped", outcome: "do_not_call" }]);
});

const waiting = (code: "plan_limit_reached" | "rate_limited") =>
  new AppError({ code, publicMessage: "Not now.", retryable: true });

const noMoney = () =>
  new AppError({ code: "insufficient_balance", publicMessage: "Top up the wallet." });

const noTrunk = () => new TrunkUnreachable("It is silent.", true);

test.each([
  ["no line was free", waiting("plan_limit_reached")],
  ["the minute was full", waiting("rate_limited")],
  ["nobody was there to try", null],
  ["the money was used up", noMoney()],
  ["the trunk was away", noTrunk()],
] as const)("an unsuccessful wait does not use the attempt: %s", async (_, why) => {
  const id = await running({ numbers: 1 });
  const first = startRunner();
  await calling(id, 1);
  await first.stop();
  await abandoned(why === null ? "missed" : "failed", why);
  await ask(server, tenant, "POST", `/campaigns/${id}/action`, { action: "pause" });
  startRunner();
  await eventually(async () => (await inState(id, "waiting")).length === 1, "it waits again");
  expect(await targets(id)).toMatchObject([{ attempts: 0 }]);
});

test("ten calls without a reachable trunk stop the campaign, and none of them counts as failed", async () => {
  const id = await running({ numbers: BREAKER_MIN + 1, concurrency: BREAKER_MIN });
  const first = startRunner();
  await calling(id, BREAKER_MIN);
  await first.stop();
  for (const entry of await server.database.read.select().from(schedules))
    await abandoned("failed", noTrunk(), entry);
  startRunner();
  await eventually(async () => (await statusOf(id)) !== "running", "it stops");
  expect(await statusOf(id)).toBe("stopped_by_breaker");
  expect((await inState(id, "waiting")).map(({ attempts }) => attempts)).toEqual(
    Array(BREAKER_MIN + 1).fill(0),
  );
});

test("a campaign whose agent is deleted pauses with the reason: no other agent calls, and it does not resume", async () => {
  const made = await ask(server, tenant, "POST", "/agents", { name: "Survey", prompt: "x" });
  const surveyor = pickId(made, "agent.id");
  const id = await running({ numbers: 3, concurrency: 1, agent: surveyor });
  const runner = startRunner();
  await calling(id, 1);
  await ask(server, tenant, "DELETE", `/agents/${surveyor}`);
  await ends(runner, (await inState(id, "calling"))[0]?.callUuid ?? null, "agent_hangup");
  runner.wake();
  await eventually(async () => (await statusOf(id)) === "paused", "it pauses");
  const placed = await server.database.read.select().from(schedules);
  expect(placed.map((entry) => entry.toNumber)).toEqual([numberOf(0)]);
  expect(await ask(server, tenant, "GET", `/campaigns/${id}`)).toMatchObject({
    json: { campaign: { status: "paused", status_reason: "agent_deleted", agent_id: null } },
  });
  const resumed = await ask(server, tenant, "POST", `/campaigns/${id}/action`, {
    action: "resume",
  });
  expect(resumed.status).toBe(409);
});

/** The campaign's state and the reason of its pause, as REST shows them. */
async function told(id: number, of = tenant): Promise<readonly unknown[]> {
  const { json } = await ask(server, of, "GET", `/campaigns/${id}`);
  const { campaign } = json as { campaign: { status: string; status_reason: string | null } };
  return [campaign.status, campaign.status_reason];
}

test("a campaign without money shows the reason, and continues by itself after a top-up", async () => {
  const poor = await server.tenant({ plan: "prepaid" });
  const made = await ask(server, poor, "POST", "/agents", { name: "Care", prompt: "x" });
  const id = await running({ numbers: 2, of: poor, agent: pickId(made, "agent.id") });
  const runner = startRunner();
  runner.wake();
  await eventually(async () => (await told(id, poor))[1] !== null, "a reason");
  expect(await told(id, poor)).toEqual(["running", "insufficient_balance"]);
  expect(await inState(id, "waiting")).toHaveLength(2);
  await server.credit(poor.id, 1);
  expect(await told(id, poor)).toEqual(["running", null]);
  await clock.advance(15_000);
  await calling(id, 2);
  expect(await told(id, poor)).toEqual(["running", null]);
});

test("a campaign without a trunk shows the reason, and continues by itself when there is one", async () => {
  const silent = await server.tenant({ trunk: false });
  await server.credit(silent.id, 10);
  const made = await ask(server, silent, "POST", "/agents", { name: "Care", prompt: "x" });
  const id = await running({ numbers: 2, of: silent, agent: pickId(made, "agent.id") });
  startRunner();
  expect(await told(id, silent)).toEqual(["running", "no_trunk"]);
  await server.addTrunk(silent.id);
  expect(await told(id, silent)).toEqual(["running", null]);
  await clock.advance(15_000);
  await calling(id, 2);
});

test("a campaign whose company lost its trunk calls nobody, even with own numbers, and skips nobody", async () => {
  const lost = await server.tenant();
  await server.credit(lost.id, 10);
  const made = await ask(server, lost, "POST", "/agents", { name: "Care", prompt: "x" });
  await ask(server, lost, "POST", "/phone-numbers", { number_e164: "+37052000001" });
  const of = { ...lost, fromNumber: "+37052000001" };
  await server.database.tx((queries) => queries.delete(trunks).where(eq(trunks.tenantId, lost.id)));
  const id = await running({ numbers: 3, of, agent: pickId(made, "agent.id") });
  const later = await running({ numbers: 1 });
  startRunner();
  await calling(later, 1);
  expect((await targets(id)).map(({ status, outcome }) => [status, outcome])).toEqual(
    Array(3).fill(["waiting", null]),
  );
  expect(await told(id, lost)).toEqual(["running", "no_trunk"]);
});

test("a campaign waiting for its hours shows that; a paused or running one does not", async () => {
  clock.stepWallClock(Date.parse("2026-11-20T09:59:59+02:00") - clock.now());
  const id = await running({ numbers: 3, concurrency: 1 });
  expect(await told(id)).toEqual(["running", "outside_hours"]);
  await ask(server, tenant, "POST", `/campaigns/${id}/action`, { action: "pause" });
  expect(await told(id)).toEqual(["paused", null]);
  await ask(server, tenant, "POST", `/campaigns/${id}/action`, { action: "resume" });
  clock.stepWallClock(1_000);
  expect(await told(id)).toEqual(["running", null]);
  startRunner();
  await calling(id, 1);
  clock.stepWallClock(8 * 60 * MINUTE_MS);
  expect(await told(id)).toEqual(["running", null]);
});

test.each([
  [{ suspended: true }, "suspended"],
  [{ dailySpendMax: microEur(0) }, "daily_spend"],
])("a campaign whose company may place no call shows the reason: %j", async (changes, reason) => {
  const id = await running({ numbers: 1 });
  const set = (changed: object) =>
    server.database.tx(async (queries) => {
      await queries.update(tenants).set(changed).where(eq(tenants.id, tenant.id));
    });
  await set(changes);
  const { json } = await ask(server, tenant, "GET", "/campaigns");
  await set({ suspended: false, dailySpendMax: null });
  expect(json).toMatchObject({ campaigns: [{ id, status: "running", status_reason: reason }] });
});

test("a campaign whose agent is deleted after its last call is finished", async () => {
  const made = await ask(server, tenant, "POST", "/agents", { name: "Survey", prompt: "x" });
  const surveyor = pickId(made, "agent.id");
  const id = await running({ numbers: 1, agent: surveyor });
  const runner = startRunner();
  await calling(id, 1);
  await ask(server, tenant, "DELETE", `/agents/${surveyor}`);
  await ends(runner, (await targets(id))[0]?.callUuid ?? null, "agent_hangup");
  runner.wake();
  await eventually(async () => (await statusOf(id)) !== "running", "it stops");
  expect(await statusOf(id)).toBe("finished");
});

test.each(["waiting", "calling"] as const)(
  "a campaign with a number %s on another node is not finished",
  async (status) => {
    const id = await running({ numbers: 2 });
    await server.database.tx(async (queries) => {
      const [one, two] = await targets(id);
      await campaignStore(queries).settle(
        one?.id ?? 0,
        { status: "done", outcome: "x", notBefore: 0 },
        1,
      );
      await campaignStore(queries).settle(two?.id ?? 0, { status, outcome: "x", notBefore: 0 }, 1);
      await campaignStore(queries).leaveRunning(tenant.id, id, "finished", clock.now());
    });
    expect(await statusOf(id)).toBe("running");
  },
);

test("a campaign cancelled during the runner's check stays cancelled", async () => {
  const id = await running({ numbers: 1 });
  await ask(server, tenant, "POST", `/campaigns/${id}/action`, { action: "cancel" });
  await server.database.tx((queries) =>
    campaignStore(queries).leaveRunning(tenant.id, id, "finished", clock.now()),
  );
  expect(await statusOf(id)).toBe("cancelled");
});
