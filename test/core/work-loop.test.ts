/** A loop of work: what wakes it, what it waits for, and what a failure or a stop leaves behind. */
import { expect, test } from "bun:test";
import type { Log } from "../../src/core/log.ts";
import { silentLog } from "../../src/core/log.ts";
import { WorkLoop } from "../../src/core/work-loop.ts";
import { fakeClock } from "../support/fake-clock.ts";

function arrange(parts: { nextDueAt?: () => Promise<number | null>; log?: Log } = {}) {
  const clock = fakeClock();
  const rounds: PromiseWithResolvers<void>[] = [];
  const loop = new WorkLoop({
    clock,
    log: parts.log ?? silentLog,
    failure: "test.failed",
    everyMs: 10_000,
    round() {
      const round = Promise.withResolvers<void>();
      rounds.push(round);
      return round.promise;
    },
    nextDueAt: parts.nextDueAt,
  });
  const finish = async () => {
    rounds.at(-1)?.resolve();
    await clock.advance(0);
  };
  return { clock, loop, rounds, finish };
}

test("nothing runs before the start; afterwards one round a period", async () => {
  const { clock, loop, rounds, finish } = arrange();
  loop.wake();
  await clock.advance(60_000);
  expect(rounds).toHaveLength(0);
  loop.start();
  expect(rounds).toHaveLength(1);
  await finish();
  await clock.advance(9_999);
  expect(rounds).toHaveLength(1);
  await clock.advance(1);
  expect(rounds).toHaveLength(2);
  await finish();
  await loop.stop();
});

test("wakes during a round cause one more, never two at once", async () => {
  const { loop, rounds, finish } = arrange();
  loop.start();
  loop.wake();
  loop.wake();
  expect(rounds).toHaveLength(1);
  await finish();
  expect(rounds).toHaveLength(2);
  await finish();
  await loop.idle();
  expect(rounds).toHaveLength(2);
  await loop.stop();
});

test("work that becomes due within the period runs on time", async () => {
  const dueAt = { ms: 0 };
  const { clock, loop, rounds, finish } = arrange({ nextDueAt: async () => dueAt.ms });
  dueAt.ms = clock.now() + 300;
  loop.start();
  await finish();
  await clock.advance(299);
  expect(rounds).toHaveLength(1);
  await clock.advance(1);
  expect(rounds).toHaveLength(2);
  dueAt.ms = clock.now() + 3_600_000;
  await finish();
  await clock.advance(10_000);
  expect(rounds).toHaveLength(3);
  await finish();
  await loop.stop();
});

test("a wake while the next due time is read is not lost", async () => {
  const asked = Promise.withResolvers<number | null>();
  const { clock, loop, rounds, finish } = arrange({ nextDueAt: () => asked.promise });
  loop.start();
  await finish();
  loop.wake();
  asked.resolve(null);
  await clock.advance(0);
  expect(rounds).toHaveLength(2);
  await finish();
  await loop.stop();
});

test("a failed round is logged, and the next one comes after a period", async () => {
  const logged: string[] = [];
  const log = { ...silentLog, error: (event: string) => void logged.push(event) };
  const { clock, loop, rounds, finish } = arrange({ log });
  loop.start();
  rounds[0]?.reject(new Error("the disk is full"));
  await clock.advance(9_999);
  expect(rounds).toHaveLength(1);
  await clock.advance(1);
  expect(rounds).toHaveLength(2);
  expect(logged).toEqual(["test.failed"]);
  await finish();
  await loop.stop();
});

test("stop waits for the round, and nothing starts after it", async () => {
  const { clock, loop, rounds, finish } = arrange();
  loop.start();
  loop.wake();
  let stopped = false;
  const stopping = loop.stop().then(() => {
    stopped = true;
  });
  await clock.advance(0);
  expect(stopped).toBe(false);
  await finish();
  await stopping;
  loop.start();
  loop.wake();
  await clock.advance(60_000);
  expect(rounds).toHaveLength(1);
  expect(clock.pendingTimers).toBe(0);
});
