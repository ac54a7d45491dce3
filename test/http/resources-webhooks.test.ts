/** Webhooks and their signing secrets: the content of answers, and what they must never contain. */
import { describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { deliveries, events, outbox, webhooks } from "../../src/store/schema/index.ts";
import { type Answer, pick, pickId, pickText } from "../support/http/api-server.ts";
import { ISO, twoTenants } from "../support/http/two-tenants.ts";

const room = twoTenants();
const { get, post, remove } = room;

describe("webhooks", () => {
  const wish = { url: "https://hooks.example/x", events: ["call.ended", "call.failed"] };

  test("show the signing secret on creation and rotation, never in between", async () => {
    const created = await post("/webhooks", wish);
    const id = pickId(created, "webhook.id");
    const secret = pickText(created, "signing_secret");
    expect(pick(created, "webhook")).toEqual({
      id,
      url: wish.url,
      events: wish.events,
      enabled: true,
      created_at: expect.stringMatching(ISO),
    });
    expect((await get("/webhooks")).text).not.toContain(secret);
    const rotated = await post(`/webhooks/${id}/rotate-secret`);
    expect(pickText(rotated, "signing_secret")).toMatch(/^[0-9a-f]{64}$/);
    expect(pickText(rotated, "signing_secret")).not.toBe(secret);
    expect((await post(`/webhooks/${id}/rotate-secret`, {}, room.other)).status).toBe(404);
    expect((await remove(`/webhooks/${id}`, room.other)).status).toBe(404);
    expect((await remove(`/webhooks/${id}`)).json).toEqual({ ok: true, id, deleted: true });
  });

  test.each([
    [{ ...wish, url: "http://hooks.example/x" }, "valid_url_required"],
    [{ ...wish, url: "https://u:p@hooks.example/x" }, "valid_url_required"],
    [{ ...wish, events: [] }, "valid_events_required"],
    [{ ...wish, events: ["call.exploded"] }, "valid_events_required"],
    [{ ...wish, secret: "x" }, "unknown_field"],
  ])("POST /webhooks %j is 400 %s", async (body, error) => {
    const answer = await post("/webhooks", body);
    expect([answer.status, pick(answer, "error")]).toEqual([400, error]);
  });

  test("the log shows attempts newest first, without payload, of this tenant only", async () => {
    const id = pickId(await post("/webhooks", wish), "webhook.id");
    await room.server.database.tx(async (q) => {
      for (const attempt of [1, 2])
        await q.insert(deliveries).values({
          id: `del_${id}${attempt}`,
          tenantId: room.own.id,
          webhookId: id,
          eventId: "evt_1",
          type: "call.ended",
          attempt,
          status: attempt === 2 ? "delivered" : "failed",
          httpStatus: attempt === 2 ? 204 : null,
          durationMs: 12,
          error: "the connection to 10.0.0.1 was refused",
          createdAt: attempt * 1000,
        });
    });
    const log = await get(`/webhooks/${id}/deliveries`);
    expect(pick(log, "deliveries.0")).toEqual({
      event_id: "evt_1",
      delivery_id: `del_${id}2`,
      type: "call.ended",
      attempt: 2,
      status: "delivered",
      http_status: 204,
      duration_ms: 12,
      created_at: "1970-01-01T00:00:02+00:00",
      next_attempt_at: null,
      test: true,
    });
    expect(
      pick(await get(`/webhooks/${id}/deliveries?limit=1&offset=1`), "deliveries.0.attempt"),
    ).toBe(1);
    expect((await get(`/webhooks/${id}/deliveries`, room.other)).status).toBe(404);
    expect(log.text).not.toContain("payload");
  });

  test("a delivery is repeated by its id: queued again, of this tenant, while the webhook is on", async () => {
    const id = pickId(await post("/webhooks", wish), "webhook.id");
    const { database } = room.server;
    const eventId = `evt_again_${id}`;
    const [failed, tried, unknown] = ["a", "b", "c"].map((digit) => `del_${digit.repeat(32)}`);
    const stored = { tenantId: room.own.id, createdAt: 0, type: "call.ended" };
    await database.tx(async (q) => {
      await q.insert(events).values({ ...stored, id: eventId, body: "{}" });
      const [row] = await q
        .insert(outbox)
        .values({ ...stored, eventId, webhookId: id, status: "failed", attempts: 8 })
        .returning();
      const made = {
        ...stored,
        webhookId: id,
        attempt: 8,
        status: "failed" as const,
        durationMs: 1,
      };
      await q.insert(deliveries).values([
        { ...made, id: String(failed), outboxId: row?.id ?? 0, eventId },
        { ...made, id: String(tried), outboxId: null, eventId: "evt_test" },
      ]);
    });
    const resend = (delivery = failed, tenant = room.own) =>
      post(`/webhooks/${id}/deliveries/${delivery}/resend`, {}, tenant);
    expect((await resend(failed, room.other)).status).toBe(404);
    expect((await resend(tried)).status).toBe(404);
    expect((await resend(unknown)).status).toBe(404);
    const answer = await resend();
    expect(answer.json).toEqual({ ok: true, event_id: eventId, status: "queued" });
    const found = await database.read.select().from(outbox).where(eq(outbox.eventId, eventId));
    expect(found).toMatchObject([{ status: "pending", attempts: 0 }]);
    await database.tx(async (q) => {
      await q.update(webhooks).set({ enabled: false }).where(eq(webhooks.id, id));
    });
    expect((await resend()).status).toBe(409);
  });

  test("a failed test delivery is a result, not an error", async () => {
    const unreachable = { url: "https://127.0.0.1:9/x", events: ["call.ended"] };
    const id = pickId(await post("/webhooks", unreachable), "webhook.id");
    const left = (answer: Answer) => Number(answer.headers.get("ratelimit-remaining"));
    const before = await get("/webhooks");
    const answer = await post(`/webhooks/${id}/test`);
    expect(answer.status).toBe(200);
    // It sends a request, so it counts as five, like the trial of a tool.
    expect(left(await get("/webhooks"))).toBe(left(before) - 6);
    expect(pick(answer, "delivery")).toMatchObject({ status: "failed", http_status: null });
    expect(pickText(answer, "delivery.delivery_id")).toMatch(/^del_/);
  });

  test("the legacy secret is regenerated with 201, and only its prefix stays visible", async () => {
    const answer = await post("/webhook-secret/regenerate");
    const secret = pickText(answer, "webhook_secret");
    expect(answer.status).toBe(201);
    expect(Object.keys(answer.json as object).sort()).toEqual([
      "note",
      "ok",
      "prefix",
      "webhook_secret",
    ]);
    expect(secret).toMatch(/^[0-9a-f]{64}$/);
    expect(pick(answer, "prefix")).toBe(secret.slice(0, 8));
    const tenant = await get("/tenant");
    expect(pick(tenant, "tenant.webhook_signing.prefix")).toBe(secret.slice(0, 8));
    expect(tenant.text).not.toContain(secret);
  });
});
