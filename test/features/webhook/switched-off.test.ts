/** Endpoints that answer 410 or fail for five days are switched off, and their tenant gets a mail. */
import {
  afterAll,
  afterEach,
  beforeAll,
  describe,
  expect,
  setDefaultTimeout,
  test,
} from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import { OPERATOR } from "../../../src/core/author.ts";
import { silentLog } from "../../../src/core/log.ts";
import { microEur } from "../../../src/core/money.ts";
import { systemRandom } from "../../../src/core/random.ts";
import { agentStore } from "../../../src/features/agent/agent-store.ts";
import { MailQueue } from "../../../src/features/mail/mail-queue.ts";
import { mailStore } from "../../../src/features/mail/mail-store.ts";
import { outboxProvider } from "../../../src/features/mail/providers/outbox.ts";
import { callEnded } from "../../../src/features/webhook/catalogue.ts";
import { DeliveryWorker } from "../../../src/features/webhook/delivery.ts";
import { createEventSink } from "../../../src/features/webhook/sink.ts";
import { mailWhenSwitchedOff } from "../../../src/features/webhook/switched-off.ts";
import { webhookStore } from "../../../src/features/webhook/webhook-store.ts";
import { webhookStores } from "../../../src/features/webhook/webhook-stores.ts";
import { SafeHttpClient } from "../../../src/platform/net/outbound-http.ts";
import { legacyEndpoints, mails, outbox, webhooks } from "../../../src/store/schema/index.ts";
import { eventually } from "../../support/eventually.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { answer, type HttpsReceiver, httpsReceiver } from "../../support/net/https-receiver.ts";
import { testCa } from "../../support/net/test-ca.ts";
import { plainVault } from "../../support/store/plain-vault.ts";
import { insertAgent, insertTenant, insertWebhook } from "../../support/store/stored-rows.ts";
import { openTestDatabase } from "../../support/store/test-store.ts";
import { tempDir } from "../../support/temp-dir.ts";

setDefaultTimeout(30_000);

const NOTE = { author: OPERATOR, nowMs: 1 };

const HOST = "127.45.0.1";
const DAY = 24 * 3600 * 1000;
const directory = tempDir();
const ca = testCa(directory);
const clock = fakeClock(Date.parse("2026-11-21T04:05:06Z"));
const database = await openTestDatabase(join(directory, "switched-off.db"), clock.now());
const random = systemRandom;
const shared = { database, clock, random, log: silentLog };
const outboxDir = join(directory, "mail");
mkdirSync(outboxDir);

const mailQueue = new MailQueue({
  ...shared,
  stores: mailStore,
  provider: outboxProvider(outboxDir),
  attachmentBytesMax: 18_000_000,
  recordingLink: () => "",
  recordingsDir: directory,
  from: "calls@appliance.example",
});
const worker = new DeliveryWorker({
  ...shared,
  stores: webhookStores,
  vault: plainVault,
  client: new SafeHttpClient({ allowNetworks: [`${HOST}/32`], caPem: ca.caPem }),
  timeoutMs: 2000,
  pauseMs: 0, // the clock stands still
  switchedOff: mailWhenSwitchedOff(webhookStores, mailQueue),
});
const sink = createEventSink({ stores: webhookStores, clock, random, wake: () => worker.wake() });
let receiver: HttpsReceiver;

beforeAll(async () => {
  receiver = await httpsReceiver(ca.issue([`IP:${HOST}`]), answer(200), HOST);
  worker.start();
  mailQueue.start();
});
afterEach(() => {
  receiver.respond = answer(200);
  receiver.requests.length = 0;
});
afterAll(async () => {
  await worker.stop(0);
  await mailQueue.stop();
  await receiver.close();
  await database.close();
});

const hook = (path = "/hook") => `https://${HOST}:${receiver.port}${path}`;

async function emit(tenantId: number, agentId: number | null = null): Promise<void> {
  const call = {
    callUuid: crypto.randomUUID(),
    direction: "inbound" as const,
    fromNumber: "+37060000001",
    toNumber: "+37052000000",
    agentId,
  };
  const ending = { status: "completed", reason: "caller_hangup", sipCode: null };
  const charge = { billableSeconds: 42, cost: microEur(84_000) };
  await database.tx((queries) =>
    sink.emit(queries, tenantId, callEnded(call, ending, charge, 41_200)),
  );
  sink.wake();
}

const outboxOf = (tenantId: number) =>
  database.read.select().from(outbox).where(eq(outbox.tenantId, tenantId));
const statusesOf = async (tenantId: number) =>
  (await outboxOf(tenantId)).map(({ status }) => status);
const mailsOf = (tenantId: number) =>
  database.read.select().from(mails).where(eq(mails.tenantId, tenantId));
const webhookRow = async (id: number) =>
  (await database.read.select().from(webhooks).where(eq(webhooks.id, id)))[0];
const legacyRow = async (tenantId: number) =>
  (
    await database.read.select().from(legacyEndpoints).where(eq(legacyEndpoints.tenantId, tenantId))
  )[0];
const attempted = (tenantId: number, count: number) =>
  eventually(
    async () =>
      (await outboxOf(tenantId)).filter((row) => row.attempts > 0 && !row.leaseOwner).length >=
      count,
    `${count} attempted`,
  );
const passDays = (days: number) => clock.stepWallClock(days * DAY);

describe("a webhook", () => {
  test("that answers 410 is switched off at once, shows the reason, and drops its waiting deliveries", async () => {
    receiver.respond = answer(410);
    const tenantId = await insertTenant(database);
    const webhookId = await insertWebhook(database, tenantId, { url: hook() });
    await emit(tenantId);
    await eventually(async () => (await webhookRow(webhookId))?.enabled === false, "switched off");
    expect((await webhookRow(webhookId))?.disabledReason).toContain("410");
    expect(await statusesOf(tenantId)).toEqual(["failed"]);
    const [shown] = await webhookStore(database.read).list(tenantId);
    expect(shown).toMatchObject({ id: webhookId, enabled: false });
    await emit(tenantId);
    expect((await outboxOf(tenantId)).length).toBe(1);
  });

  test("that succeeds twice is not marked as failing", async () => {
    const tenantId = await insertTenant(database);
    const webhookId = await insertWebhook(database, tenantId, { url: hook() });
    receiver.respond = answer(204);
    for (const count of [1, 2]) {
      await emit(tenantId);
      await attempted(tenantId, count);
      expect(await webhookRow(webhookId)).toMatchObject({ failingSince: null, enabled: true });
    }
    expect(await statusesOf(tenantId)).toEqual(["delivered", "delivered"]);
  });

  test("whose deliveries all failed for five days is switched off; one success resets the five days", async () => {
    const tenantId = await insertTenant(database);
    const webhookId = await insertWebhook(database, tenantId, { url: hook() });
    const failing = async () => (await webhookRow(webhookId))?.failingSince !== null;
    receiver.respond = answer(500);
    await emit(tenantId);
    await eventually(failing, "failing");
    passDays(4.9);
    receiver.respond = answer(204);
    await emit(tenantId);
    await eventually(async () => !(await failing()), "forgiven");
    receiver.respond = answer(500);
    await emit(tenantId);
    await eventually(failing, "failing anew");
    passDays(4.9);
    await emit(tenantId);
    await attempted(tenantId, 3);
    expect((await webhookRow(webhookId))?.enabled).toBe(true);
    passDays(0.1);
    await emit(tenantId);
    await eventually(async () => (await webhookRow(webhookId))?.enabled === false, "switched off");
    expect((await webhookRow(webhookId))?.disabledReason).toContain("five days");
    expect(await statusesOf(tenantId)).not.toContain("pending");
  });

  test("when switched off, also ends deliveries of a dead process, which can be sent again later", async () => {
    receiver.respond = answer(410);
    const tenantId = await insertTenant(database);
    const webhookId = await insertWebhook(database, tenantId, { url: hook() });
    await database.tx(async (queries) => {
      const begun = { id: `evt_${"b".repeat(32)}`, type: "call.ended", callUuid: null, body: "{}" };
      await webhookStores.events(queries).insert(tenantId, { ...begun, createdAt: clock.now() });
      await queries.insert(outbox).values({
        tenantId,
        webhookId,
        eventId: begun.id,
        status: "pending",
        attempts: 0,
        leaseOwner: "dead",
        leaseUntil: clock.now() + 10_000,
        nextAttemptAt: clock.now(),
        createdAt: clock.now(),
      });
    });
    await emit(tenantId);
    await eventually(async () => (await webhookRow(webhookId))?.enabled === false, "switched off");
    expect(await statusesOf(tenantId)).toEqual(["failed", "failed"]);
    clock.stepWallClock(20_000);
    receiver.respond = answer(200);
    await database.tx(async (queries) => {
      await queries.update(webhooks).set({ enabled: true }).where(eq(webhooks.id, webhookId));
      const failed = await webhookStores.outbox(queries).failedEvents(tenantId, webhookId, 10);
      await webhookStores.outbox(queries).restart(tenantId, webhookId, failed, clock.now());
    });
    worker.wake();
    await eventually(
      async () => (await statusesOf(tenantId)).every((status) => status === "delivered"),
      "both delivered",
    );
  });

  test("when switched off, causes one mail in plain words that says how to fix it", async () => {
    receiver.respond = answer(410);
    const tenantId = await insertTenant(database, { email: "it@clinic.example" });
    const webhookId = await insertWebhook(database, tenantId, { url: hook("/told") });
    for (let count = 0; count < 6; count++) await emit(tenantId);
    await eventually(
      async () => (await statusesOf(tenantId)).every((status) => status === "failed"),
      "everything given up",
    );
    await eventually(async () => (await mailsOf(tenantId))[0]?.status === "sent", "mailed");
    const [mail, ...others] = await mailsOf(tenantId);
    expect(others).toEqual([]);
    expect(mail).toMatchObject({
      key: `webhook-disabled:${webhookId}:${clock.now()}`,
      recipient: "it@clinic.example",
      subject: `Webhook ${webhookId} was switched off`,
      attachment: null,
    });
    for (const words of [hook("/told"), "410 Gone", `POST /webhooks/${webhookId}/test`])
      expect(mail?.body).toContain(words);
    expect(mail?.body).not.toContain("+370");
    const files = await Array.fromAsync(new Bun.Glob("*").scan(outboxDir));
    expect(files.length).toBeGreaterThan(0);
  });
});

describe("a legacy webhook_url", () => {
  test("that answers 410 gets nothing more, and its tenant gets a mail that names the agents", async () => {
    receiver.respond = answer(410);
    const tenantId = await insertTenant(database);
    const agentId = await insertAgent(database, tenantId, { webhookUrl: hook(), name: "Nida" });
    await emit(tenantId, agentId);
    await eventually(async () => (await mailsOf(tenantId)).length === 1, "told");
    expect(await statusesOf(tenantId)).toEqual(["failed"]);
    await emit(tenantId, agentId);
    expect((await outboxOf(tenantId)).length).toBe(1);
    const [mail] = await mailsOf(tenantId);
    expect(mail?.key).toStartWith(`webhook-disabled:${tenantId}:${hook()}:`);
    for (const words of ["webhook_url", hook(), "Agents: Nida", "PATCH /agents/{id}"])
      expect(mail?.body).toContain(words);
  });

  test("that fails for five days is switched off; a success in between resets the five days", async () => {
    const tenantId = await insertTenant(database);
    const agentId = await insertAgent(database, tenantId, { webhookUrl: hook() });
    receiver.respond = answer(500);
    await emit(tenantId, agentId);
    await eventually(async () => (await legacyRow(tenantId)) !== undefined, "failing");
    passDays(4);
    receiver.respond = answer(200);
    await emit(tenantId, agentId);
    await eventually(async () => (await legacyRow(tenantId)) === undefined, "forgiven");
    receiver.respond = answer(500);
    await emit(tenantId, agentId);
    await eventually(async () => (await legacyRow(tenantId)) !== undefined, "failing anew");
    passDays(5);
    await emit(tenantId, agentId);
    const reason = async () => (await legacyRow(tenantId))?.disabledReason ?? "";
    await eventually(async () => (await reason()).includes("five days"), "switched off");
    expect((await mailsOf(tenantId)).length).toBe(1);
    expect(await statusesOf(tenantId)).not.toContain("pending");
  });

  test("starts again when an agent gets it again, and is independent of the same URL at another tenant", async () => {
    receiver.respond = answer(410);
    const tenantId = await insertTenant(database);
    const agentId = await insertAgent(database, tenantId, { webhookUrl: hook() });
    await emit(tenantId, agentId);
    await eventually(async () => (await mailsOf(tenantId)).length === 1, "switched off");
    receiver.respond = answer(200);
    receiver.requests.length = 0;
    const stranger = await insertTenant(database);
    await emit(stranger, await insertAgent(database, stranger, { webhookUrl: hook() }));
    await eventually(() => receiver.requests.length === 1, "the other tenant's");
    await database.tx(async (queries) => {
      await agentStore(queries).update(tenantId, agentId, { name: "Renamed", updatedAt: 1 }, NOTE);
    });
    await emit(tenantId, agentId);
    expect((await outboxOf(tenantId)).length).toBe(1);
    await database.tx(async (queries) => {
      await agentStore(queries).update(
        tenantId,
        agentId,
        { webhookUrl: hook(), updatedAt: 2 },
        NOTE,
      );
    });
    await emit(tenantId, agentId);
    await eventually(() => receiver.requests.length === 2, "it is sent to again");
  });
});
