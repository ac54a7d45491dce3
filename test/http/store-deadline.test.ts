/** A read does not wait for a store that hangs; slow work on a responsive store continues. */
import { expect, test } from "bun:test";
import { AppError } from "../../src/core/errors.ts";
import { createStoreDeadline } from "../../src/http/store-deadline.ts";
import { fakeClock } from "../support/fake-clock.ts";

const never = () => new Promise<never>(() => undefined);

function watched(ping: () => Promise<void>) {
  const clock = fakeClock();
  const pings: number[] = [];
  const within = createStoreDeadline({
    database: {
      ping() {
        pings.push(clock.elapsedMs);
        return ping();
      },
    },
    clock,
  });
  return { clock, pings, within };
}

const outcomeOf = (work: Promise<unknown>) =>
  work.catch((error) => (error instanceof AppError ? error.code : "another error"));

test("an unresponsive store fails the work after 1.5 s, with one ping for all", async () => {
  const { clock, pings, within } = watched(never);
  const outcomes: unknown[] = [];
  for (let n = 0; n < 3; n++) void outcomeOf(within(never())).then((end) => outcomes.push(end));
  await clock.advance(1_499);
  expect(outcomes).toEqual([]);
  await clock.advance(1);
  expect(outcomes).toEqual(["unavailable", "unavailable", "unavailable"]);
  expect(pings).toEqual([500]);
  expect(clock.pendingTimers).toBe(0);
});

test("an unreachable store fails the work at the first ping", async () => {
  const { clock, within } = watched(() => Promise.reject(new Error("refused")));
  const outcome = outcomeOf(within(never()));
  await clock.advance(500);
  expect(await outcome).toBe("unavailable");
});

test("slow work on a responsive store continues, and its own failures are passed on", async () => {
  const { clock, pings, within } = watched(() => Promise.resolve());
  const { promise, resolve } = Promise.withResolvers<string>();
  const done = within(promise);
  await clock.advance(5_000);
  expect(pings.length).toBeGreaterThan(5);
  resolve("answer");
  expect(await done).toBe("answer");
  expect(await outcomeOf(within(Promise.reject(new Error("its own"))))).toBe("another error");
  expect(clock.pendingTimers).toBe(0);
});
