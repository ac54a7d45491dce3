/** Repeated deliveries: after a failure, by hand, after a restart. */
import { afterAll, afterEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { eq } from "drizzle-orm";
import { callStarted } from "../../../src/features/webhook/catalogue.ts";
import { verifySignature } from "../../../src/features/webhook/signature.ts";
import { webhookStore } from "../../../src/features/webhook/webhook-store.ts";
import { events, outbox } from "../../../src/store/schema/index.ts";
import { eventually } from "../../support/eventually.ts";
import { deliveryWorld, ended, facts } from "../../support/http/delivery-world.ts";
import { answer, type Responder } from "../../support/net/https-receiver.ts";
import { insertTenant, insertWebhook } from "../../support/store/stored-rows.ts";

setDefaultTimeout(30_000);

const world = await deliveryWorld("127.42.0.2");
const {
  clock,
  database,
  sink,
  tester,
  healthy,
  troubled,
  urlOf,
  emit,
  jumpTo,
  outboxOf,
  logOf,
  isDelivered,
} = world;
afterEach(world.reset);
afterAll(world.close);

describe("a failed delivery", () => {
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

  test("is signed with the current secret, and not sent if that secret cannot be decrypted", async () => {
    const tenantId = await insertTenant(database);
    const webhookId = await insertWebhook(database, tenantId, { url: urlOf(troubled) });
    const broken = await insertWebhook(database, tenantId, {
      url: urlOf(healthy),
      secretSealed: "of another key",
    });
    await emit(tenantId);
    await eventually(async () => (await logOf(tenantId)).length === 1, "the first try");
    await database.tx((queries) =>
      webhookStore(queries).setSecret(tenantId, webhookId, "sealed:rotated"),
    );
    troubled.respond = answer(200);
    const ofWebhook = async () =>
      (await outboxOf(tenantId)).find((row) => row.webhookId === webhookId);
    jumpTo((await ofWebhook())?.nextAttemptAt ?? 0);
    await eventually(async () => (await ofWebhook())?.status === "delivered", "the second try");
    const [first, second] = troubled.requests.map(({ headers, body }) =>
      ["webhook-secret", "rotated"].filter((secret) =>
        verifySignature(
          ...([secret, String(headers["x-lv-signature"]), body] as const),
          Number(headers["x-lv-timestamp"]),
        ),
      ),
    );
    expect([first, second]).toEqual([["webhook-secret"], ["rotated"]]);
    const ofBroken = (await outboxOf(tenantId)).find((row) => row.webhookId === broken);
    expect(ofBroken).toMatchObject({ status: "pending", attempts: 0 });
    expect(healthy.requests).toHaveLength(0);
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

  test("waits as long as Retry-After says", async () => {
    troubled.respond = answer(503, "", { "retry-after": "3600" });
    const tenantId = await insertTenant(database);
    await insertWebhook(database, tenantId, { url: urlOf(troubled) });
    await emit(tenantId);
    await eventually(async () => (await logOf(tenantId)).length === 1, "logged");
    const [row] = await outboxOf(tenantId);
    expect((row?.nextAttemptAt ?? 0) - clock.now()).toBe(3_600_000);
  });

  test("of a dead endpoint with a backlog delays no other endpoint", async () => {
    troubled.respond = () => {}; // keeps every connection open until the time limit
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
    // The dead endpoint has had a handful of attempts at most.
    expect(troubled.requests.length).toBeLessThan(20);
  });
});

describe("by hand", () => {
  test("a test sends call.ended without customer data and returns the outcome", async () => {
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

  test("a failed test is returned as a result; a foreign webhook returns not found", async () => {
    const tenantId = await insertTenant(database);
    const webhookId = await insertWebhook(database, tenantId, { url: urlOf(troubled) });
    const result = await tester.test(tenantId, webhookId);
    expect(result).toMatchObject({ status: "failed", httpStatus: 500 });
    const inside = await insertWebhook(database, tenantId, { url: "https://10.0.0.1/" });
    expect(await tester.test(tenantId, inside)).toMatchObject({
      status: "failed",
      httpStatus: null,
      error: "the address is not allowed",
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

  test("all failed deliveries can be sent again at once", async () => {
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

  test("of very many failed deliveries, the oldest thousand are sent again per request", async () => {
    const tenantId = await insertTenant(database);
    const webhookId = await insertWebhook(database, tenantId, { url: urlOf(healthy) });
    await world.stopWorker();
    await emit(tenantId);
    await database.tx(async (queries) => {
      const [event] = await queries.select().from(events).where(eq(events.tenantId, tenantId));
      const [row] = await queries.select().from(outbox).where(eq(outbox.tenantId, tenantId));
      if (!event || !row) throw new Error("nothing was emitted");
      await queries.delete(outbox).where(eq(outbox.id, row.id));
      for (let at = 0; at < 1_001; at++) {
        const eventId = `${event.id}-${at}`;
        await queries.insert(events).values({ ...event, id: eventId });
        await queries.insert(outbox).values({ ...row, id: undefined, eventId, status: "failed" });
      }
    });
    expect(await tester.resendFailed(tenantId, webhookId)).toBe(1_000);
    const left = (await outboxOf(tenantId)).filter(({ status }) => status === "failed");
    expect(left.map(({ eventId }) => eventId.split("-").at(-1))).toEqual(["1000"]);
    await database.tx((queries) => queries.delete(outbox).where(eq(outbox.tenantId, tenantId)));
    world.startWorker();
  });
});

describe("a restart", () => {
  test("sends deliveries that were pending or in progress when the process died", async () => {
    const tenantId = await insertTenant(database);
    await insertWebhook(database, tenantId, { url: urlOf(healthy) });
    await world.stopWorker();
    await emit(tenantId);
    await database.tx(async (queries) => {
      const lease = { leaseOwner: "dead", leaseUntil: clock.now() + 10_000 };
      await queries.update(outbox).set(lease).where(eq(outbox.tenantId, tenantId));
    });
    await emit(tenantId);
    world.startWorker();
    await eventually(() => healthy.requests.length === 1, "the pending one");
    await eventually(async () => {
      await clock.advance(1000);
      return isDelivered(tenantId);
    }, "the leased one, when its lease ran out");
    expect(healthy.requests.length).toBe(2);
  });

  test("lets no later event of a call overtake one that a dead process had started", async () => {
    const tenantId = await insertTenant(database);
    const subscription = { url: urlOf(healthy), events: ["call.started", "call.ended"] };
    await insertWebhook(database, tenantId, subscription);
    await world.stopWorker();
    const uuid = crypto.randomUUID();
    await emit(tenantId, callStarted(facts(null, uuid), "ringing"));
    await database.tx(async (queries) => {
      const lease = { leaseOwner: "dead", leaseUntil: clock.now() + 10_000 };
      await queries.update(outbox).set(lease).where(eq(outbox.tenantId, tenantId));
    });
    await emit(tenantId, ended(null, uuid));
    await emit(tenantId, ended(null));
    world.startWorker();
    await eventually(() => healthy.requests.length === 1, "the other call's event");
    await eventually(async () => {
      await clock.advance(1000);
      return isDelivered(tenantId);
    }, "both, when the lease ran out");
    const inOrder = healthy.requests.map((request) => JSON.parse(request.body));
    expect(inOrder.map(({ type }) => type)).toEqual(["call.ended", "call.started", "call.ended"]);
    expect(inOrder.slice(1).map(({ data }) => data.call_id)).toEqual([uuid, uuid]);
  });

  test("stopping aborts deliveries in progress and leaves them pending, without counting the attempt", async () => {
    healthy.respond = () => {};
    const tenantId = await insertTenant(database);
    await insertWebhook(database, tenantId, { url: urlOf(healthy) });
    await emit(tenantId);
    await eventually(() => healthy.requests.length === 1, "under way");
    const stopping = world.stopWorker(100);
    await clock.advance(100);
    await stopping;
    expect((await outboxOf(tenantId))[0]).toMatchObject({
      status: "pending",
      attempts: 0,
      leaseOwner: null,
    });
    healthy.respond = answer(200);
    world.startWorker();
    await eventually(() => isDelivered(tenantId), "delivered after the restart");
  });
});
