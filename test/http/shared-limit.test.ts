/** Two nodes on one store: a key has one limit, whichever node its requests reach. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import fc from "fast-check";
import { rateStore } from "../../src/http/rate-store.ts";
import { sharedRateLimiter } from "../../src/http/shared-rate-limit.ts";
import { fakeClock } from "../support/fake-clock.ts";
import { startApiServer } from "../support/http/api-server.ts";
import { openTestDatabase } from "../support/store/test-store.ts";
import { tempDir } from "../support/temp-dir.ts";

const LIMIT = 5;

test("no 60 seconds have more than the limit over two nodes, and never fewer than possible", async () => {
  const clock = fakeClock();
  const path = join(tempDir(), "shared.db");
  const databases = [
    await openTestDatabase(path, clock.now()),
    await openTestDatabase(path, clock.now()),
  ];
  let key = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 6 }),
      fc.array(fc.tuple(fc.integer({ min: 0, max: 25_000 }), fc.boolean()), { maxLength: 30 }),
      async (limit, requests) => {
        const nodes = databases.map((database) =>
          sharedRateLimiter(() => limit, { database, requests: rateStore, clock }),
        );
        key++;
        let passed: number[] = [];
        for (const [pause, second] of requests) {
          await clock.advance(pause);
          const now = clock.now();
          passed = passed.filter((time) => now - time < 60_000);
          const verdict = await nodes[second ? 1 : 0]?.take(key);
          expect(verdict?.allowed).toBe(passed.length < limit);
          if (verdict?.allowed) passed.push(now);
          expect(verdict?.remaining).toBe(limit - passed.length);
        }
      },
    ),
    { numRuns: 30 },
  );
  for (const database of databases) await database.close();
});

test("two servers on one store answer 429 together after the limit, each with the same headers", async () => {
  const directory = tempDir();
  const clock = fakeClock();
  const database = await openTestDatabase(join(directory, "linevoice.db"), clock.now());
  const rateLimiter = sharedRateLimiter(() => LIMIT, { database, requests: rateStore, clock });
  const options = { directory, clock, dependencies: { rateLimiter } };
  const nodes = [await startApiServer(options), await startApiServer(options)];
  try {
    const [first, second] = nodes;
    if (!first || !second) throw new Error("two nodes are needed");
    const { key } = await first.tenant();
    const statuses: number[] = [];
    for (let request = 0; request < LIMIT + 2; request++) {
      const node = request % 2 === 0 ? first : second;
      const response = await fetch(`${node.base}/api/v1/plans`, {
        headers: { authorization: `Bearer ${key}` },
      });
      statuses.push(response.status);
      expect(response.headers.get("ratelimit-limit")).toBe(String(LIMIT));
      if (response.status === 429) expect(response.headers.get("retry-after")).toBe("60");
    }
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429]);
  } finally {
    for (const node of nodes) await node.stop();
    await database.close();
  }
});
