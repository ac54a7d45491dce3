/** Nodes that reserve slots of a key's limit: never more than the limit, and none is lost. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import fc from "fast-check";
import type { Database } from "../../src/core/database.ts";
import type { RateLimiter } from "../../src/http/ports.ts";
import { rateStore } from "../../src/http/rate-store.ts";
import { sharedRateLimiter } from "../../src/http/shared-rate-limit.ts";
import { rateRequests } from "../../src/store/schema/index.ts";
import { eventually } from "../support/eventually.ts";
import { type FakeClock, fakeClock } from "../support/fake-clock.ts";
import { openRemote } from "../support/store/test-store.ts";
import { tempDir } from "../support/temp-dir.ts";

const LIMIT = 300;

interface World {
  readonly clock: FakeClock;
  /** Used and reserved slots of all keys. */
  counted(): Promise<number>;
  readonly nodes: readonly ReturnType<typeof sharedRateLimiter>[];
  /** Transactions of takes so far. */
  transactions(): number;
  /** The store answers nothing until the returned function is called. */
  hold(): () => void;
  /** Whether no request to the store is pending. */
  isIdle(): boolean;
  close(): Promise<void>;
}

async function world(limit: number): Promise<World> {
  const clock = fakeClock();
  const path = join(tempDir(), "shared.db");
  let transactions = 0;
  let underWay = 0;
  let held = Promise.resolve();
  const open = async (): Promise<Database> => {
    const database = await openRemote(path);
    return {
      ...database,
      async tx(body) {
        transactions++;
        underWay++;
        await held;
        return await database.tx(body).finally(() => underWay--);
      },
    };
  };
  const [first, second] = [await open(), await open()];
  const databases = [first, second];
  return {
    clock,
    transactions: () => transactions,
    isIdle: () => underWay === 0,
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return resolve;
    },
    async counted() {
      const rows = await first.read.select({ count: rateRequests.count }).from(rateRequests);
      return rows.reduce((sum, { count }) => sum + count, 0);
    },
    nodes: databases.map((database) =>
      sharedRateLimiter(() => limit, { database, requests: rateStore, clock }),
    ),
    async close() {
      for (const database of databases) await database.close();
    },
  };
}

const allowedOf = async (node: RateLimiter | undefined, key: number, requests: number) => {
  const results = await Promise.all(Array.from({ length: requests }, () => node?.take(key)));
  return results.filter((result) => result?.allowed).length;
};

test("no 60 seconds have more than the limit, over all nodes and request rates", async () => {
  const { clock, nodes, close } = await world(LIMIT);
  let key = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.tuple(
          fc.integer({ min: 0, max: 8_000 }),
          fc.boolean(),
          fc.integer({ min: 1, max: 90 }),
          fc.integer({ min: 1, max: 20 }),
        ),
        { maxLength: 40 },
      ),
      async (bursts) => {
        key++;
        let passed: number[] = [];
        for (const [pause, second, requests, weight] of bursts) {
          await clock.advance(pause);
          for (let n = 0; n < requests; n++) {
            const result = await nodes[second ? 1 : 0]?.take(key, weight);
            if (result?.allowed) passed.push(...Array.from({ length: weight }, () => clock.now()));
          }
          passed = passed.filter((time) => clock.now() - time < 60_000);
          expect(passed.length).toBeLessThanOrEqual(LIMIT);
        }
      },
    ),
    { numRuns: 15 },
  );
  await close();
});

test("a node's unused reservation is available to the other a second later", async () => {
  const { clock, nodes, counted, close } = await world(LIMIT);
  const [first, second] = nodes;
  expect(await allowedOf(first, 1, 40)).toBe(40);
  expect(await counted()).toBeGreaterThan(40);
  await clock.advance(1_100);
  await eventually(async () => (await counted()) === 40, "the rest is given back");
  expect(await allowedOf(second, 1, LIMIT)).toBe(LIMIT - 40);
  await close();
});

test("a thousand requests of a busy key cost a few transactions", async () => {
  const { nodes, transactions, close } = await world(100_000);
  expect(await allowedOf(nodes[0], 1, 1_000)).toBe(1_000);
  expect(transactions()).toBeLessThan(20);
  await close();
});

test("requests of a busy key never wait for the store: more slots are reserved before the reservation is used up or expires", async () => {
  const { clock, nodes, hold, isIdle, close } = await world(100_000);
  const [node] = nodes;
  expect(await allowedOf(node, 1, 60)).toBe(60);
  await eventually(isIdle, "more is set aside");
  for (let n = 0; n < 10; n++) {
    const release = hold();
    expect((await node?.take(1))?.allowed).toBe(true);
    release();
    await eventually(isIdle, "more is set aside");
    await clock.advance(300);
  }
  await close();
});

test("a stopping node returns its reservations", async () => {
  const { nodes, counted, close } = await world(LIMIT);
  expect(await allowedOf(nodes[0], 1, 40)).toBe(40);
  expect(await counted()).toBeGreaterThan(40);
  await eventually(async () => {
    await nodes[0]?.stop();
    return (await counted()) === 40;
  }, "the rest is given back");
  await close();
});
