/** Recipients of an event, and the received request. */
import { afterAll, afterEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { eq } from "drizzle-orm";
import { callStarted } from "../../../src/features/webhook/catalogue.ts";
import { verifySignature } from "../../../src/features/webhook/signature.ts";
import { events } from "../../../src/store/schema/index.ts";
import { eventually } from "../../support/eventually.ts";
import { deliveryWorld, ended, facts } from "../../support/http/delivery-world.ts";
import { insertAgent, insertTenant, insertWebhook } from "../../support/store/stored-rows.ts";

setDefaultTimeout(30_000);

const world = await deliveryWorld("127.42.0.1");
const { clock, database, sink, healthy, urlOf, emit, outboxOf, logOf, isDelivered } = world;
afterEach(world.reset);
afterAll(world.close);

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
    // In the specification's spelling: receivers look them up in plain tables.
    const written = ["X-LV-Event", "X-LV-Delivery-Id", "X-LV-Timestamp", "X-LV-Signature"];
    expect(request?.rawHeaders).toEqual(expect.arrayContaining(["Content-Type", ...written]));
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

  test("goes only to enabled webhooks of this tenant with its type", async () => {
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

  test("of a change that rolls back is never sent", async () => {
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

  test("call.ended also goes to the agent's webhook_url, under the tenant's secret", async () => {
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
