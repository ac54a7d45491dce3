/** When birthdays are checked, how many calls are placed, and when the second try comes. */
import { expect, test } from "bun:test";
import { AppError } from "../../../src/core/errors.ts";
import { silentLog } from "../../../src/core/log.ts";
import { BirthdayCalls } from "../../../src/features/contact/birthday-calls.ts";
import { fakeClock } from "../../support/fake-clock.ts";

const NOON = Date.parse("2026-11-24T12:00:00Z");
const HOUR = 3_600_000;
const TENANT = {
  tenantId: 1,
  timeZone: "UTC",
  isOn: true,
  agentId: 7,
  hours: { from: 600, to: 1_080, holidays: null },
};

interface Entry {
  readonly id: number;
  readonly attempts: number;
  readonly createdAt: number;
}

function world(entries: Entry[], failure: AppError | null = null, tenant = {}) {
  const clock = fakeClock(NOON);
  const asked: unknown[][] = [];
  const placed: number[] = [];
  const settled: unknown[][] = [];
  const looksAtMs: number[] = [];
  const person = { contactId: 1, numberE164: "+37060000001", firstName: "A", lastName: "B" };
  const records = () => ({
    releaseLost: async () => void looksAtMs.push(clock.elapsedMs),
    tenants: async () => [{ ...TENANT, ...tenant }],
    async due(tenantId: number, _day: object, most: number) {
      asked.push([tenantId, most]);
      return [];
    },
    waiting: async () => entries.map((entry) => ({ ...person, ...entry })),
    settle: async (id: number, state: string) => void settled.push([id, state]),
  });
  const calls = new BirthdayCalls({
    clock,
    log: silentLog,
    records,
    database: { read: {}, tx: (work: (queries: object) => unknown) => work({}) },
    callService: () => ({
      async request(_tenantId: number, { scheduleAtMs }: { scheduleAtMs: number }) {
        if (failure) throw failure;
        placed.push(scheduleAtMs - NOON);
      },
    }),
  } as unknown as ConstructorParameters<typeof BirthdayCalls>[0]);
  return { clock, asked, placed, settled, looksAtMs, calls };
}
const entry = (id: number, attempts = 0, createdAt = NOON): Entry => ({ id, attempts, createdAt });

test("checks every ten minutes, for at most 500 new ones", async () => {
  const { clock, asked, looksAtMs, calls } = world([]);
  calls.start();
  await clock.advance(20 * 60_000);
  expect(looksAtMs).toEqual([0, 600_000, 1_200_000]);
  expect(asked[0]).toEqual([1, 500]);
  await calls.stop();
});

test("calls are spread over the rest of the hours, a second try comes three hours later", async () => {
  const first = world([entry(1), entry(2), entry(3)]);
  await first.calls.look();
  expect(first.placed).toEqual([0, 2 * HOUR, 4 * HOUR]);
  const second = world([entry(1, 1), entry(2, 1)]);
  await second.calls.look();
  expect(second.placed).toEqual([3 * HOUR, 4.5 * HOUR]);
});

test("a call is given up after two tries, on another day, or without remaining time", async () => {
  const { placed, settled, calls } = world([entry(1, 2), entry(2, 0, NOON - 24 * HOUR)]);
  await calls.look();
  expect([placed, settled]).toEqual([
    [],
    [
      [1, "given_up"],
      [2, "given_up"],
    ],
  ]);
  const monthAgo = world([entry(1, 0, Date.parse("2026-10-24T12:00:00Z"))]);
  await monthAgo.calls.look();
  expect([monthAgo.placed, monthAgo.settled]).toEqual([[], [[1, "given_up"]]]);
  const late = world([entry(1, 1), entry(2, 0)]);
  late.clock.stepWallClock(3 * HOUR);
  await late.calls.look();
  expect([late.settled, late.placed.length]).toEqual([[[1, "given_up"]], 1]);
});

test("nothing is checked outside the hours, at their end or without an agent", async () => {
  for (const [hours, looks] of [
    [-2 * HOUR - 1, 0],
    [-2 * HOUR, 1],
    [6 * HOUR - 1, 1],
    [6 * HOUR, 0],
  ] as const) {
    const { clock, asked, calls } = world([]);
    clock.stepWallClock(hours);
    await calls.look();
    expect([hours, asked.length]).toEqual([hours, looks]);
  }
  const nobody = world([], null, { agentId: null });
  await nobody.calls.look();
  expect(nobody.asked).toEqual([]);
});

test("a forbidden destination is given up, a temporary refusal is retried", async () => {
  const outcomes = [
    ["destination_not_allowed", false],
    ["destination_not_allowed", true],
    ["plan_limit_reached", false],
  ] as const;
  const given = outcomes.map(async ([code, retryable]) => {
    const failure = new AppError({ code, publicMessage: "No.", retryable });
    const { settled, calls } = world([entry(1)], failure);
    await calls.look();
    return settled.length;
  });
  expect(await Promise.all(given)).toEqual([1, 0, 0]);
});
