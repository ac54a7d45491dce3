/**
 * Limits and defaults of the REST API, with the specification's numbers (sections 2, 4 and 8), not those of the
 * tested contracts, so that a changed contract is noticed here.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { microEur } from "../../src/core/money.ts";
import { calls } from "../../src/store/schema/index.ts";
import { type ApiTenant, pick, pickId, pickText } from "../support/http/api-server.ts";
import { newAgent, twoTenants } from "../support/http/two-tenants.ts";

const room = twoTenants();
const { get, post, patch } = room;

describe("max_duration_sec is 30 to 3600", () => {
  test.each([
    [29, 400],
    [30, 200],
    [3600, 200],
    [3601, 400],
  ])("POST and PATCH /agents with %d return %d", async (seconds, status) => {
    const made = await post("/agents", { ...newAgent, max_duration_sec: seconds });
    expect(made.status).toBe(status);
    const id = pickId(await post("/agents", newAgent), "agent.id");
    const changed = await patch(`/agents/${id}`, { max_duration_sec: seconds });
    expect(changed.status).toBe(status);
    if (status === 400)
      expect([pick(made, "error"), pick(changed, "error")]).toEqual([
        "valid_max_duration_sec_required",
        "valid_max_duration_sec_required",
      ]);
  });
});

describe("top-ups are EUR 10 to 1000", () => {
  test.each([
    [9.99, 400],
    [10, 200],
    [1000, 200],
    [1000.01, 400],
  ])("POST /topup with %d returns %d", async (amount, status) => {
    expect((await post("/topup", { amount_eur: amount })).status).toBe(status);
  });
});

describe("GET /calls", () => {
  const COUNT = 230;
  let tenant: ApiTenant;
  let agents: number[];

  beforeAll(async () => {
    tenant = await room.server.tenant({ trunk: false, name: "Many calls" });
    agents = [];
    for (const name of ["First", "Second"])
      agents.push(pickId(await post("/agents", { ...newAgent, name }, tenant), "agent.id"));
    await room.server.database.tx(async (q) => {
      for (let at = 0; at < COUNT; at++)
        await q.insert(calls).values({
          callUuid: `019aa1b2-0000-7000-9000-${String(at).padStart(12, "0")}`,
          tenantId: tenant.id,
          // Every fifth call is the second agent's: 46 of 230.
          agentId: agents[at % 5 === 0 ? 1 : 0],
          direction: "inbound",
          fromNumber: "+37060000001",
          toNumber: "+37052000001",
          status: "completed",
          createdAt: 1_000 + at,
          recordingStatus: "none",
          overageRate: microEur(0),
          cost: microEur(0),
        });
    });
  });

  const listed = async (query: string) =>
    pick(await get(`/calls${query}`, tenant), "calls") as { call_uuid: string; agent_id: number }[];

  test("lists 25 by default", async () => {
    expect(await listed("")).toHaveLength(25);
  });

  test.each([
    [0, 400],
    [1, 200],
    [200, 200],
    [201, 400],
  ])("limit=%d returns %d", async (limit, status) => {
    const answer = await get(`/calls?limit=${limit}`, tenant);
    expect(answer.status).toBe(status);
    if (status === 200) expect(pick(answer, "calls")).toHaveLength(limit);
    else expect(pick(answer, "error")).toBe("valid_limit_required");
  });

  test("pages by offset of 0 or more, without gaps and without repeats", async () => {
    expect((await get("/calls?offset=-1", tenant)).status).toBe(400);
    const first = await listed("?limit=200&offset=0");
    const rest = await listed("?limit=200&offset=200");
    expect(rest).toHaveLength(COUNT - 200);
    expect(new Set([...first, ...rest].map(({ call_uuid }) => call_uuid)).size).toBe(COUNT);
  });

  test("agent_id lists that agent's calls and no others", async () => {
    const ofSecond = await listed(`?limit=200&agent_id=${agents[1]}`);
    expect(ofSecond).toHaveLength(46);
    expect(ofSecond.every(({ agent_id }) => agent_id === agents[1])).toBe(true);
  });
});

describe("from_number of POST /calls", () => {
  const OWN = "+37052000777";
  const call = { to_number: "+37060000001" };

  beforeAll(async () => {
    const agent = pickId(await post("/agents", newAgent), "agent.id");
    await post("/phone-numbers", { number_e164: OWN, label: "Second line", agent_id: agent });
    Object.assign(call, { agent_id: agent });
  });
  afterAll(async () => {
    const foreign = await get("/phone-numbers", room.other);
    expect(pick(foreign, "phone_numbers")).toEqual([]);
  });

  test("is used if it is one of the tenant's registered numbers", async () => {
    const answer = await post("/calls", { ...call, from_number: OWN });
    expect(pick(answer, "from_number")).toBe(OWN);
    const detail = await get(`/calls/${pick(answer, "call_uuid")}`);
    expect(pick(detail, "call.from_number")).toBe(OWN);
  });

  test("is the default caller ID otherwise, or if it is missing", async () => {
    const strange = await post("/calls", { ...call, from_number: "+37052000778" });
    expect(pick(strange, "from_number")).toBe("+37052000000");
    expect(pick(await post("/calls", call), "from_number")).toBe("+37052000000");
  });

  test("its agent calls if no agent is given; without one the agent is required", async () => {
    const bare = "+37052000779";
    await post("/phone-numbers", { number_e164: bare, label: "Third line" });
    await post("/agents", newAgent);
    const { agent_id: agent, ...unnamed } = { agent_id: 0, ...call };
    const answer = await post("/calls", { ...unnamed, from_number: OWN });
    const detail = await get(`/calls/${pickText(answer, "call_uuid")}`);
    expect([pick(detail, "call.agent_id"), pick(detail, "call.from_number")]).toEqual([agent, OWN]);
    const refused = await post("/calls", { ...unnamed, from_number: bare });
    expect([refused.status, pick(refused, "error")]).toEqual([400, "valid_agent_id_required"]);
  });
});
