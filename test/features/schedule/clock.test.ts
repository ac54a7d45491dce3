/** Schedules under unusual clocks and loads: daylight-saving time, steps, days down, ten thousand at once. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { AppError } from "../../../src/core/errors.ts";
import { silentLog } from "../../../src/core/log.ts";
import { scheduleStore } from "../../../src/features/schedule/schedule-store.ts";
import { GRACE_MS, Scheduler } from "../../../src/features/schedule/scheduler.ts";
import { schedules } from "../../../src/store/schema/index.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { insertTenant } from "../../support/store/stored-rows.ts";
import { openTestDatabase } from "../../support/store/test-store.ts";
import { tempDir } from "../../support/temp-dir.ts";

setDefaultTimeout(60_000);

const directory = tempDir();
let files = 0;
const HOUR = 3_600_000;
const PIECE = 250;
const START = Date.parse("2026-11-21T04:05:06Z");
const CAP_IS_FULL = new AppError({ code: "plan_limit_reached", publicMessage: "full" });

interface Fired {
  readonly id: number;
  readonly tenantId: number;
  readonly lateMs: number;
}

async function arrange(startMs = START, isFull: (tenantId: number) => boolean = () => false) {
  const clock = fakeClock(startMs);
  const database = await openTestDatabase(join(directory, `${++files}.db`), clock.now());
  const tenantId = await insertTenant(database);
  const fired: Fired[] = [];
  const missed: number[] = [];
  const leave = (
    entry: { id: number; tenantId: number; leaseToken: number },
    status: "fired" | "missed",
  ) =>
    database.tx((queries) =>
      scheduleStore(queries).leavePending(entry.tenantId, entry.id, status, {}, entry.leaseToken),
    );
  const start = () =>
    new Scheduler({
      records: scheduleStore,
      database,
      clock,
      log: silentLog,
      owner: `process-${++files}`,
      isDraining: () => false,
      async fire(entry) {
        if (isFull(entry.tenantId)) return { type: "waits", error: CAP_IS_FULL };
        if (!(await leave(entry, "fired"))) return { type: "gone" };
        const { id, tenantId: tenant } = entry;
        fired.push({ id, tenantId: tenant, lateMs: clock.now() - entry.scheduleAt });
        return { type: "dialed" };
      },
      async abandon(entry) {
        if (await leave(entry, "missed")) missed.push(entry.id);
      },
    }).start();
  /** In pieces: on a server a transaction has a time limit. */
  async function at(scheduleAt: number, count = 1, tenant = tenantId): Promise<number[]> {
    const ids: number[] = [];
    while (ids.length < count)
      await database.tx(async (queries) => {
        for (let n = Math.min(PIECE, count - ids.length); n > 0; n--)
          ids.push(
            await scheduleStore(queries).insert(tenant, {
              callUuid: crypto.randomUUID(),
              toNumber: "+37061234567",
              fromNumber: "+37052123456",
              scheduleAt,
              status: "pending",
              immediate: false,
              createdAt: clock.now(),
            }),
          );
      });
    return ids;
  }
  /** Advances time; the scheduler checks every second. */
  async function pass(scheduler: ReturnType<typeof start>, ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 1_000) {
      await clock.advance(Math.min(1_000, left));
      await scheduler.idle();
    }
  }
  return { clock, database, tenantId, fired, missed, start, at, pass };
}

test("an entry is fired within a second of its time", async () => {
  const world = await arrange();
  const scheduler = world.start();
  await world.at(world.clock.now() + 5_300);
  await world.pass(scheduler, 10_000);
  expect(world.fired).toHaveLength(1);
  expect(world.fired[0]?.lateMs).toBeLessThanOrEqual(1_000);
  await scheduler.stop();
  await world.database.close();
});

test("between two checks it wakes up exactly when an entry falls due", async () => {
  const world = await arrange();
  const scheduler = world.start();
  const begin = world.clock.now();
  await world.at(begin + 5_300);
  await world.at(begin + 5_640, 2);
  await world.at(begin + 7_001);
  for (let ms = 0; ms < 8_000; ms++) {
    await world.clock.advance(1);
    await scheduler.idle();
  }
  expect(world.fired.map(({ lateMs }) => lateMs)).toEqual([0, 0, 0, 0]);
  await scheduler.stop();
  expect(world.clock.pendingTimers).toBe(0);
  await world.database.close();
});

/** The machine's zone is that of a process, so each case is its own process. */
for (const [what, from] of [
  ["the hour that does not exist", "2026-03-29T00:30:00Z"],
  ["the hour that comes twice", "2026-10-25T00:30:00Z"],
] as const)
  test(`${what}: an entry per minute is fired once and at its time, whatever the machine's zone`, async () => {
    const program = fileURLToPath(
      new URL("../../support/process/daylight-process.ts", import.meta.url),
    );
    const child = Bun.spawn([process.execPath, program, from], {
      env: { ...process.env, TZ: "Europe/Vilnius" },
      stdout: "pipe",
      stderr: "inherit",
    });
    const seen = JSON.parse(await new Response(child.stdout).text());
    expect(await child.exited).toBe(0);
    expect(seen).toMatchObject({ zoneShifts: true, entries: 150, fired: 150, once: true });
    expect(seen.latestMs).toBeLessThanOrEqual(1_000);
  });

test("a clock set back an hour fires nothing again; later entries still fire at their time", async () => {
  const world = await arrange();
  const scheduler = world.start();
  const [first] = await world.at(world.clock.now() + 2_000);
  const [second] = await world.at(world.clock.now() + HOUR);
  await world.pass(scheduler, 5_000);
  world.clock.stepWallClock(-HOUR);
  await world.pass(scheduler, 10_000);
  expect(world.fired.map(({ id }) => id)).toEqual([first ?? 0]);
  world.clock.stepWallClock(2 * HOUR - 20_000);
  await world.pass(scheduler, 30_000);
  expect(world.fired.map(({ id }) => id)).toEqual([first ?? 0, second ?? 0]);
  await scheduler.stop();
  await world.database.close();
});

test("a clock set forward an hour fires entries inside the grace window and reports the rest as missed", async () => {
  const world = await arrange();
  const scheduler = world.start();
  const [late] = await world.at(world.clock.now() + HOUR - GRACE_MS - 60_000);
  const [inside] = await world.at(world.clock.now() + HOUR - 60_000);
  world.clock.stepWallClock(HOUR);
  await world.pass(scheduler, 3_000);
  expect(world.fired.map(({ id }) => id)).toEqual([inside ?? 0]);
  expect(world.missed).toEqual([late ?? 0]);
  world.clock.stepWallClock(-HOUR);
  await world.pass(scheduler, 3_000);
  world.clock.stepWallClock(HOUR);
  await world.pass(scheduler, 3_000);
  expect(world.fired).toHaveLength(1);
  await scheduler.stop();
  await world.database.close();
});

test("a clock reset to 1970 fires nothing, holds no lease for ever, and catches up when it is set", async () => {
  const world = await arrange();
  const [id] = await world.at(world.clock.now() + 1_000);
  const now = world.clock.now();
  // Claimed by a process that dies; then the machine starts with a wrong clock.
  await world.clock.advance(2_000);
  await world.database.tx((queries) =>
    scheduleStore(queries).claimDue("dead", world.clock.now(), 30_000, 10, {
      exceptTenants: [],
      immediateOnly: false,
      node: null,
    }),
  );
  world.clock.stepWallClock(-world.clock.now());
  const scheduler = world.start();
  await world.pass(scheduler, 60_000);
  expect(world.fired).toEqual([]);
  world.clock.stepWallClock(now + 60_000 - world.clock.now());
  await world.pass(scheduler, 5_000);
  expect(world.fired.map((entry) => entry.id)).toEqual([id ?? 0]);
  await scheduler.stop();
  await world.database.close();
});

test("a lease from before the clock was set back an hour does not delay its entry", async () => {
  const world = await arrange();
  const [id] = await world.at(world.clock.now() - 2 * HOUR + 60_000);
  world.clock.stepWallClock(-HOUR - 60_000 * 59);
  void id;
  await world.at(world.clock.now());
  const claim = () =>
    world.database.tx((queries) =>
      scheduleStore(queries).claimDue("dead", world.clock.now(), 30_000, 10, {
        exceptTenants: [],
        immediateOnly: false,
        node: null,
      }),
    );
  world.clock.stepWallClock(GRACE_MS);
  expect((await claim()).length).toBeGreaterThan(0);
  world.clock.stepWallClock(-60_000);
  const scheduler = world.start();
  await world.pass(scheduler, 2_000);
  expect(world.fired.length).toBeGreaterThan(0);
  await scheduler.stop();
  await world.database.close();
});

test("after 24 hours down only the last quarter of an hour is dialled; the rest is missed, each once", async () => {
  const world = await arrange();
  const begin = world.clock.now();
  for (let minute = 1; minute <= 24 * 60; minute += 5) await world.at(begin + minute * 60_000);
  world.clock.stepWallClock(24 * HOUR);
  const scheduler = world.start();
  await world.pass(scheduler, 3_000);
  await scheduler.stop();
  const again = world.start();
  await world.pass(again, 3_000);
  await again.stop();
  expect([world.fired.length, world.missed.length]).toEqual([3, 285]);
  for (const { lateMs } of world.fired) expect(lateMs).toBeLessThanOrEqual(GRACE_MS);
  await world.database.close();
});

test("10,000 due at once under caps: each dialled once, in order, and one tenant's load delays no other", async () => {
  const CAP = 200;
  const CALL_MS = 1_500;
  const live: { tenantId: number; until: number }[] = [];
  let nowMs = () => 0;
  const isFull = (tenantId: number) => {
    const of = live.filter((call) => call.tenantId === tenantId && call.until > nowMs());
    if (of.length >= CAP) return true;
    live.push({ tenantId, until: nowMs() + CALL_MS });
    return false;
  };
  const world = await arrange(START, isFull);
  nowMs = () => world.clock.monotonic();
  const small = await insertTenant(world.database);
  const due = world.clock.now() + 1_000;
  const crowd = await world.at(due, 10_000);
  const few = await world.at(due, 20, small);
  const scheduler = world.start();
  for (let seconds = 0; world.fired.length < 10_020 && seconds < 880; seconds++) {
    await world.pass(scheduler, 1_000);
    live.splice(0, live.length, ...live.filter((call) => call.until > nowMs()));
    if (seconds === 3) {
      const mine = world.fired.filter(({ tenantId }) => tenantId === small);
      expect(mine.map(({ id }) => id)).toEqual(few);
    }
  }
  const mine = world.fired.filter(({ tenantId }) => tenantId === world.tenantId);
  expect(mine.map(({ id }) => id)).toEqual(crowd);
  expect(world.missed).toEqual([]);
  const open = (await world.database.read.select().from(schedules)).filter(
    ({ status }) => status === "pending",
  );
  expect(open).toEqual([]);
  // 200 calls of 1.5 s each: the time that the cap allows, plus at most one check per wave.
  const last = Math.max(...mine.map(({ lateMs }) => lateMs));
  expect(last).toBeLessThanOrEqual((10_000 / CAP) * (CALL_MS + 1_000));
  await scheduler.stop();
  await world.database.close();
});
