/** The choice of a call's RTP port: a rested one first, and always one while a pair is free. */
import { expect, test } from "bun:test";
import { systemRandom } from "../../../src/core/random.ts";
import { createPortPool } from "../../../src/media/rtp/port-pool.ts";
import { fakeClock } from "../../support/fake-clock.ts";

const SECOND_MS = 1_000;
const fromFirst = { ...systemRandom, float: () => 0 };

function poolOf(pairs: number) {
  const clock = fakeClock();
  const pool = createPortPool({ first: 20_000, last: 20_000 + 2 * pairs - 1 }, clock, fromFirst);
  const take = () => {
    const port = pool.acquire();
    if (port === null) throw new Error("no port was free");
    return port;
  };
  return { clock, pool, take };
}

test("a released pair rests for 30 s while another one is free", async () => {
  const { clock, pool, take } = poolOf(4);
  const first = take();
  pool.release(first);
  expect([take(), take()]).not.toContain(first);
  await clock.advance(30 * SECOND_MS - 1);
  expect(take()).not.toBe(first);
  await clock.advance(1);
  expect(take()).toBe(first);
});

test("if all free pairs rest, the longest-rested one is used", async () => {
  const { clock, pool, take } = poolOf(3);
  const ports = [take(), take(), take()];
  for (const port of [ports[1], ports[0], ports[2]]) {
    pool.release(port ?? 0);
    await clock.advance(SECOND_MS);
  }
  await clock.advance(SECOND_MS);
  expect([take(), take()]).toEqual([ports[1], ports[0]] as number[]);
});

test("a port rests for at least two seconds, so that late packets never reach the next call", async () => {
  const { clock, pool, take } = poolOf(1);
  pool.release(take());
  await clock.advance(2 * SECOND_MS - 1);
  expect(pool.acquire()).toBeNull();
  await clock.advance(1);
  expect(take()).toBe(20_000);
});

test("a used pair is never given out again, and then the pool is empty", () => {
  const { pool, take } = poolOf(2);
  expect(new Set([take(), take()])).toEqual(new Set([20_000, 20_002]));
  expect(pool.acquire()).toBeNull();
});
