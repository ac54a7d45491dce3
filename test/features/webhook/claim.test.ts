/** Claims of deliveries: busy endpoints do not starve those after them. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { silentLog } from "../../../src/core/log.ts";
import { systemRandom } from "../../../src/core/random.ts";
import { DeliveryWorker } from "../../../src/features/webhook/delivery.ts";
import { createEventSink } from "../../../src/features/webhook/sink.ts";
import type { Claim } from "../../../src/features/webhook/stores.ts";
import { webhookStores } from "../../../src/features/webhook/webhook-stores.ts";
import { eventually } from "../../support/eventually.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { ended } from "../../support/http/delivery-world.ts";
import { plainVault } from "../../support/store/plain-vault.ts";
import { insertAgent, insertTenant, insertWebhook } from "../../support/store/stored-rows.ts";
import { openTestDatabase } from "../../support/store/test-store.ts";
import { tempDir } from "../../support/temp-dir.ts";

async function world() {
  const clock = fakeClock();
  const database = await openTestDatabase(join(tempDir(), "claims.db"), clock.now());
  const shared = { database, stores: webhookStores, clock, random: systemRandom };
  const sink = createEventSink({ ...shared, wake: () => undefined });
  const endpoint = async (amount: number, url = "https://hooks.example/") => {
    const tenantId = await insertTenant(database);
    const id = await insertWebhook(database, tenantId, { url });
    await database.tx(async (queries) => {
      for (let n = 0; n < amount; n++) await sink.emit(queries, tenantId, ended(null));
    });
    return id;
  };
  return { clock, database, shared, sink, endpoint };
}

test("a claim finds the oldest delivery of each endpoint, and continues after the last one", async () => {
  const { clock, database, sink, endpoint } = await world();
  const [first, second, third] = [await endpoint(3), await endpoint(1), await endpoint(3)];
  const tenantId = await insertTenant(database);
  const [one, other] = ["https://one.example/", "https://other.example/"];
  for (const webhookUrl of [one, other]) {
    const agent = await insertAgent(database, tenantId, { webhookUrl });
    await database.tx((queries) => sink.emit(queries, tenantId, ended(agent)));
  }
  const due = async (claim: Partial<Claim>) => {
    const busy = { failing: false, webhookIds: [], legacyUrls: [] };
    const look = { busy, limit: 100, each: 2, after: null, isCrowd: true, ...claim };
    const { deliveries: found } = await webhookStores.outbox(database.read).due(clock.now(), look);
    const ids = found.map(({ outboxId }) => outboxId);
    const of = (id: number | null) =>
      ids.filter((_, at) => id !== null && found[at]?.webhookId === id);
    for (const id of [first, second, third])
      expect(of(id)).toEqual([...of(id)].sort((a, b) => a - b));
    return found.map(({ webhookId, legacyUrl }) => webhookId ?? legacyUrl);
  };
  const behind = (webhookId: number | null, legacyUrl: string | null = null) => ({
    after: { webhookId, legacyUrl },
  });
  expect(await due({})).toEqual([first, first, second, third, third, one, other]);
  expect(await due({ each: 1 })).toEqual([first, second, third, one, other]);
  expect(await due({ limit: 4 })).toEqual([first, first, second, third]);
  expect(await due(behind(first))).toEqual([second, third, third, one, other]);
  expect(await due(behind(third))).toEqual([one, other]);
  expect(await due(behind(null, one))).toEqual([other]);
  expect(await due(behind(null, other))).toEqual([]);
  const busy = { failing: false, webhookIds: [first, third], legacyUrls: [one] };
  expect(await due({ busy })).toEqual([second, other]);
  await database.close();
});

test("with few due deliveries the claim searches by time, and skips busy endpoints", async () => {
  const { clock, database, sink, endpoint } = await world();
  const webhook = await endpoint(2);
  const tenantId = await insertTenant(database);
  const agent = await insertAgent(database, tenantId, { webhookUrl: "https://own.example/" });
  const due = async (claim: Partial<Claim["busy"]> = {}, limit = 100) => {
    const busy = { failing: false, webhookIds: [], legacyUrls: [], ...claim };
    const look = { busy, limit, each: 4, after: null, isCrowd: false };
    const { deliveries: found } = await webhookStores.outbox(database.read).due(clock.now(), look);
    return found.map(({ webhookId, legacyUrl }) => webhookId ?? legacyUrl);
  };
  await database.tx((queries) => sink.emit(queries, tenantId, ended(agent)));
  expect(await due()).toEqual([webhook, webhook, "https://own.example/"]);
  expect(await due({}, 2)).toEqual([webhook, webhook]);
  expect(await due({ webhookIds: [webhook] })).toEqual(["https://own.example/"]);
  expect(await due({ legacyUrls: ["https://own.example/"] })).toEqual([webhook, webhook]);
  await database.close();
});

test.each([62, 63, 64])("%i due deliveries of a busy endpoint hide no other", async (amount) => {
  const { clock, database, endpoint } = await world();
  const [busy, free] = [await endpoint(amount), await endpoint(1)];
  const taken = { failing: false, webhookIds: [busy], legacyUrls: [] };
  const { due, look } = webhookStores.outbox(database.read);
  const claim = { busy: taken, limit: 100, each: 4, after: null, isCrowd: false };
  const isCrowd = amount + 1 >= 64;
  const found = await due(clock.now(), claim);
  expect(found.deliveries.map(({ webhookId }) => webhookId)).toEqual([free]);
  expect(found.isCrowd).toBe(isCrowd);
  const now = clock.now();
  const all = { ...taken, webhookIds: [busy, free] };
  for (const known of [false, true]) {
    const seen = { isCrowd: known || isCrowd };
    expect(await look(now, taken, known)).toEqual({ isAny: true, ...seen });
    expect(await look(now, all, known)).toEqual({ isAny: false, ...seen });
  }
  await database.close();
});

test("an endpoint after 300 busy ones is claimed in the first round", async () => {
  const { clock, database, shared, endpoint } = await world();
  for (let n = 0; n < 300; n++) await endpoint(4);
  await endpoint(1, "https://last.example/");
  const asked: string[] = [];
  const worker = new DeliveryWorker({
    ...shared,
    vault: plainVault,
    log: silentLog,
    timeoutMs: 8_000,
    pauseMs: 0,
    client: {
      async request({ url }) {
        asked.push(url);
        return { status: 204, headers: {}, body: Buffer.alloc(0) };
      },
    },
  });
  worker.start();
  await eventually(() => asked.length === 1201, "all are delivered");
  // 256 in progress, and as many with unstored outcomes, may belong to endpoints before it.
  expect(asked.indexOf("https://last.example/")).toBeLessThan(2 * 256 + 301);
  await worker.stop();
  await clock.advance(0);
  await database.close();
});
