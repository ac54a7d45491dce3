/** When the scheduler checks, how long it claims entries, and when it gives one up: to the millisecond. */
import { expect, test } from "bun:test";
import { AppError } from "../../../src/core/errors.ts";
import { silentLog } from "../../../src/core/log.ts";
import { type ScheduleEntry, Scheduler } from "../../../src/features/schedule/scheduler.ts";
import { fakeClock } from "../../support/fake-clock.ts";

const FULL = new AppError({ code: "plan_limit_reached", publicMessage: "All lines are busy." });
const GRACE_MS = 15 * 60_000;

function world() {
  const clock = fakeClock();
  const due: ScheduleEntry[] = [];
  const looks: unknown[][] = [];
  const claims: unknown[][] = [];
  const fired: number[] = [];
  const released: number[] = [];
  const abandoned: unknown[][] = [];
  const answer = {
    fire: (): { type: string; error?: AppError } => ({ type: "started" }),
    isDraining: false,
  };
  const records = () => ({
    async firstDue(nowMs: number, dueBy: number, leaseMs: number, filter: object) {
      looks.push([nowMs, dueBy - nowMs, leaseMs, filter]);
      return due[0] ? nowMs : null;
    },
    async claimDue(owner: string, _nowMs: number, leaseMs: number, most: number) {
      claims.push([owner, leaseMs, most]);
      return due.splice(0);
    },
    release: async (_owner: string, entries: readonly ScheduleEntry[]) =>
      void released.push(...entries.map(({ id }) => id)),
  });
  const scheduler = new Scheduler({
    clock,
    records,
    log: silentLog,
    owner: "me",
    isDraining: () => answer.isDraining,
    database: { read: {}, tx: (work: (queries: object) => unknown) => work({}) },
    async fire(entry: ScheduleEntry) {
      fired.push(entry.id);
      return answer.fire();
    },
    abandon: async ({ id }: ScheduleEntry, status: string, error: AppError | null) =>
      void abandoned.push([id, status, error]),
  } as unknown as ConstructorParameters<typeof Scheduler>[0]);
  const add = (id: number, scheduleAt = clock.now()) =>
    due.push({ id, tenantId: 1, scheduleAt } as ScheduleEntry);
  return { clock, due, looks, claims, fired, released, abandoned, answer, scheduler, add };
}

test("checks once a second, a second ahead, and claims at most a hundred for 30 seconds", async () => {
  const { clock, looks, claims, fired, scheduler, add } = world();
  const startMs = clock.now();
  scheduler.start();
  await clock.advance(1_000);
  add(7);
  await clock.advance(1_000);
  await scheduler.idle();
  expect(looks.slice(0, 3)).toEqual(
    [0, 1_000, 2_000].map((ms) => [
      ...[startMs + ms, 1_000, 30_000, { exceptTenants: [], node: null, immediateOnly: false }],
    ]),
  );
  expect(claims).toEqual([["me", 30_000, 100]]);
  expect(fired).toEqual([7]);
  await scheduler.stop();
});

test("an entry is given up when it is more than 15 minutes late", async () => {
  const { clock, fired, abandoned, scheduler, add } = world();
  add(1, clock.now() - GRACE_MS);
  add(2, clock.now() - GRACE_MS - 1);
  scheduler.start();
  await scheduler.idle();
  expect(fired).toEqual([1]);
  expect(abandoned).toEqual([[2, "missed", null]]);
  await scheduler.stop();
});

test("a tenant at its limit waits 900 ms, and is given up with the reason", async () => {
  const { clock, looks, fired, released, abandoned, answer, scheduler, add } = world();
  answer.fire = () => ({ type: "waits", error: FULL });
  const dueAt = clock.now();
  add(1, dueAt);
  add(2, dueAt);
  scheduler.start();
  await scheduler.idle();
  expect(fired).toEqual([1]);
  expect(released).toEqual([1, 2]);
  expect(looks.at(-1)?.at(-1)).toEqual({ exceptTenants: [1], node: null, immediateOnly: false });
  await clock.advance(899);
  scheduler.wake();
  await scheduler.idle();
  expect(looks.at(-1)?.at(-1)).toEqual({ exceptTenants: [1], node: null, immediateOnly: false });
  await clock.advance(1);
  scheduler.wake();
  await scheduler.idle();
  expect(looks.at(-1)?.at(-1)).toEqual({ exceptTenants: [], node: null, immediateOnly: false });
  add(3, dueAt);
  clock.stepWallClock(GRACE_MS);
  scheduler.wake();
  await scheduler.idle();
  expect(abandoned).toEqual([[3, "failed", FULL]]);
  await scheduler.stop();
});

test("50 ms after the end of a waiting tenant's call its entries are checked", async () => {
  const { clock, looks, answer, scheduler, add } = world();
  answer.fire = () => ({ type: "waits", error: FULL });
  add(1);
  scheduler.start();
  await scheduler.idle();
  scheduler.freed(2);
  scheduler.freed(1);
  const before = looks.length;
  await clock.advance(49);
  expect(looks.length).toBe(before);
  await clock.advance(1);
  await scheduler.idle();
  expect(looks.at(-1)?.at(-1)).toEqual({ exceptTenants: [], node: null, immediateOnly: false });
  await scheduler.stop();
});

test("nothing is checked, fired or given up while the appliance drains", async () => {
  const { clock, looks, fired, released, abandoned, answer, scheduler, add } = world();
  answer.isDraining = true;
  add(1);
  add(2, clock.now() - GRACE_MS - 1);
  scheduler.start();
  await clock.advance(1_000);
  await scheduler.idle();
  expect([looks, fired, abandoned]).toEqual([[], [], []]);
  answer.isDraining = false;
  answer.fire = () => {
    answer.isDraining = true;
    return { type: "started" };
  };
  add(3);
  await clock.advance(1_000);
  await scheduler.idle();
  expect([fired, released, abandoned]).toEqual([[1], [2, 3], []]);
  await scheduler.stop();
});
