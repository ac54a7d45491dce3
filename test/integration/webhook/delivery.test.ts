import {
  afterAll,
  afterEach,
  beforeAll,
  describe,
  expect,
  setDefaultTimeout,
  test,
} from "bun:test";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import { silentLog } from "../../../src/core/log.ts";
import { microEur } from "../../../src/core/money.ts";
import { systemRandom } from "../../../src/core/random.ts";
import { deliveries, events, outbox } from "../../../src/store/schema/index.ts";
import { webhookStores } from "../../../src/store/webhook-stores.ts";
import { callEnded, callStarted } from "../../../src/webhook/catalogue.ts";
import { createDeliveryWorker, type DeliveryWorker } from "../../../src/webhook/delivery.ts";
import { createGuardedClient } from "../../../src/webhook/safe-http.ts";
import { verifySignature } from "../../../src/webhook/signature.ts";
import { createEventSink } from "../../../src/webhook/sink.ts";
import { createWebhookTester } from "../../../src/webhook/tester.ts";
import { eventually } from "../../support/eventually.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import {
  answer,
  type HttpsReceiver,
  httpsReceiver,
  type Responder,
} from "../../support/https-receiver.ts";
import { plainVault } from "../../support/plain-vault.ts";
import { insertAgent, insertTenant, insertWebhook } from "../../support/stored-rows.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { testCa } from "../../support/test-ca.ts";
import { openTestDatabase } from "../../support/test-store.ts";

setDefaultTimeout(30_000);

const HOST = "127.42.0.1";
const directory = tempDir();
const ca = testCa(directory);
const certificate = ca.issue([`IP:${HOST}`]);
const clock = fakeClock(Date.parse("2026-11-21T04:05:06Z"));
const database = await openTestDatabase(join(directory, "webhooks.db"), clock.now());
const client = createGuardedClient({ allowNetworks: [`${HOST}/32`], caPem: ca.caPem });
const common = {
  database,
  stores: webhookStores,
  vault: plainVault,
  client,
  clock,
  log: silentLog,
  timeoutMs: 2000,
};

let worker: DeliveryWorker;
const sink = createEventSink({
  stores: webhookStores,
  clock,
  random: systemRandom,
  wake: () => worker.wake(),
});
const tester = createWebhookTester({
  ...common,
  random: systemRandom,
  wake: () => worker.wake(),
});

let healthy: HttpsReceiver;
let troubled: HttpsReceiver;
const urlOf = (receiver: HttpsReceiver, path = "/hook") =>
  `https://${HOST}:${receiver.port}${path}`;

beforeAll(async () => {
  healthy = await httpsReceiver(certificate, answer(200), HOST);
  troubled = await httpsReceiver(certificate, answer(500), HOST);
  worker = startWorker();
});
afterEach(() => {
  healthy.respond = answer(200);
  troubled.respond = answer(500);
  healthy.requests.length = 0;
  troubled.requests.length = 0;
});
afterAll(async () => {
  await worker.stop(0);
  await healthy.close();
  await troubled.close();
  await database.close();
});

function startWorker(): DeliveryWorker {
  const started = createDeliveryWorker({
    ...common,
    random: systemRandom,
    pauseMs: 0, // the clock stands still
  });
  started.start();
  return started;
}

const facts = (agentId: number | null, callUuid: string = crypto.randomUUID()) => ({
  callUuid,
  direction: "inbound" as const,
  fromNumber: "+37060000001",
  toNumber: "+37052000000",
  agentId,
});
const ended = (agentId: number | null, callUuid?: string) =>
  callEnded(
    facts(agentId, callUuid),
    { status: "completed", reason: "caller_hangup", sipCode: null },
    { billableSeconds: 42, cost: microEur(84_000) },
    41_200,
  );

async function emit(tenantId: number, draft = ended(null)): Promise<void> {
  await database.tx((queries) => sink.emit(queries, tenantId, draft));
  sink.wake();
}

/** Hours at once, then a look of the worker, as its timer would. */
function jumpTo(epochMs: number): void {
  clock.stepWallClock(epochMs - clock.now());
  worker.wake();
}

const outboxOf = (tenantId: number) =>
  database.read.select().from(outbox).where(eq(outbox.tenantId, tenantId));
const logOf = (tenantId: number) =>
  database.read.select().from(deliveries).where(eq(deliveries.tenantId, tenantId));
const isDelivered = async (tenantId: number) =>
  (await outboxOf(tenantId)).every((row) => row.status === "delivered");

describe("an event", () => {
  test("reaches its subscriber signed, with the headers and body of the specification", async () => {
    const tenantId = await insertTenant(database);
    await insertWebhook(database, tenantId, { url: urlOf(healthy) });
    const draft = ended(7);
    await emit(tenantId, draft);
    await eventually(() => isDelivered(tenantId), "delivered");
    const request = healthy.requests[0];
    const body = JSON.parse(request?.body ?? "{}");
    expect(Object.keys(body)).toEqual(["id", "type", "created_at", "data"]);
    expect(body).toMatchObject({ type: "call.ended", created_at: "2026-11-21T04:05:06+00:00" });
    expect(body.id).toMatch(/^evt_[0-9a-f]{32}$/);
    expect(body.data).toEqual({
      call_id: draft.callUuid,
      duration_sec: 42,
      status: "completed",
      direction: "inbound",
      from_number: "+37060000001",
      to_number: "+37052000000",
      agent_id: 7,
      ended_reason: "caller_hangup",
      billable_seconds: 42,
      cost_eur: 0.084,
    });
    const unix = Math.floor(clock.now() / 1000);
    expect(request?.headers).toMatchObject({
      "content-type": "application/json",
      "x-lv-event": "call.ended",
      "x-lv-timestamp": String(unix),
    });
    expect(request?.headers["x-lv-delivery-id"]).toMatch(/^del_[0-9a-f]{32}$/);
    const signature = String(request?.headers["x-lv-signature"]);
    expect(verifySignature("webhook-secret", signature, request?.body ?? "", unix)).toBe(true);
    const [entry] = await logOf(tenantId);
    expect(entry).toMatchObject({
      eventId: body.id,
      id: String(request?.headers["x-lv-delivery-id"]),
      attempt: 1,
      status: "delivered",
      httpStatus: 200,
      error: null,
    });
    expect(JSON.stringify(entry)).not.toContain("+370");
  });

  test("goes only to enabled webhooks that chose its type, of this tenant", async () => {
    const tenantId = await insertTenant(database);
    const stranger = await insertTenant(database);
    await insertWebhook(database, tenantId, { url: urlOf(healthy, "/a") });
    await insertWebhook(database, tenantId, { url: urlOf(healthy, "/b"), enabled: false });
    await insertWebhook(database, tenantId, {
      url: urlOf(healthy, "/c"),
      events: ["call.started"],
    });
    await insertWebhook(database, stranger, { url: urlOf(healthy, "/d") });
    await emit(tenantId);
    await eventually(() => isDelivered(tenantId), "delivered");
    expect(healthy.requests.map((request) => request.path)).toEqual(["/a"]);
  });

  test("that rolls back with its change is never sent", async () => {
    const tenantId = await insertTenant(database);
    await insertWebhook(database, tenantId, { url: urlOf(healthy) });
    const failing = database.tx(async (queries) => {
      await sink.emit(queries, tenantId, ended(null));
      throw new Error("no");
    });
    await expect(failing).rejects.toThrow("no");
    expect(await outboxOf(tenantId)).toEqual([]);
    const stored = await database.read.select().from(events).where(eq(events.tenantId, tenantId));
    expect(stored).toEqual([]);
  });

  test("call.ended goes to the agent's webhook_url too, under the tenant's secret", async () => {
    const tenantId = await insertTenant(database);
    const agentId = await insertAgent(database, tenantId, { webhookUrl: urlOf(healthy) });
    await emit(tenantId, callStarted(facts(agentId), "ringing"));
    await emit(tenantId, ended(agentId));
    await eventually(() => isDelivered(tenantId), "delivered");
    expect(healthy.requests.length).toBe(1);
    const request = healthy.requests[0];
    expect(request?.headers["x-lv-event"]).toBe("call.ended");
    const header = String(request?.headers["x-lv-signature"]);
    const unix = Math.floor(clock.now() / 1000);
    expect(verifySignature("tenant-secret", header, request?.body ?? "", unix)).toBe(true);
  });

  test("tenants of the older variant get call.completed at webhook_url, call.ended elsewhere", async () => {
    const tenantId = await insertTenant(database, { legacyWebhook: true });
    const agentId = await insertAgent(database, tenantId, { webhookUrl: urlOf(healthy, "/old") });
    await insertWebhook(database, tenantId, { url: urlOf(healthy, "/new") });
    await emit(tenantId, ended(agentId));
    await eventually(async () => healthy.requests.length === 2, "both arrived");
    const seen = healthy.requests.map((request) => [
      request.path,
      request.headers["x-lv-event"],
      JSON.parse(request.body).type,
    ]);
    expect(seen.sort()).toEqual([
      ["/new", "call.ended", "call.ended"],
      ["/old", "call.completed", "call.completed"],
    ]);
  });

  test("events of one call arrive in order", async () => {
    const tenantId = await insertTenant(database);
    await insertWebhook(database, tenantId, {
      url: urlOf(healthy),
      events: ["call.started", "call.ended"],
    });
    const uuid = crypto.randomUUID();
    await database.tx(async (queries) => {
      await sink.emit(queries, tenantId, callStarted(facts(null, uuid), "ringing"));
      await sink.emit(queries, tenantId, ended(null, uuid));
    });
    sink.wake();
    await eventually(() => isDelivered(tenantId), "delivered");
    expect(healthy.requests.map((request) => JSON.parse(request.body).type)).toEqual([
      "call.started",
      "call.ended",
    ]);
  });
});

describe("a delivery that fails", () => {
  test("is tried eight times on schedule with the same id and body, new delivery ids and fresh timestamps", async () => {
    const tenantId = await insertTenant(database);
    await insertWebhook(database, tenantId, { url: urlOf(troubled) });
    await emit(tenantId);
    for (let attempt = 1; attempt <= 8; attempt++) {
      await eventually(async () => (await logOf(tenantId)).length === attempt, `try ${attempt}`);
      const [row] = await outboxOf(tenantId);
      expect(row?.attempts).toBe(attempt);
      if (attempt === 8) expect(row).toMatchObject({ status: "failed", nextAttemptAt: null });
      else jumpTo(row?.nextAttemptAt ?? clock.now());
    }
    const requests = troubled.requests;
    expect(requests.length).toBe(8);
    expect(new Set(requests.map((request) => request.body)).size).toBe(1);
    expect(new Set(requests.map((request) => request.headers["x-lv-delivery-id"])).size).toBe(8);
    expect(new Set(requests.map((request) => request.headers["x-lv-timestamp"])).size).toBe(8);
    for (const request of requests) {
      const unix = Number(request.headers["x-lv-timestamp"]);
      const header = String(request.headers["x-lv-signature"]);
      expect(verifySignature("webhook-secret", header, request.body, unix)).toBe(true);
    }
  });

  const failures: readonly (readonly [string, Responder, string])[] = [
    ["a redirect", answer(302, "", { location: "/elsewhere" }), "redirects are not followed"],
    ["a 404", answer(404), "HTTP 404"],
    ["silence", () => {}, "no answer within"],
  ];
  test.each([...failures])(
    "%s counts as failure and is logged in words",
    async (_, respond, words) => {
      troubled.respond = respond;
      const tenantId = await insertTenant(database);
      await insertWebhook(database, tenantId, { url: urlOf(troubled) });
      await emit(tenantId);
      await eventually(async () => (await logOf(tenantId)).length === 1, "logged");
      const [entry] = await logOf(tenantId);
      expect(entry?.status).toBe("failed");
      expect(entry?.error).toContain(words);
      expect(troubled.requests.length).toBe(1);
    },
  );

  test("waits as long as Retry-After asks", async () => {
    troubled.respond = answer(503, "", { "retry-after": "3600" });
    const tenantId = await insertTenant(database);
    await insertWebhook(database, tenantId, { url: urlOf(troubled) });
    await emit(tenantId);
    await eventually(async () => (await logOf(tenantId)).length === 1, "logged");
    const [row] = await outboxOf(tenantId);
    expect((row?.nextAttemptAt ?? 0) - clock.now()).toBe(3_600_000);
  });

  test("a dead endpoint with a backlog delays no other", async () => {
    troubled.respond = () => {}; // holds every connection until the time limit
    const tenantId = await insertTenant(database);
    const other = await insertTenant(database);
    await insertWebhook(database, tenantId, { url: urlOf(troubled) });
    await insertWebhook(database, other, { url: urlOf(healthy) });
    for (let count = 0; count < 100; count++)
      await database.tx((queries) => sink.emit(queries, tenantId, ended(null)));
    for (let count = 0; count < 50; count++)
      await database.tx((queries) => sink.emit(queries, other, ended(null)));
    sink.wake();
    await eventually(() => isDelivered(other), "the healthy endpoint got everything");
    expect(healthy.requests.length).toBe(50);
    // Meanwhile the dead one has had a handful of attempts at most.
    expect(troubled.requests.length).toBeLessThan(20);
  });
});

describe("by hand", () => {
  test("a test sends call.ended with nothing of a customer and answers how it went", async () => {
    const tenantId = await insertTenant(database);
    const webhookId = await insertWebhook(database, tenantId, { url: urlOf(healthy) });
    const result = await tester.test(tenantId, webhookId);
    expect(result).toMatchObject({ status: "delivered", httpStatus: 200, error: null });
    const body = JSON.parse(healthy.requests[0]?.body ?? "{}");
    expect(body).toMatchObject({ id: result.eventId, type: "call.ended" });
    expect(body.data.status).toBe("completed");
    expect(JSON.stringify(body.data)).not.toMatch(/\+\d/);
    expect(body.data.transcript).toBeUndefined();
    expect((await logOf(tenantId))[0]).toMatchObject({ id: result.deliveryId, outboxId: null });
  });

  test("a failed test is a result, a foreign webhook is not found", async () => {
    const tenantId = await insertTenant(database);
    const webhookId = await insertWebhook(database, tenantId, { url: urlOf(troubled) });
    const result = await tester.test(tenantId, webhookId);
    expect(result).toMatchObject({ status: "failed", httpStatus: 500 });
    const inside = await insertWebhook(database, tenantId, { url: "https://10.0.0.1/" });
    expect(await tester.test(tenantId, inside)).toMatchObject({
      status: "failed",
      httpStatus: null,
      error: "the address is not allowed (private)",
    });
    const stranger = await insertTenant(database);
    await expect(tester.test(stranger, webhookId)).rejects.toMatchObject({ code: "not_found" });
  });

  test("a delivery can be sent again: same event and body, new delivery id", async () => {
    const tenantId = await insertTenant(database);
    const webhookId = await insertWebhook(database, tenantId, { url: urlOf(healthy) });
    await emit(tenantId);
    await eventually(() => isDelivered(tenantId), "delivered");
    const first = healthy.requests[0];
    const delivery = String(first?.headers["x-lv-delivery-id"]);
    const stranger = await insertTenant(database);
    await expect(tester.resend(stranger, webhookId, delivery)).rejects.toMatchObject({
      code: "not_found",
    });
    await tester.resend(tenantId, webhookId, delivery);
    await eventually(() => healthy.requests.length === 2, "sent again");
    expect(healthy.requests[1]?.body).toBe(first?.body ?? "");
    expect(healthy.requests[1]?.headers["x-lv-delivery-id"]).not.toBe(delivery);
  });

  test("everything that failed can be sent again at once", async () => {
    const tenantId = await insertTenant(database);
    const webhookId = await insertWebhook(database, tenantId, { url: urlOf(healthy) });
    for (let count = 0; count < 3; count++) await emit(tenantId);
    await eventually(() => isDelivered(tenantId), "delivered");
    await database.tx(async (queries) => {
      await queries.update(outbox).set({ status: "failed" }).where(eq(outbox.tenantId, tenantId));
    });
    expect(await tester.resendFailed(tenantId, webhookId)).toBe(3);
    await eventually(() => healthy.requests.length === 6, "all again");
  });
});

describe("a restart", () => {
  test("sends what was pending or just being sent when the process died", async () => {
    const tenantId = await insertTenant(database);
    await insertWebhook(database, tenantId, { url: urlOf(healthy) });
    await worker.stop(0);
    await emit(tenantId);
    await database.tx(async (queries) => {
      const lease = { leaseOwner: "dead", leaseUntil: clock.now() + 10_000 };
      await queries.update(outbox).set(lease).where(eq(outbox.tenantId, tenantId));
    });
    await emit(tenantId);
    worker = startWorker();
    await eventually(() => healthy.requests.length === 1, "the pending one");
    await eventually(async () => {
      await clock.advance(1000);
      return isDelivered(tenantId);
    }, "the leased one, when its lease ran out");
    expect(healthy.requests.length).toBe(2);
  });

  test("lets no later event of a call overtake the one that a dead process had begun", async () => {
    const tenantId = await insertTenant(database);
    const subscription = { url: urlOf(healthy), events: ["call.started", "call.ended"] };
    await insertWebhook(database, tenantId, subscription);
    await worker.stop(0);
    const uuid = crypto.randomUUID();
    await emit(tenantId, callStarted(facts(null, uuid), "ringing"));
    await database.tx(async (queries) => {
      const lease = { leaseOwner: "dead", leaseUntil: clock.now() + 10_000 };
      await queries.update(outbox).set(lease).where(eq(outbox.tenantId, tenantId));
    });
    await emit(tenantId, ended(null, uuid));
    await emit(tenantId, ended(null));
    worker = startWorker();
    await eventually(() => healthy.requests.length === 1, "the other call's event");
    await eventually(async () => {
      await clock.advance(1000);
      return isDelivered(tenantId);
    }, "both, when the lease ran out");
    const inOrder = healthy.requests.map((request) => JSON.parse(request.body));
    expect(inOrder.map(({ type }) => type)).toEqual(["call.ended", "call.started", "call.ended"]);
    expect(inOrder.slice(1).map(({ data }) => data.call_id)).toEqual([uuid, uuid]);
  });

  test("stopping abandons what is under way and leaves it pending, without counting it", async () => {
    healthy.respond = () => {};
    const tenantId = await insertTenant(database);
    await insertWebhook(database, tenantId, { url: urlOf(healthy) });
    await emit(tenantId);
    await eventually(() => healthy.requests.length === 1, "under way");
    const stopping = worker.stop(100);
    await clock.advance(100);
    await stopping;
    expect((await outboxOf(tenantId))[0]).toMatchObject({
      status: "pending",
      attempts: 0,
      leaseOwner: null,
    });
    healthy.respond = answer(200);
    worker = startWorker();
    await eventually(() => isDelivered(tenantId), "delivered after the restart");
  });
});
