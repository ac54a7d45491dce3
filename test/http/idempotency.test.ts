/** Idempotency keys over real HTTP: a request is executed once, and its answer repeated. */
import { describe, expect, test } from "bun:test";
import { silentLog } from "../../src/core/log.ts";
import { NO_LIMITS } from "../../src/features/key/key-limits.ts";
import { createIdempotency } from "../../src/http/idempotency.ts";
import { idempotencyStore } from "../../src/http/idempotency-store.ts";
import { idempotency } from "../../src/store/schema/index.ts";
import { fakeClock } from "../support/fake-clock.ts";
import { ask, pick, pickId, startApiServer } from "../support/http/api-server.ts";
import { keyedTenants } from "../support/http/keyed-tenants.ts";
import { newAgent } from "../support/http/two-tenants.ts";
import { tempDir } from "../support/temp-dir.ts";

const { server, tenant, other, raw, withKey } = await keyedTenants();

describe("idempotency", () => {
  const once = (key: string, body: unknown, path = "/agents", who = tenant) =>
    ask(server, who, "POST", path, body, { "idempotency-key": key });

  test("the first answer is replayed, also through the other mount, and nothing happens twice", async () => {
    const before = (pick(await ask(server, tenant, "GET", "/agents"), "agents") as unknown[])
      .length;
    const first = await once("a-1", newAgent);
    const again = await once("a-1", newAgent);
    expect(again.text).toBe(first.text);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    const short = await raw("/v1/agents", {
      method: "POST",
      headers: { ...withKey, "content-type": "application/json", "idempotency-key": "a-1" },
      body: JSON.stringify(newAgent),
    });
    expect(await short.text()).toBe(first.text);
    const after = (pick(await ask(server, tenant, "GET", "/agents"), "agents") as unknown[]).length;
    expect(after).toBe(before + 1);
  });

  test("the same key with another body or path is a conflict; another tenant's key is separate", async () => {
    await once("a-2", newAgent);
    const otherBody = await once("a-2", { ...newAgent, name: "Other" });
    expect([otherBody.status, pick(otherBody, "error")]).toEqual([409, "conflict"]);
    const otherPath = await once("a-2", newAgent, "/keys");
    expect([otherPath.status, pick(otherPath, "error")]).toEqual([409, "conflict"]);
    expect((await once("a-2", newAgent, "/agents", other)).status).toBe(200);
  });

  test("simultaneous requests create one thing", async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => once("a-3", newAgent)));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers.map(({ status }) => status)).toEqual(new Array(8).fill(200));
  });

  test("a refusal is replayed too", async () => {
    const first = await once("a-4", { name: "x" });
    const again = await once("a-4", { name: "x" });
    expect(first.status).toBe(400);
    expect(again.text).toBe(first.text);
  });

  test("a replayed secret is encrypted at rest", async () => {
    const made = await once("a-5", { label: "x" }, "/keys");
    const again = await once("a-5", { label: "x" }, "/keys");
    expect(again.text).toBe(made.text);
    const rows = await server.database.read.select().from(idempotency);
    expect(JSON.stringify(rows)).not.toContain("lv_live_");
  });

  test("a first request cut off by a crash is not repeated blindly", async () => {
    const { createHash } = await import("node:crypto");
    await server.database.tx(async (q) => {
      await q.insert(idempotency).values({
        tenantId: tenant.id,
        key: "a-6",
        method: "POST",
        path: "/agents",
        bodyHash: createHash("sha256").update(JSON.stringify(newAgent)).digest("hex"),
        createdAt: Date.now(),
      });
    });
    const answer = await once("a-6", newAgent);
    expect([answer.status, pick(answer, "error")]).toEqual([409, "conflict"]);
  });

  test("after 24 hours a key is new again", async () => {
    const clock = fakeClock();
    const aging = await startApiServer({ directory: tempDir(), clock });
    const caller = await aging.tenant();
    const make = () => ask(aging, caller, "POST", "/agents", newAgent, { "idempotency-key": "k" });
    const first = pickId(await make(), "agent.id");
    await clock.advance(24 * 3_600_000 - 1000);
    expect(pickId(await make(), "agent.id")).toBe(first);
    await clock.advance(2000);
    expect(pickId(await make(), "agent.id")).not.toBe(first);
    await aging.stop();
  });

  test("a key is 1 to 255 characters", async () => {
    expect((await once("k".repeat(255), newAgent)).status).toBe(200);
    const long = await once("k".repeat(256), newAgent);
    expect([long.status, pick(long, "error")]).toEqual([400, "valid_idempotency_key_required"]);
  });
});

const NOTHING = new Uint8Array();

test("while the clock is not trusted no key expires, and none is deleted", async () => {
  const clock = fakeClock();
  let mayDelete = true;
  const held = createIdempotency({
    database: server.database,
    records: idempotencyStore,
    clock,
    log: silentLog,
    vault: { seal: (plain) => plain, open: (sealed) => sealed },
    trust: { mayDelete: () => mayDelete },
  });
  const send = async () => {
    const request = { tenantId: tenant.id, key: "c-1", method: "POST", path: "/calls" };
    const { replayed = false } = await held.once(
      { ...request, body: NOTHING, limits: NO_LIMITS, asker: null },
      async () => ({ status: 200, json: "{}" }),
    );
    return replayed ? "replayed" : "done";
  };
  expect([await send(), await send()]).toEqual(["done", "replayed"]);
  mayDelete = false;
  clock.stepWallClock(30 * 24 * 3_600_000);
  await clock.advance(3_600_000);
  expect(await send()).toBe("replayed");
  mayDelete = true;
  expect(await send()).toBe("done");
  held.stop();
});

test("the stored answers of a tenant per day are limited, without effect on another tenant", async () => {
  const clock = fakeClock();
  const [answer, row] = [1_000, 512];
  const kept = createIdempotency({
    database: server.database,
    records: idempotencyStore,
    clock,
    log: silentLog,
    vault: { seal: (plain) => plain, open: (sealed) => sealed },
    keptBytesMax: 3 * (answer + row),
  });
  const send = (key: string, { id: tenantId } = tenant) =>
    kept
      .once(
        {
          tenantId,
          key,
          method: "POST",
          path: "/agents",
          body: NOTHING,
          limits: NO_LIMITS,
          asker: null,
        },
        async () => ({ status: 200, json: "x".repeat(answer) }),
      )
      .then(
        ({ replayed = false }) => (replayed ? "replayed" : "done"),
        (error) => error.code as string,
      );
  expect([await send("b-1"), await send("b-2"), await send("b-3")]).toEqual(Array(3).fill("done"));
  expect([await send("b-4"), await send("b-1")]).toEqual(["plan_limit_reached", "replayed"]);
  expect(await send("b-4", other)).toBe("done");
  await clock.advance(24 * 3_600_000);
  expect(await send("b-5")).toBe("done");
  kept.stop();
});
