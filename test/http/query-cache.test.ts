/** Answers cached until the next commit, as a client sees them. */
import { expect, test } from "bun:test";
import { fakeClock } from "../support/fake-clock.ts";
import { ask, pick, pickId, startApiServer } from "../support/http/api-server.ts";
import { newAgent, twoTenants } from "../support/http/two-tenants.ts";
import { tempDir } from "../support/temp-dir.ts";

const room = twoTenants();
const { get, post, patch, remove } = room;

test("a change is in the very next answer, in every list and record", async () => {
  for (let n = 0; n < 3; n++) {
    await get("/agents");
    const id = pickId(await post("/agents", newAgent), "agent.id");
    expect(JSON.stringify(pick(await get("/agents"), "agents"))).toContain(`"id":${id}`);
    await get(`/agents/${id}`);
    await patch(`/agents/${id}`, { name: `Renamed ${n}` });
    expect(pick(await get(`/agents/${id}`), "agent.name")).toBe(`Renamed ${n}`);
    await remove(`/agents/${id}`);
    expect((await get(`/agents/${id}`)).status).toBe(404);
  }
});

test("one tenant's cached answer never goes to another", async () => {
  const id = pickId(await post("/agents", newAgent), "agent.id");
  expect((await get(`/agents/${id}`)).status).toBe(200);
  expect((await get(`/agents/${id}`, room.other)).status).toBe(404);
  expect(pick(await get("/agents", room.other), "agents")).toEqual([]);
  expect(pick(await get("/tenant"), "tenant.id")).toBe(room.own.id);
  expect(pick(await get("/tenant", room.other), "tenant.id")).toBe(room.other.id);
});

test("a cached answer is not returned to a revoked key", async () => {
  const answer = await post("/keys", { label: "soon gone" });
  const key = { id: room.own.id, key: String(pick(answer, "key.secret")) };
  for (const path of ["/agents", "/tenant", "/calls?limit=25"])
    expect((await get(path, key)).status).toBe(200);
  expect((await remove(`/keys?id=${pickId(answer, "key.id")}`)).status).toBe(200);
  for (const path of ["/agents", "/tenant", "/calls?limit=25"])
    expect((await get(path, key)).status).toBe(401);
});

test("figures up to today include the next day, and the next month, from midnight in the tenant's zone", async () => {
  // 23:59 in Vilnius, the zone of new tenants.
  const clock = fakeClock(Date.UTC(2026, 10, 30, 21, 59));
  const server = await startApiServer({ directory: tempDir(), clock });
  const tenant = await server.tenant();
  const shown = async () => {
    const day = pick(await ask(server, tenant, "GET", "/analytics?days=1"), "by_day.0.date");
    return [day, pick(await ask(server, tenant, "GET", "/usage"), "month")];
  };
  expect(await shown()).toEqual(["2026-11-30", 11]);
  const version = server.database.version();
  clock.stepWallClock(59_999);
  expect(await shown()).toEqual(["2026-11-30", 11]);
  clock.stepWallClock(1);
  expect(await shown()).toEqual(["2026-12-01", 12]);
  expect(server.database.version()).toBe(version);
  await server.stop();
});
