/** How long the delivery worker rests between two claims. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { silentLog } from "../../../src/core/log.ts";
import { systemRandom } from "../../../src/core/random.ts";
import { webhookStores } from "../../../src/store/webhook-stores.ts";
import { createDeliveryWorker } from "../../../src/webhook/delivery.ts";
import { createGuardedClient } from "../../../src/webhook/safe-http.ts";
import type { WebhookStores } from "../../../src/webhook/stores.ts";
import { eventually } from "../../support/eventually.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { plainVault } from "../../support/plain-vault.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { openTestDatabase } from "../../support/test-store.ts";

test("however long a rest is set or a claim took, the next claim comes after 100 ms", async () => {
  const clock = fakeClock();
  const database = await openTestDatabase(join(tempDir(), "webhooks.db"), clock.now());
  let claims = 0;
  const stores: WebhookStores = {
    ...webhookStores,
    outbox(queries) {
      const outbox = webhookStores.outbox(queries);
      const due: typeof outbox.due = (...asked) => {
        claims++;
        return outbox.due(...asked);
      };
      return { ...outbox, due };
    },
  };
  const worker = createDeliveryWorker({
    ...{ database, stores, vault: plainVault, clock, random: systemRandom, log: silentLog },
    ...{ client: createGuardedClient({ allowNetworks: [] }), timeoutMs: 1_000, pauseMs: 60_000 },
  });
  worker.start();
  await eventually(() => claims === 1 && clock.pendingTimers === 1, "the first rest");
  worker.wake();
  await clock.advance(99);
  expect(clock.pendingTimers).toBe(1);
  await clock.advance(1);
  await eventually(() => claims === 2 && clock.pendingTimers === 1, "the second claim");
  const stopped = worker.stop();
  await clock.advance(100);
  await stopped;
  await database.close();
});
