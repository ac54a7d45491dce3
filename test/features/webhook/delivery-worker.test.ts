/** The delivery worker with an observed store, or with rows deleted in between. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { silentLog } from "../../../src/core/log.ts";
import { systemRandom } from "../../../src/core/random.ts";
import { DeliveryWorker } from "../../../src/features/webhook/delivery.ts";
import { createEventSink } from "../../../src/features/webhook/sink.ts";
import type { WebhookStores } from "../../../src/features/webhook/stores.ts";
import { webhookStores } from "../../../src/features/webhook/webhook-stores.ts";
import { SafeHttpClient } from "../../../src/platform/net/outbound-http.ts";
import { deliveries, webhooks } from "../../../src/store/schema/index.ts";
import { eventually } from "../../support/eventually.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { ended } from "../../support/http/delivery-world.ts";
import { plainVault } from "../../support/store/plain-vault.ts";
import { insertTenant, insertWebhook } from "../../support/store/stored-rows.ts";
import { openTestDatabase } from "../../support/store/test-store.ts";
import { tempDir } from "../../support/temp-dir.ts";

async function workerOver(changed: Partial<WebhookStores>, pauseMs: number) {
  const clock = fakeClock();
  const database = await openTestDatabase(join(tempDir(), "webhooks.db"), clock.now());
  const shared = {
    database,
    clock,
    random: systemRandom,
    stores: { ...webhookStores, ...changed },
  };
  const worker = new DeliveryWorker({
    ...shared,
    vault: plainVault,
    log: silentLog,
    timeoutMs: 1_000,
    pauseMs,
    client: new SafeHttpClient({ allowNetworks: [] }),
  });
  const sink = createEventSink({ ...shared, wake: () => worker.wake() });
  return { clock, database, worker, sink };
}

test("however long the rest or a check took, the next check comes after 100 ms", async () => {
  let looks = 0;
  // The period's timer and the rest's.
  const isResting = () => clock.pendingTimers === 2;
  const outbox: WebhookStores["outbox"] = (queries) => {
    const store = webhookStores.outbox(queries);
    const look: typeof store.look = (...asked) => {
      looks++;
      return store.look(...asked);
    };
    return { ...store, look };
  };
  const { clock, database, worker } = await workerOver({ outbox }, 60_000);
  worker.start();
  await eventually(() => looks === 1 && isResting(), "the first rest");
  worker.wake();
  await clock.advance(99);
  expect(isResting()).toBe(true);
  await clock.advance(1);
  await eventually(() => looks === 2 && isResting(), "the second look");
  const stopped = worker.stop();
  await clock.advance(100);
  await stopped;
  await database.close();
});

test("an event with a webhook deleted after the claim is not reported as delivered, and its log says why", async () => {
  const subscribers: WebhookStores["subscribers"] = (queries) => ({
    ...webhookStores.subscribers(queries),
    targets: async () => [],
  });
  const { database, worker, sink } = await workerOver({ subscribers }, 0);
  const tenantId = await insertTenant(database);
  await insertWebhook(database, tenantId, { url: "https://192.0.2.1/" });
  await database.tx((queries) => sink.emit(queries, tenantId, ended(null)));
  worker.start();
  const log = () => database.read.select().from(deliveries);
  await eventually(async () => (await log()).length === 1, "an attempt");
  expect((await log())[0]).toMatchObject({
    status: "failed",
    httpStatus: null,
    error: "the webhook or its secret was deleted",
  });
  const [webhook] = await database.read.select().from(webhooks);
  expect(webhook).toMatchObject({ enabled: true }); // no receiver has returned 410
  await worker.stop();
  await database.close();
});
