/**
 * Deliveries with a real database, real HTTPS and a stopped clock: a worker, a sink, a tester, a
 * receiver that answers 200 and one that answers 500. The caller must close it.
 */
import { join } from "node:path";
import { eq } from "drizzle-orm";
import { silentLog } from "../../../src/core/log.ts";
import { microEur } from "../../../src/core/money.ts";
import { systemRandom } from "../../../src/core/random.ts";
import { callEnded } from "../../../src/features/webhook/catalogue.ts";
import { DeliveryWorker } from "../../../src/features/webhook/delivery.ts";
import { createEventSink } from "../../../src/features/webhook/sink.ts";
import { WebhookTester } from "../../../src/features/webhook/tester.ts";
import { webhookStores } from "../../../src/features/webhook/webhook-stores.ts";
import { SafeHttpClient } from "../../../src/platform/net/outbound-http.ts";
import { deliveries, outbox } from "../../../src/store/schema/index.ts";
import { fakeClock } from "../fake-clock.ts";
import { answer, type HttpsReceiver, httpsReceiver } from "../net/https-receiver.ts";
import { testCa } from "../net/test-ca.ts";
import { plainVault } from "../store/plain-vault.ts";
import { openTestDatabase } from "../store/test-store.ts";
import { tempDir } from "../temp-dir.ts";

export type DeliveryWorld = Awaited<ReturnType<typeof deliveryWorld>>;

export const facts = (agentId: number | null, callUuid: string = crypto.randomUUID()) => ({
  callUuid,
  direction: "inbound" as const,
  fromNumber: "+37060000001",
  toNumber: "+37052000000",
  agentId,
});

export const ended = (agentId: number | null, callUuid?: string) =>
  callEnded(
    facts(agentId, callUuid),
    { status: "completed", reason: "caller_hangup", sipCode: null },
    { billableSeconds: 42, cost: microEur(84_000) },
    41_200,
  );

/** `host`: a loopback address that only this test file uses. */
export async function deliveryWorld(host: string) {
  const directory = tempDir();
  const ca = testCa(directory);
  const certificate = ca.issue([`IP:${host}`]);
  const clock = fakeClock(Date.parse("2026-11-21T04:05:06Z"));
  const database = await openTestDatabase(join(directory, "webhooks.db"), clock.now());
  const shared = { database, stores: webhookStores, clock, random: systemRandom };
  const sending = {
    ...shared,
    vault: plainVault,
    log: silentLog,
    timeoutMs: 2000,
    client: new SafeHttpClient({ allowNetworks: [`${host}/32`], caPem: ca.caPem }),
  };
  let worker = startWorker();
  const wake = () => worker.wake();
  const sink = createEventSink({ ...shared, wake });
  const healthy = await httpsReceiver(certificate, answer(200), host);
  const troubled = await httpsReceiver(certificate, answer(500), host);

  function startWorker(): DeliveryWorker {
    // No pauses, because the clock is stopped.
    const started = new DeliveryWorker({ ...sending, pauseMs: 0 });
    started.start();
    return started;
  }

  const outboxOf = (tenantId: number) =>
    database.read.select().from(outbox).where(eq(outbox.tenantId, tenantId));

  return {
    clock,
    database,
    sink,
    healthy,
    troubled,
    outboxOf,
    tester: new WebhookTester({ ...sending, wake }),
    urlOf: (receiver: HttpsReceiver, path = "/hook") => `https://${host}:${receiver.port}${path}`,
    stopWorker: (graceMs = 0) => worker.stop(graceMs),
    /** Starts a new worker, as after a restart. */
    startWorker() {
      worker = startWorker();
    },
    async emit(tenantId: number, draft = ended(null)): Promise<void> {
      await database.tx((queries) => sink.emit(queries, tenantId, draft));
      sink.wake();
    },
    /** Sets the wall clock and wakes the worker, as its timer would. */
    jumpTo(epochMs: number): void {
      clock.stepWallClock(epochMs - clock.now());
      worker.wake();
    },
    logOf: (tenantId: number) =>
      database.read.select().from(deliveries).where(eq(deliveries.tenantId, tenantId)),
    isDelivered: async (tenantId: number) =>
      (await outboxOf(tenantId)).every((row) => row.status === "delivered"),
    /** Restores both receivers and clears their requests. */
    reset() {
      healthy.respond = answer(200);
      troubled.respond = answer(500);
      healthy.requests.length = 0;
      troubled.requests.length = 0;
    },
    async close() {
      await worker.stop(0);
      await healthy.close();
      await troubled.close();
      await database.close();
    },
  };
}
