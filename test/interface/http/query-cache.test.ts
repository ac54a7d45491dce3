/** Answers that are kept until something is committed: what a client sees of them. */
import { expect, test } from "bun:test";
import { pick, pickId } from "../../support/api-server.ts";
import { newAgent, twoTenants } from "../../support/two-tenants.ts";

const room = twoTenants();
const { get, post, patch, remove } = room;

test("what was changed is in the very next answer, whichever list or record it stands in", async () => {
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

test("one tenant's kept answer is never another's", async () => {
  const id = pickId(await post("/agents", newAgent), "agent.id");
  expect((await get(`/agents/${id}`)).status).toBe(200);
  expect((await get(`/agents/${id}`, room.other)).status).toBe(404);
  expect(pick(await get("/agents", room.other), "agents")).toEqual([]);
  expect(pick(await get("/tenant"), "tenant.id")).toBe(room.own.id);
  expect(pick(await get("/tenant", room.other), "tenant.id")).toBe(room.other.id);
});

test("a kept answer opens nothing to a key that was revoked", async () => {
  const answer = await post("/keys", { label: "soon gone" });
  const key = { id: room.own.id, key: String(pick(answer, "key.secret")) };
  for (const path of ["/agents", "/tenant", "/calls?limit=25"])
    expect((await get(path, key)).status).toBe(200);
  expect((await remove(`/keys?id=${pickId(answer, "key.id")}`)).status).toBe(200);
  for (const path of ["/agents", "/tenant", "/calls?limit=25"])
    expect((await get(path, key)).status).toBe(401);
});
