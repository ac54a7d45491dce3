import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import { systemClock } from "../../../src/core/clock.ts";
import { systemRandom } from "../../../src/core/random.ts";
import { Billing } from "../../../src/features/billing/billing.ts";
import { billingStores } from "../../../src/features/billing/billing-stores.ts";
import { verifySignature } from "../../../src/features/webhook/signature.ts";
import { Subscriptions } from "../../../src/features/webhook/subscriptions.ts";
import { WebhookTester } from "../../../src/features/webhook/tester.ts";
import { webhookStore } from "../../../src/features/webhook/webhook-store.ts";
import { webhookStores } from "../../../src/features/webhook/webhook-stores.ts";
import { SafeHttpClient } from "../../../src/platform/net/outbound-http.ts";
import { createUrlCheck } from "../../../src/platform/net/tenant-url.ts";
import { createVault } from "../../../src/platform/secrets/vault.ts";
import { webhooks } from "../../../src/store/schema/index.ts";
import { type HttpsReceiver, httpsReceiver } from "../../support/net/https-receiver.ts";
import { testCa } from "../../support/net/test-ca.ts";
import { startPlan } from "../../support/plans.ts";
import { insertTenant } from "../../support/store/stored-rows.ts";
import { openTestDatabase } from "../../support/store/test-store.ts";
import { tempDir } from "../../support/temp-dir.ts";

const HOST = "127.45.0.1";
const directory = tempDir();
const ca = testCa(directory);
const database = await openTestDatabase(join(directory, "secrets.db"), 0);
const shared = {
  database,
  vault: createVault(randomBytes(32)),
  clock: systemClock,
  random: systemRandom,
};
const subscriptions = new Subscriptions({
  ...shared,
  records: webhookStore,
  urlProblem: createUrlCheck([HOST]),
  plans: new Billing({ ...shared, stores: billingStores, plans: [startPlan] }),
});
const tester = new WebhookTester({
  ...shared,
  stores: webhookStores,
  client: new SafeHttpClient({ allowNetworks: [HOST], caPem: ca.caPem }),
  timeoutMs: 5000,
  wake: () => {},
});

let receiver: HttpsReceiver;
beforeAll(async () => {
  receiver = await httpsReceiver(ca.issue([`IP:${HOST}`]), undefined, HOST);
});
afterAll(async () => {
  await receiver.close();
  await database.close();
});

const wish = () => ({
  url: `https://${HOST}:${receiver.port}/`,
  events: ["call.ended"] as const,
});

function lastIsSignedWith(secret: string): boolean {
  const request = receiver.requests.at(-1);
  const header = String(request?.headers["x-lv-signature"]);
  const unix = Number(request?.headers["x-lv-timestamp"]);
  return verifySignature(secret, header, request?.body ?? "", unix);
}

describe("signing secrets", () => {
  test("the secret shown once signs deliveries; after a rotation only the new one does", async () => {
    const tenantId = await insertTenant(database);
    const { webhook, secret } = await subscriptions.create(tenantId, wish());
    expect((await tester.test(tenantId, webhook.id)).status).toBe("delivered");
    expect(lastIsSignedWith(secret)).toBe(true);
    const rotated = await subscriptions.rotate(tenantId, webhook.id);
    await tester.test(tenantId, webhook.id);
    expect(lastIsSignedWith(rotated.secret)).toBe(true);
    expect(lastIsSignedWith(secret)).toBe(false);
  });

  test("an encrypted secret copied to another webhook's row cannot be decrypted", async () => {
    const tenantId = await insertTenant(database);
    const first = await subscriptions.create(tenantId, wish());
    const second = await subscriptions.create(tenantId, wish());
    await database.tx(async (queries) => {
      const ofFirst = eq(webhooks.id, first.webhook.id);
      const [row] = await queries.select().from(webhooks).where(ofFirst);
      await queries
        .update(webhooks)
        .set({ secretSealed: row?.secretSealed ?? "" })
        .where(eq(webhooks.id, second.webhook.id));
    });
    const before = receiver.requests.length;
    await expect(tester.test(tenantId, second.webhook.id)).rejects.toThrow();
    expect(receiver.requests.length).toBe(before);
  });
});
