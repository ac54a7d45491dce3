/**
 * The receiver's time limit: eight seconds, unless the operator configures another. From the configuration text
 * through the composition to a real HTTPS server that never answers, with a fake clock.
 */
import { afterAll, afterEach, expect, setDefaultTimeout, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import { createDelivery, type Delivery } from "../../../src/app/delivery.ts";
import { settingsFromConfig } from "../../../src/app/settings-from-config.ts";
import { silentLog } from "../../../src/core/log.ts";
import { systemRandom } from "../../../src/core/random.ts";
import { loadConfig } from "../../../src/ops/config/load.ts";
import { deliveries, outbox } from "../../../src/store/schema/index.ts";
import { eventually } from "../../support/eventually.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { ended } from "../../support/http/delivery-world.ts";
import { answer, httpsReceiver } from "../../support/net/https-receiver.ts";
import { testCa } from "../../support/net/test-ca.ts";
import { plainVault } from "../../support/store/plain-vault.ts";
import { insertAgent, insertTenant, insertWebhook } from "../../support/store/stored-rows.ts";
import { openTestDatabase } from "../../support/store/test-store.ts";
import { tempDir } from "../../support/temp-dir.ts";

setDefaultTimeout(30_000);

const HOST = "127.48.0.2";
const RETRY_MS = 5_000;
const directory = tempDir();
const ca = testCa(directory);
const caFile = join(directory, "ca.pem");
writeFileSync(caFile, ca.caPem);
const receiver = await httpsReceiver(ca.issue([`IP:${HOST}`]), () => {}, HOST);
const url = `https://${HOST}:${receiver.port}/hook`;
/** Open resources of a test, the last first. */
const open: (() => Promise<void>)[] = [];
let files = 0;

afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
  receiver.respond = () => {};
  receiver.requests.length = 0;
});
afterAll(() => receiver.close());

/** Everything that delivers, as the appliance creates it from `[http_client]` with these additional lines. */
async function appliance(lines = "") {
  const path = join(directory, `${++files}.toml`);
  const given = `[http_client]\nallow_networks = ["${HOST}/32"]\nca_file = "${caFile}"\n${lines}`;
  writeFileSync(path, given);
  const { config, dataDir } = loadConfig({ path, env: {}, cwd: directory });
  const rest = { version: "0.0.0-test", masterKey: new Uint8Array(32), dataDir };
  const clock = fakeClock(Date.parse("2026-11-21T04:05:06Z"));
  const database = await openTestDatabase(join(directory, `${files}.db`), clock.now());
  open.push(() => database.close());
  const delivery = createDelivery(settingsFromConfig(config, rest), {
    database,
    vault: plainVault,
    outboxDir: directory,
    recordingsDir: directory,
    recordingLink: () => "",
    clock,
    random: systemRandom,
    log: silentLog,
  });
  return { clock, database, delivery };
}
type Appliance = Awaited<ReturnType<typeof appliance>>;

/** Starts the delivery of one event, and waits until the receiver has it completely. */
async function underWay(
  { clock, database, delivery }: Appliance,
  tenantId: number,
  agentId: number | null = null,
): Promise<void> {
  await database.tx((queries) => delivery.events.emit(queries, tenantId, ended(agentId)));
  delivery.start();
  open.push(() => stop(delivery, clock));
  await eventually(() => receiver.requests.length === 1, "the receiver has it");
}

/** Its pauses end by the test's clock. */
async function stop(delivery: Delivery, clock: Appliance["clock"]): Promise<void> {
  let stopped = false;
  const stopping = delivery.stop().then(() => {
    stopped = true;
  });
  await eventually(async () => {
    await clock.advance(1_000);
    return stopped;
  }, "stopped");
  await stopping;
}

async function stored({ database }: Appliance, tenantId: number) {
  const [row] = await database.read.select().from(outbox).where(eq(outbox.tenantId, tenantId));
  const log = await database.read
    .select()
    .from(deliveries)
    .where(eq(deliveries.tenantId, tenantId));
  return { row, log };
}

/** Checks that a millisecond before the limit it still waits, and at the limit it ends and is retried. */
async function expectLimit(world: Appliance, tenantId: number, limitMs: number): Promise<void> {
  await world.clock.advance(limitMs - 1);
  // An outcome that had been reached is stored by now: writes are queued.
  await world.database.tx(async () => {});
  expect(await stored(world, tenantId)).toMatchObject({
    row: { status: "pending", attempts: 0, leaseOwner: expect.any(String) },
    log: [],
  });
  await world.clock.advance(1);
  await eventually(async () => (await stored(world, tenantId)).log.length === 1, "logged");
  const { row, log } = await stored(world, tenantId);
  const waitMs = (row?.nextAttemptAt ?? 0) - world.clock.now();
  expect(log).toMatchObject([
    {
      status: "failed",
      attempt: 1,
      httpStatus: null,
      durationMs: limitMs,
      error: `no answer within ${limitMs} ms`,
      nextAttemptAt: row?.nextAttemptAt,
    },
  ]);
  expect(row).toMatchObject({ status: "pending", attempts: 1, leaseOwner: null });
  expect(waitMs).toBeGreaterThanOrEqual(RETRY_MS * 0.9);
  expect(waitMs).toBeLessThanOrEqual(RETRY_MS * 1.1);
}

test("a receiver that never answers has eight seconds by default, then a retry is scheduled", async () => {
  const world = await appliance();
  const tenantId = await insertTenant(world.database);
  await insertWebhook(world.database, tenantId, { url });
  await underWay(world, tenantId);
  await expectLimit(world, tenantId, 8_000);
});

test("so has the older variant's webhook_url", async () => {
  const world = await appliance();
  const tenantId = await insertTenant(world.database, { legacyWebhook: true });
  const agentId = await insertAgent(world.database, tenantId, { webhookUrl: url });
  await underWay(world, tenantId, agentId);
  expect(receiver.requests[0]?.headers["x-lv-event"]).toBe("call.completed");
  await expectLimit(world, tenantId, 8_000);
});

test("an answer a millisecond before the limit counts", async () => {
  const world = await appliance();
  const late = Promise.withResolvers<void>();
  receiver.respond = (request, response) => {
    void late.promise.then(() => answer(204)(request, response));
  };
  const tenantId = await insertTenant(world.database);
  await insertWebhook(world.database, tenantId, { url });
  await underWay(world, tenantId);
  await world.clock.advance(7_999);
  late.resolve();
  await eventually(async () => (await stored(world, tenantId)).log.length === 1, "logged");
  expect(await stored(world, tenantId)).toMatchObject({
    row: { status: "delivered", attempts: 1 },
    log: [{ status: "delivered", httpStatus: 204, durationMs: 7_999, error: null }],
  });
});

test("a 200 with an endless body is a success: the event is not sent again", async () => {
  const world = await appliance();
  receiver.respond = (_request, response) => {
    response.writeHead(200);
    response.write("thanks, working on it");
  };
  const tenantId = await insertTenant(world.database);
  await insertWebhook(world.database, tenantId, { url });
  await underWay(world, tenantId);
  await eventually(async () => (await stored(world, tenantId)).log.length === 1, "logged");
  await world.clock.advance(60_000);
  expect(await stored(world, tenantId)).toMatchObject({
    row: { status: "delivered", attempts: 1 },
    log: [{ status: "delivered", httpStatus: 200, error: null }],
  });
  expect(receiver.requests).toHaveLength(1);
});

test("a test by hand has the same limit", async () => {
  const { clock, database, delivery } = await appliance();
  const tenantId = await insertTenant(database);
  const webhookId = await insertWebhook(database, tenantId, { url });
  let result: unknown = null;
  const testing = delivery.tester.test(tenantId, webhookId).then((sent) => {
    result = sent;
  });
  await eventually(() => receiver.requests.length === 1, "the receiver has it");
  await clock.advance(7_999);
  expect(result).toBeNull();
  await clock.advance(1);
  await testing;
  expect(result).toMatchObject({
    status: "failed",
    httpStatus: null,
    durationMs: 8_000,
    error: "no answer within 8000 ms",
  });
});

test("the operator's webhook_timeout_ms replaces the eight seconds", async () => {
  const world = await appliance("webhook_timeout_ms = 1500\n");
  const tenantId = await insertTenant(world.database);
  await insertWebhook(world.database, tenantId, { url });
  await underWay(world, tenantId);
  await expectLimit(world, tenantId, 1_500);
});
