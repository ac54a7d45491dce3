/** A clock that jumps: when it is trusted, and how the appliance continues. */
import { expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { silentLog } from "../../src/core/log.ts";
import { clockDoubt, watchClock } from "../../src/ops/clock-sanity.ts";
import { type FakeClock, fakeClock } from "../support/fake-clock.ts";
import { tempDir } from "../support/temp-dir.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const START = Date.parse("2026-11-27T10:00:00Z");

interface World {
  readonly dataDir?: string;
  readonly clock?: FakeClock;
  readonly synchronised?: boolean | null;
}

function world({ dataDir = tempDir(), clock = fakeClock(START), synchronised = null }: World = {}) {
  const lines: string[] = [];
  const write = (event: string, fields?: Readonly<Record<string, unknown>>) =>
    void lines.push(fields && "why" in fields ? `${event} ${fields.why}` : event);
  const watch = watchClock({
    dataDir,
    clock,
    log: { ...silentLog, warn: write, error: write },
    isSynchronised: async () => synchronised,
  });
  const state = () => [watch.isTrusted(), watch.mayDelete()];
  return { dataDir, clock, watch, lines, state };
}

const TRUSTED = [true, true];
const NO_DELETION = [true, false];
const DOUBTED = [false, false];

/** An appliance that ran a day, was off, and started again with the clock this far ahead. */
async function startedAgain(aheadMs: number, synchronised: boolean | null = null) {
  const first = world();
  await first.clock.advance(DAY);
  first.watch.stop();
  return world({ dataDir: first.dataDir, synchronised, clock: fakeClock(START + DAY + aheadMs) });
}

test("a clock set by hours is trusted", async () => {
  const { clock, state, watch, lines } = world();
  for (let step = 0; step < 24; step++) {
    clock.stepWallClock(step % 2 === 0 ? HOUR : -HOUR);
    await clock.advance(MINUTE);
    expect([state(), watch.aheadMs(), watch.warning()]).toEqual([TRUSTED, 0, null]);
  }
  expect(lines).toEqual([]);
  watch.stop();
  expect(clock.pendingTimers).toBe(0);
});

test("a jump of more than a day is not trusted, until the clock is right again", async () => {
  const { clock, state, watch, lines } = world();
  await clock.advance(HOUR);
  clock.stepWallClock(DAY);
  expect(state()).toEqual(TRUSTED);
  clock.stepWallClock(1);
  expect([state(), watch.aheadMs()]).toEqual([DOUBTED, DAY + 1]);
  clock.stepWallClock(5 * 365 * DAY);
  await clock.advance(90 * DAY);
  expect([state(), lines]).toEqual([DOUBTED, ["clock.untrusted"]]);
  expect(watch.warning()).toContain("linevoice clock confirm");
  clock.stepWallClock(-5 * 365 * DAY - DAY - 1);
  expect(state()).toEqual(TRUSTED);
  await clock.advance(MINUTE);
  expect([watch.warning(), lines.at(-1)]).toEqual([null, "clock.trusted right_again"]);
});

test("the operator's confirmation makes the clock trusted", async () => {
  const { clock, state, watch, lines } = world();
  clock.stepWallClock(5 * 365 * DAY);
  await clock.advance(MINUTE);
  watch.confirm();
  expect([state(), lines.at(-1)]).toEqual([TRUSTED, "clock.trusted confirmed"]);
  await clock.advance(DAY);
  expect(state()).toEqual(TRUSTED);
});

test("with a time server a jump of up to a year is trusted; deletion still waits a day", async () => {
  for (const [aheadMs, expected] of [
    [366 * DAY, NO_DELETION],
    [366 * DAY + 1, DOUBTED],
  ] as const) {
    const { clock, state, lines } = world({ synchronised: true });
    await clock.advance(HOUR);
    clock.stepWallClock(aheadMs);
    expect(state()).toEqual(DOUBTED);
    await clock.advance(MINUTE);
    expect([aheadMs, state()]).toEqual([aheadMs, [...expected]]);
    if (expected === DOUBTED) continue;
    expect(lines).toEqual(["clock.trusted synchronised"]);
    await clock.advance(DAY - 1);
    expect(state()).toEqual(NO_DELETION);
    await clock.advance(1);
    expect(state()).toEqual(TRUSTED);
  }
});

test("an unsynchronised clock stays untrusted", async () => {
  const { clock, state } = world({ synchronised: false });
  await clock.advance(HOUR);
  clock.stepWallClock(2 * DAY);
  await clock.advance(DAY);
  expect(state()).toEqual(DOUBTED);
});

test("an appliance that was off works at once; deletion waits a day, over restarts too", async () => {
  const night = await startedAgain(DAY);
  expect([night.state(), night.lines]).toEqual([TRUSTED, []]);
  const weekend = await startedAgain(60 * DAY);
  expect([weekend.state(), weekend.lines]).toEqual([NO_DELETION, ["clock.trusted was_off"]]);
  expect(weekend.watch.warning()).toContain("2027-01-28");
  await weekend.clock.advance(10 * HOUR);
  weekend.watch.stop();
  const { dataDir } = weekend;
  const tomorrow = world({ dataDir, clock: fakeClock(weekend.clock.now() + 14 * HOUR - 1) });
  expect(tomorrow.state()).toEqual(NO_DELETION);
  await tomorrow.clock.advance(1);
  expect(tomorrow.state()).toEqual(TRUSTED);
});

test("after a longer time off it needs a time server, or the operator", async () => {
  const alone = await startedAgain(60 * DAY + 1);
  await alone.clock.advance(MINUTE);
  expect(alone.state()).toEqual(DOUBTED);
  alone.watch.stop();
  // A restart does not make a wrong clock trusted.
  const again = world({ dataDir: alone.dataDir, clock: fakeClock(alone.clock.now() + HOUR) });
  expect(again.state()).toEqual(DOUBTED);
  const kept = await startedAgain(60 * DAY + 1, true);
  await kept.clock.advance(0);
  expect(kept.state()).toEqual(NO_DELETION);
});

test("on a machine without a hardware clock the time is set after the start", async () => {
  const { clock, state, lines } = await startedAgain(-300 * DAY);
  expect(state()).toEqual(TRUSTED);
  await clock.advance(5 * MINUTE);
  clock.stepWallClock(300 * DAY);
  expect([state(), lines]).toEqual([TRUSTED, []]);
  clock.stepWallClock(20 * DAY);
  await clock.advance(MINUTE);
  expect([state(), lines]).toEqual([NO_DELETION, ["clock.trusted was_off"]]);
});

test("deletion does not wait for a clock set back", async () => {
  const { clock, state } = await startedAgain(30 * DAY);
  expect(state()).toEqual(NO_DELETION);
  clock.stepWallClock(-30 * DAY);
  expect(state()).toEqual(TRUSTED);
});

test("a clock more than a day behind gives a warning until it is right or confirmed", async () => {
  const { clock, state, watch } = world();
  clock.stepWallClock(-DAY);
  expect([state(), watch.aheadMs(), watch.warning()]).toEqual([TRUSTED, 0, null]);
  clock.stepWallClock(-1);
  await clock.advance(MINUTE);
  expect([state(), watch.aheadMs()]).toEqual([TRUSTED, -DAY - 1]);
  expect(watch.warning()).toContain("it already was 2026-11-27T10:01:00");
  clock.stepWallClock(DAY);
  expect([watch.aheadMs(), watch.warning()]).toEqual([0, null]);
  clock.stepWallClock(-365 * DAY);
  expect(watch.warning()).toContain("clock confirm");
  watch.confirm();
  expect([watch.aheadMs(), watch.warning()]).toEqual([0, null]);
});

test("a damaged file counts as missing", () => {
  const { dataDir, watch } = world();
  watch.stop();
  const file = join(dataDir, "clock.json");
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ known_ms: START, delete_from_ms: 0 });
  writeFileSync(file, "{");
  const again = world({ dataDir, clock: fakeClock(START + 400 * DAY) });
  expect(again.state()).toEqual(TRUSTED);
});

test("a read-only directory stops nothing", async () => {
  const { clock, state, lines } = world({ dataDir: join(tempDir(), "gone") });
  expect([state(), lines]).toEqual([TRUSTED, ["clock.not_saved"]]);
  await clock.advance(MINUTE);
  expect(state()).toEqual(TRUSTED);
});

test("the doctor reads the state from the directory", async () => {
  const { dataDir, watch, clock } = world();
  watch.stop();
  expect(existsSync(join(dataDir, "clock.json"))).toBe(true);
  expect(clockDoubt(dataDir, clock.now() + DAY, true)).toBeNull();
  expect(clockDoubt(dataDir, clock.now() + DAY + 1, true)).toContain("scheduled calls");
  expect(clockDoubt(dataDir, clock.now() + 60 * DAY, false)).toBeNull();
  expect(clockDoubt(dataDir, clock.now() + 60 * DAY + 1, false)).toContain("scheduled calls");
  expect(clockDoubt(tempDir(), clock.now(), true)).toBeNull();
});
