/**
 * A delivery worker in a separate process with a real database file. It kills itself with SIGKILL
 * at one exact step, without any cleanup; its parent checks the remaining state. Argument: the
 * `DeliveryProcess` as JSON. Exits when nothing is pending.
 */

import { type Clock, systemClock } from "../../../src/core/clock.ts";
import { type Log, silentLog } from "../../../src/core/log.ts";
import { systemRandom } from "../../../src/core/random.ts";
import { DeliveryWorker } from "../../../src/features/webhook/delivery.ts";
import type { WebhookStores } from "../../../src/features/webhook/stores.ts";
import { webhookStores } from "../../../src/features/webhook/webhook-stores.ts";
import {
  type OutboundHttpClient,
  SafeHttpClient,
} from "../../../src/platform/net/outbound-http.ts";
import { outbox } from "../../../src/store/schema/index.ts";
import { openDatabase } from "../../../src/store/sqlite/database.ts";
import { plainVault } from "../store/plain-vault.ts";

export type Step =
  | "before the claim"
  | "the claim written, not committed"
  | "claimed, nothing sent"
  | "answered, nothing stored"
  | "the outcome written, not committed"
  | "the outcome committed";

export interface DeliveryProcess {
  readonly databasePath: string;
  readonly caPem: string;
  readonly network: string;
  /** Step at which it kills itself; null: it lives until everything is delivered. */
  readonly dieAt: Step | null;
  /**
   * Milliseconds by which this process's wall clock is ahead, so that leases of the dead process
   * have expired.
   */
  readonly aheadMs: number;
}

const settings = JSON.parse(process.argv[2] ?? "{}") as DeliveryProcess;

function dieAt(step: Step): void {
  if (settings.dieAt === step) process.kill(process.pid, "SIGKILL");
}

const stores: WebhookStores = {
  ...webhookStores,
  outbox: (queries) => {
    const real = webhookStores.outbox(queries);
    return {
      ...real,
      due(...args) {
        dieAt("before the claim");
        return real.due(...args);
      },
      async lease(...args) {
        await real.lease(...args);
        dieAt("the claim written, not committed");
      },
      async conclude(...args) {
        const held = await real.conclude(...args);
        dieAt("the outcome written, not committed");
        return held;
      },
      async concludeDelivered(...args) {
        const held = await real.concludeDelivered(...args);
        dieAt("the outcome written, not committed");
        return held;
      },
    };
  },
};

const guarded = new SafeHttpClient({
  allowNetworks: [settings.network],
  caPem: settings.caPem,
});
const client: OutboundHttpClient = {
  async request(request) {
    dieAt("claimed, nothing sent");
    const response = await guarded.request(request);
    dieAt("answered, nothing stored");
    return response;
  },
};

const log: Log = {
  ...silentLog,
  debug: (event) => {
    if (event === "webhook.attempted") dieAt("the outcome committed");
  },
};

const clock: Clock = { ...systemClock, now: () => systemClock.now() + settings.aheadMs };
const database = openDatabase(settings.databasePath, clock.now());
const worker = new DeliveryWorker({
  database,
  stores,
  client,
  clock,
  log,
  vault: plainVault,
  random: systemRandom,
  timeoutMs: 8000,
});
worker.start();

const pending = async () =>
  (await database.read.select({ status: outbox.status }).from(outbox)).some(
    ({ status }) => status === "pending",
  );
while (await pending()) await Bun.sleep(20);
await worker.stop();
await database.close();
