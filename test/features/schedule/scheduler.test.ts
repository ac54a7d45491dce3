import { expect, test } from "bun:test";
import { join } from "node:path";
import { AppError } from "../../../src/core/errors.ts";
import { silentLog } from "../../../src/core/log.ts";
import { scheduleStore } from "../../../src/features/schedule/schedule-store.ts";
import type { ScheduleEntry } from "../../../src/features/schedule/scheduler.ts";
import { type FireResult, Scheduler } from "../../../src/features/schedule/scheduler.ts";
import { schedules, tenants } from "../../../src/store/schema/index.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { openTestDatabase } from "../../support/store/test-store.ts";
import { tempDir } from "../../support/temp-dir.ts";

/** Specification, decisions: the grace window of 15 minutes. */
const GRACE_MS = 15 * 60_000;
const directory = tempDir();
let files = 0;

async function arrange(fire: (entry: ScheduleEntry) => FireResult | Promise<FireResult>) {
  const clock = fakeClock();
  const database = await openTestDatabase(join(directory, `${++files}.db`), clock.now());
  await database.tx((queries) =>
    queries.insert(tenants).values({
      name: "Clinic",
      email: "desk@example.com",
      plan: "start",
      timeZone: "UTC",
      webhookSecretSealed: "",
      webhookSecretPrefix: "",
      createdAt: clock.now(),
    }),
  );
  const fired: number[] = [];
  const abandoned: string[] = [];
  const add = (inMs: number) =>
    database.tx((queries) =>
      scheduleStore(queries).insert(1, {
        callUuid: crypto.randomUUID(),
        toNumber: "+37061234567",
        fromNumber: "+37052123456",
        scheduleAt: clock.now() + inMs,
        status: "pending",
        immediate: false,
        createdAt: clock.now(),
      }),
    );
  const leave = (entry: ScheduleEntry, status: "fired" | "missed" | "failed") =>
    database.tx((queries) =>
      scheduleStore(queries).leavePending(entry.tenantId, entry.id, status, {}),
    );
  const start = (owner = "node-1") =>
    new Scheduler({
      records: scheduleStore,
      database,
      clock,
      log: silentLog,
      owner,
      isDraining: () => false,
      async fire(entry) {
        const result = await fire(entry);
        if (result.type === "dialed" && !(await leave(entry, "fired"))) return { type: "gone" };
        if (result.type === "dialed") fired.push(entry.id);
        return result;
      },
      async abandon(entry, status, error) {
        await leave(entry, status);
        abandoned.push(`${entry.id}:${status}:${error?.code ?? ""}`);
      },
    }).start();
  const statusOf = async (id: number) =>
    (await database.read.select().from(schedules)).find((row) => row.id === id)?.status;
  return { clock, database, add, start, fired, abandoned, statusOf };
}

const CAP_IS_FULL: FireResult = {
  type: "waits",
  error: new AppError({
    code: "plan_limit_reached",
    publicMessage: "All are taken.",
    retryable: true,
  }),
};

async function oneRound(scheduler: Scheduler) {
  scheduler.wake();
  await scheduler.idle();
  await scheduler.stop();
}

test("a due entry is fired once, a later one waits", async () => {
  const world = await arrange(() => ({ type: "dialed" }));
  const due = await world.add(-1000);
  const later = await world.add(60_000);
  await oneRound(world.start());
  await oneRound(world.start());
  expect(world.fired).toEqual([due]);
  expect(await world.statusOf(later)).toBe("pending");
  await world.clock.advance(60_000);
  await oneRound(world.start());
  expect(world.fired).toEqual([due, later]);
  await world.database.close();
});

test("inside the grace window a late entry is dialled, after it it is missed", async () => {
  const world = await arrange(() => ({ type: "dialed" }));
  const inside = await world.add(-GRACE_MS);
  const past = await world.add(-GRACE_MS - 1);
  await oneRound(world.start());
  expect(world.fired).toEqual([inside]);
  expect(world.abandoned).toEqual([`${past}:missed:`]);
  await world.database.close();
});

test("with a full plan the entry stays pending and is retried", async () => {
  let full = true;
  const world = await arrange(() => (full ? CAP_IS_FULL : { type: "dialed" }));
  const first = await world.add(-2);
  const second = await world.add(-1);
  await oneRound(world.start());
  expect(await world.statusOf(first)).toBe("pending");
  full = false;
  await world.clock.advance(3_000);
  await oneRound(world.start());
  expect(world.fired).toEqual([first, second]);
  await world.database.close();
});

test("an entry still waiting at the end of its grace window fails with the reason of the wait, not as missed", async () => {
  const world = await arrange(() => CAP_IS_FULL);
  const waited = [await world.add(-1_000), await world.add(0)];
  const scheduler = world.start();
  await scheduler.idle();
  world.clock.stepWallClock(GRACE_MS - 2_000);
  for (const [passed, expected] of [
    [1_000, []],
    [2_000, waited],
  ] as const) {
    await world.clock.advance(passed);
    await scheduler.idle();
    expect(world.abandoned).toEqual(expected.map((id) => `${id}:failed:plan_limit_reached`));
  }
  await scheduler.stop();
  // This one was never tried.
  const missed = await world.add(-GRACE_MS - 60_000);
  await oneRound(world.start("node-2"));
  expect(world.abandoned.at(-1)).toBe(`${missed}:missed:`);
  await world.database.close();
});

test("an entry due long after a wait and not tried in time is missed", async () => {
  let full = true;
  const world = await arrange(() => (full ? CAP_IS_FULL : { type: "dialed" }));
  await world.add(-1);
  const scheduler = world.start();
  await scheduler.idle();
  full = false;
  await world.clock.advance(1_000);
  await scheduler.idle();
  const later = await world.add(10_000);
  // The process is stopped for an hour and keeps its memory.
  world.clock.stepWallClock(3_600_000);
  scheduler.wake();
  await scheduler.idle();
  await scheduler.stop();
  expect(world.abandoned).toEqual([`${later}:missed:`]);
  await world.database.close();
});

test("a refused entry fails with its reason and is not retried", async () => {
  const error = new AppError({ code: "destination_not_allowed", publicMessage: "no" });
  const world = await arrange(() => ({ type: "refused", error }));
  const id = await world.add(-1);
  await oneRound(world.start());
  await oneRound(world.start());
  expect(world.abandoned).toEqual([`${id}:failed:destination_not_allowed`]);
  await world.database.close();
});

test("two nodes on one store never fire the same entry", async () => {
  const world = await arrange(() => ({ type: "dialed" }));
  const ids = [];
  for (let n = 0; n < 150; n++) ids.push(await world.add(-1));
  const nodes = [world.start("node-1"), world.start("node-2")];
  await Promise.all(nodes.map(oneRound));
  await oneRound(world.start("node-3"));
  expect([...world.fired].sort((a, b) => a - b)).toEqual(ids);
  await world.database.close();
});

test("an entry whose firing threw is fired again when its lease is over", async () => {
  let broken = true;
  const world = await arrange(() => {
    if (broken) throw new Error("store in trouble");
    return { type: "dialed" };
  });
  const id = await world.add(-1);
  await oneRound(world.start());
  broken = false;
  await oneRound(world.start());
  expect(world.fired).toEqual([]);
  await world.clock.advance(31_000);
  await oneRound(world.start());
  expect(world.fired).toEqual([id]);
  await world.database.close();
});
