/**
 * Plans, balance, payments, keys and the plan's caps: the content of answers, and what they must never contain.
 */

import { describe, expect, test } from "bun:test";
import { microEur } from "../../src/core/money.ts";
import { ask, pick, pickId, pickText, startApiServer } from "../support/http/api-server.ts";
import { ISO, newAgent, twoTenants } from "../support/http/two-tenants.ts";
import { quotas } from "../support/plans.ts";
import { tempDir } from "../support/temp-dir.ts";

const room = twoTenants();
const { get, post, remove } = room;

describe("billing", () => {
  test("plans mark the tenant's own; the balance equals that of GET /tenant", async () => {
    const plans = await get("/plans");
    expect(pick(plans, "plans.0")).toEqual({
      slug: "start",
      name: "Start",
      included_minutes: 10,
      price_eur_per_month: 19,
      price_now_eur: null,
      overage_eur_per_min: 0.12,
      max_concurrent_calls: 5,
      current: true,
    });
    expect((await get("/billing/balance")).json).toEqual({
      ok: true,
      balance_eur: 20,
      currency: "EUR",
      plan: "start",
      included_seconds_left: 600,
    });
  });

  test("plans show each price for the rest of the month, and the checkout uses it", async () => {
    const server = await startApiServer({ directory: tempDir() });
    const tenant = await server.tenant({ plan: "prepaid" });
    const price = pick(await ask(server, tenant, "GET", "/plans"), "plans.0.price_now_eur");
    expect(price).toBeGreaterThan(0);
    expect(price).toBeLessThanOrEqual(19);
    const opened = await ask(server, tenant, "POST", "/checkout", { item: "plan", plan: "start" });
    expect(pick(opened, "checkout.amount_eur")).toBe(price);
    await server.stop();
  });

  test.each([
    ["/topup", { amount_eur: 9.99 }, "valid_amount_eur_required"],
    ["/topup", { amount_eur: 1000.01 }, "valid_amount_eur_required"],
    ["/topup", { amount_eur: 10.001 }, "valid_amount_eur_required"],
    ["/topup", { amount_eur: "10" }, "valid_amount_eur_required"],
    ["/checkout", {}, "valid_item_required"],
    ["/checkout", { item: "house" }, "valid_item_required"],
    ["/checkout", { item: "plan" }, "valid_plan_required"],
    ["/checkout", { item: "plan", plan: "none" }, "valid_plan_required"],
    ["/checkout", { item: "retention", blocks: 0 }, "valid_blocks_required"],
    ["/checkout", { item: "retention", blocks: 6 }, "valid_blocks_required"],
    ["/checkout", { item: "crm_bridge", blocks: 1 }, "unknown_field"],
  ])("POST %s %j is 400 %s", async (path, body, error) => {
    const answer = await post(path, body);
    expect([answer.status, pick(answer, "error")]).toEqual([400, error]);
  });

  test.each([
    ["/topup", { amount_eur: 10 }, "topup", 10],
    ["/topup", { amount_eur: 19.99 }, "topup", 19.99],
    ["/topup", { amount_eur: 1000 }, "topup", 1000],
    ["/checkout", { item: "plan", plan: "prepaid" }, "plan", 0],
    ["/checkout", { item: "crm_bridge" }, "crm_bridge", 79],
    ["/checkout", { item: "retention", blocks: 5 }, "retention", 25],
  ])("POST %s %j opens a checkout with a page", async (path, body, kind, amount) => {
    const answer = await post(path, body);
    expect(answer.json).toMatchObject({
      ok: true,
      checkout: { kind, amount_eur: amount, currency: "EUR", status: "open" },
    });
    const page = await fetch(`${room.server.base}/checkout/${pickText(answer, "checkout.id")}`);
    const html = await page.text();
    expect(html).toContain(
      `€${Number(amount).toLocaleString("en-GB", { minimumFractionDigits: 2 })}`,
    );
    expect(html).toContain("&#60;operator&#62;");
    expect(html).not.toContain("<operator>");
  });

  test("an unknown payment has a page that says so", async () => {
    expect((await fetch(`${room.server.base}/checkout/chk_0`)).status).toBe(404);
  });
});

describe("keys", () => {
  test("show the secret once, are accepted at once, and refused once revoked", async () => {
    const created = await post("/keys", { label: "ERP" });
    const secret = pickText(created, "key.secret");
    expect(Object.keys(pick(created, "key") as object).sort()).toEqual([
      "created_at",
      "expires_at",
      "id",
      "label",
      "networks",
      "prefix",
      "scopes",
      "secret",
    ]);
    expect(secret).toMatch(/^lv_live_[0-9a-f]{64}$/);
    const holder = { id: room.own.id, key: secret };
    expect((await get("/tenant", holder)).status).toBe(200);
    const listed = await get("/keys");
    expect(listed.text).not.toContain(secret);
    expect(listed.text).not.toContain("hash");
    const keys = pick(listed, "keys") as { id: number; last_used_at: string | null }[];
    const id = pickId(created, "key.id");
    expect(keys.find((key) => key.id === id)?.last_used_at).toMatch(ISO);
    expect((await remove(`/keys?id=${id}`, room.other)).status).toBe(404);
    expect((await get("/tenant", holder)).status).toBe(200);
    expect((await remove(`/keys?id=${id}`)).json).toEqual({ ok: true, id, revoked: true });
    expect((await get("/tenant", holder)).status).toBe(401);
    expect((await remove(`/keys?id=${id}`)).status).toBe(404);
    expect(pick(await remove("/keys"), "error")).toBe("valid_id_required");
  });
});

test("caps of the plan are 403 plan_limit_reached", async () => {
  const small = await startApiServer({
    directory: tempDir(),
    plans: [
      {
        slug: "start",
        name: "Start",
        includedMinutes: 0,
        pricePerMonth: microEur(0),
        overagePerMinute: microEur(0),
        maxConcurrentCalls: 1,
        maxAgents: 1,
        maxNumbers: 1,
        maxFiles: 1,
        maxWebhooks: 1,
        quotas,
      },
    ],
  });
  const tenant = await small.tenant();
  const wishes: [string, unknown, unknown][] = [
    ["/agents", newAgent, newAgent],
    ["/files", { filename: "a.txt", content: "x" }, { filename: "b.txt", content: "x" }],
    ["/phone-numbers", { number_e164: "+37052000001" }, { number_e164: "+37052000002" }],
    [
      "/webhooks",
      { url: "https://a.example", events: ["call.ended"] },
      { url: "https://b.example", events: ["call.ended"] },
    ],
  ];
  for (const [path, first, second] of wishes) {
    expect((await ask(small, tenant, "POST", path, first)).status).toBe(200);
    const over = await ask(small, tenant, "POST", path, second);
    expect([path, over.status, pick(over, "error")]).toEqual([path, 403, "plan_limit_reached"]);
  }
  await small.stop();
});
