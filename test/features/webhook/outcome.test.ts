/** Outcomes of many attempts, stored together: the same as one by one. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import type { Database } from "../../../src/core/database.ts";
import { systemRandom } from "../../../src/core/random.ts";
import type { AttemptResult } from "../../../src/features/webhook/attempt.ts";
import { type Attempted, writeOutcomes } from "../../../src/features/webhook/outcome.ts";
import { createEventSink } from "../../../src/features/webhook/sink.ts";
import type { DueDelivery } from "../../../src/features/webhook/stores.ts";
import { webhookStores } from "../../../src/features/webhook/webhook-stores.ts";
import { deliveries, outbox, webhooks } from "../../../src/store/schema/index.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { ended } from "../../support/http/delivery-world.ts";
import { insertTenant, insertWebhook } from "../../support/store/stored-rows.ts";
import { openTestDatabase } from "../../support/store/test-store.ts";
import { tempDir } from "../../support/temp-dir.ts";

const OWNER = "node:a";
const NOW_MS = Date.parse("2026-11-21T04:05:06Z");
const clock = fakeClock(NOW_MS);
const delivered: AttemptResult = {
  delivered: true,
  httpStatus: 204,
  durationMs: 7,
  error: null,
  retryAfterMs: null,
  gone: false,
  abandoned: false,
};
const failed = { ...delivered, delivered: false, httpStatus: 500, error: 'it said "no"' };
let database: Database;
let ids = 0;

beforeAll(async () => {
  database = await openTestDatabase(join(tempDir(), "outcomes.db"), NOW_MS);
});
afterAll(() => database.close());

/** A new tenant's webhook, with `amount` deliveries leased by `owner`. */
async function claimed(amount: number, failingSince: number | null = null, owner = OWNER) {
  const tenantId = await insertTenant(database);
  const webhookId = await insertWebhook(database, tenantId, { failingSince });
  const sink = createEventSink({
    stores: webhookStores,
    clock,
    random: systemRandom,
    wake: () => undefined,
  });
  return database.tx(async (queries) => {
    const store = webhookStores.outbox(queries);
    const mine: DueDelivery[] = [];
    for (let n = 0; n < amount; n++) {
      await sink.emit(queries, tenantId, ended(null));
      const busy = { failing: false, webhookIds: [], legacyUrls: [] };
      const { deliveries: due } = await store.due(NOW_MS, {
        busy,
        limit: 100,
        each: 1,
        after: null,
        isCrowd: false,
      });
      mine.push(...due.filter((one) => one.webhookId === webhookId));
      await store.lease(
        mine.map(({ outboxId }) => outboxId),
        owner,
        NOW_MS + 1000,
      );
    }
    return { webhookId, mine };
  });
}

const attempted = (delivery: DueDelivery | undefined, result: AttemptResult): Attempted => {
  if (!delivery) throw new Error("not claimed");
  return { delivery, id: `del_${++ids}`, owner: OWNER, startedAt: NOW_MS - 7, result };
};

async function stored(webhookId: number) {
  const { read } = database;
  const rows = await read.select().from(outbox).where(eq(outbox.webhookId, webhookId));
  const log = await read.select().from(deliveries).where(eq(deliveries.webhookId, webhookId));
  const [webhook] = await read.select().from(webhooks).where(eq(webhooks.id, webhookId));
  return { rows, log, failingSince: webhook?.failingSince };
}

test("a clock that jumped switches nothing off: skipped days count as untested", async () => {
  const DAY = 86_400_000;
  const failing = await claimed(2, NOW_MS - 5 * DAY);
  const write = (one: DueDelivery | undefined, mayDelete: boolean) =>
    database.tx((queries) =>
      writeOutcomes(webhookStores, queries, [attempted(one, failed)], clock, systemRandom, {
        mayDelete: () => mayDelete,
      }),
    );
  expect(await write(failing.mine[0], false)).toEqual([null]);
  expect(await write(failing.mine[1], true)).toMatchObject([{ cause: "failing" }]);
  const gone = await claimed(1, NOW_MS - 5 * DAY);
  const answer = { ...failed, gone: true };
  const [off] = await database.tx((queries) =>
    writeOutcomes(webhookStores, queries, [attempted(gone.mine[0], answer)], clock, systemRandom, {
      mayDelete: () => false,
    }),
  );
  expect(off?.cause).toBe("gone");
});

test("of healthy endpoints, failing ones, new failures, and those leased by another node", async () => {
  const well = await claimed(3);
  const recovering = await claimed(1, NOW_MS - 5000);
  const mixed = await claimed(2);
  const lost = await claimed(1, null, "node:b");
  const group = [
    ...well.mine.map((one) => attempted(one, delivered)),
    attempted(recovering.mine[0], delivered),
    attempted(mixed.mine[0], delivered),
    attempted(mixed.mine[1], failed),
    attempted(lost.mine[0], delivered),
  ];
  const off = await database.tx((queries) =>
    writeOutcomes(webhookStores, queries, group, clock, systemRandom),
  );
  expect(off).toEqual(group.map(() => null));

  const free = { leaseOwner: null, leaseUntil: null };
  const done = { status: "delivered", attempts: 1, nextAttemptAt: null, ...free } as const;
  const ofWell = await stored(well.webhookId);
  expect(ofWell).toMatchObject({ rows: [done, done, done], failingSince: null });
  expect(ofWell.log).toEqual(
    well.mine.map((one, index) => ({
      id: group[index]?.id ?? "",
      tenantId: one.tenantId,
      outboxId: one.outboxId,
      webhookId: well.webhookId,
      eventId: one.eventId,
      type: "call.ended",
      attempt: 1,
      status: "delivered",
      httpStatus: 204,
      durationMs: 7,
      error: null,
      createdAt: NOW_MS - 7,
      nextAttemptAt: null,
    })),
  );
  expect(await stored(recovering.webhookId)).toMatchObject({
    rows: [done],
    log: [{ status: "delivered" }],
    failingSince: null,
  });
  expect(await stored(mixed.webhookId)).toMatchObject({
    rows: [done, { status: "pending", attempts: 1, nextAttemptAt: expect.any(Number), ...free }],
    log: [{ status: "delivered" }, { status: "failed", httpStatus: 500, error: 'it said "no"' }],
    failingSince: NOW_MS,
  });
  expect(await stored(lost.webhookId)).toMatchObject({
    rows: [{ status: "pending", attempts: 0, leaseOwner: "node:b" }],
    log: [],
  });
});
