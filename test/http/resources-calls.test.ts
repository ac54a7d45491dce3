/** Requested calls, live calls and schedules: the content of answers, and what they must never contain. */
import { describe, expect, test } from "bun:test";
import { schedules } from "../../src/store/schema/index.ts";
import { makeFixtures } from "../support/http/api-fixtures.ts";
import { ask, pick, pickId, pickText, startApiServer } from "../support/http/api-server.ts";
import { newAgent, twoTenants } from "../support/http/two-tenants.ts";
import { tempDir } from "../support/temp-dir.ts";

const room = twoTenants();
const { get, post, remove } = room;

describe("calls", () => {
  test("an immediate call is queued_immediate, a later one is scheduled with a space-separated time", async () => {
    const agent = pickId(await post("/agents", newAgent), "agent.id");
    const wish = { to_number: "+37060000001", agent_id: agent };
    const now = await post("/calls", wish);
    expect(now.json).toEqual({
      ok: true,
      status: "queued_immediate",
      call_uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      schedule_id: expect.any(Number),
      from_number: "+37052000000",
      scheduled_at: null,
    });
    const at = new Date(Math.ceil(Date.now() / 1000) * 1000 + 3_600_000);
    const text = at.toISOString().slice(0, 19);
    const later = await post("/calls", { ...wish, schedule_at: `${text}Z` });
    expect(later.json).toMatchObject({
      status: "scheduled",
      scheduled_at: text.replace("T", " "),
    });
  });

  test("schedule_at is an ISO 8601 time that names an instant, in any form, and nothing else", async () => {
    const agent = pickId(await post("/agents", newAgent), "agent.id");
    const wish = { to_number: "+37060000001", agent_id: agent };
    const day = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
    for (const [time, utc] of [
      ["T14:36:27Z", "14:36:27"],
      ["T14:36:27.5Z", "14:36:27"],
      ["T14:36:27.123456+00:00", "14:36:27"],
      ["T14:36Z", "14:36:00"],
      ["T14:36+02:00", "12:36:00"],
      // PHP's DATE_ISO8601 and Python's %z.
      ["T14:36:27+0000", "14:36:27"],
      ["T14:36:27+0530", "09:06:27"],
      ["T14:36:27-0500", "19:36:27"],
      // RFC 3339's other spellings, and PostgreSQL's timestamptz.
      ["t14:36:27z", "14:36:27"],
      [" 14:36:27+00:00", "14:36:27"],
      [" 14:36:27.123+02", "12:36:27"],
      // Without a zone it is UTC.
      ["T14:36:27", "14:36:27"],
      ["T14:36", "14:36:00"],
      [" 14:36:27.5", "14:36:27"],
    ]) {
      const answer = await post("/calls", { ...wish, schedule_at: day + time });
      expect([time, pick(answer, "scheduled_at")]).toEqual([time, `${day} ${utc}`]);
    }
    for (const wrong of [
      ...[
        "",
        " ",
        "T",
        "T14",
        "T14:36:",
        "T14:36:27+",
        "T14Z",
        "T24:00:00Z",
        "T14:60Z",
        "T14:36:60Z",
      ],
      ...["T14:36:27+25:00", "T14:36:27+05:60", "T14:36:27+2", "T14:36:27,5Z", "T14:36.5Z"],
    ]) {
      const answer = await post("/calls", { ...wish, schedule_at: day + wrong });
      expect([wrong, pick(answer, "error")]).toEqual([wrong, "valid_schedule_at_required"]);
    }
    const none = `${new Date().getUTCFullYear() + 1}-02-30T10:00:00Z`;
    const answer = await post("/calls", { ...wish, schedule_at: none });
    expect(pick(answer, "error")).toBe("valid_schedule_at_required");
    expect(pick(answer, "message")).toContain("ISO 8601");
  });

  test("the time returned by scheduled_at can be sent back and names the same instant", async () => {
    const agent = pickId(await post("/agents", newAgent), "agent.id");
    const wish = { to_number: "+37060000001", agent_id: agent };
    const first = await post("/calls", { ...wish, schedule_at: new Date(Date.now() + 86_400_000) });
    const at = pickText(first, "scheduled_at");
    const again = await post("/calls", { ...wish, schedule_at: at });
    expect(pick(again, "scheduled_at")).toBe(at);
    const { schedules } = (await get("/schedules")).json as {
      schedules: { id: number; schedule_at: string }[];
    };
    const stored = schedules.find(({ id }) => id === pick(again, "schedule_id"));
    expect(stored?.schedule_at).toBe(`${at.replace(" ", "T")}+00:00`);
  });

  test.each([
    [{}, "valid_to_number_required"],
    [{ to_number: "060000001" }, "valid_to_number_required"],
    [{ to_number: "+37060000001", from_number: "5" }, "valid_from_number_required"],
    [
      { to_number: "+37060000001", schedule_at: "2020-11-21T04:05:06" },
      "valid_schedule_at_required",
    ],
    [
      { to_number: "+37060000001", schedule_at: "2020-01-01T00:00:00Z" },
      "valid_schedule_at_required",
    ],
    [
      { to_number: "+37060000001", schedule_at: "2199-01-01T00:00:00Z" },
      "valid_schedule_at_required",
    ],
    [{ to_number: "+37060000001", colour: 1 }, "unknown_field"],
  ])("POST /calls %j is 400 %s", async (body, error) => {
    const answer = await post("/calls", body);
    expect([answer.status, pick(answer, "error")]).toEqual([400, error]);
  });

  test("a destination outside the dialling rules and an empty wallet are 403", async () => {
    const agent = pickId(await post("/agents", newAgent), "agent.id");
    const abroad = await post("/calls", { to_number: "+12025550123", agent_id: agent });
    expect([abroad.status, pick(abroad, "error")]).toEqual([403, "destination_not_allowed"]);
    const poor = await room.server.tenant({ plan: "prepaid" });
    await post("/agents", newAgent, poor);
    const broke = await post("/calls", { to_number: "+37060000001" }, poor);
    expect([broke.status, pick(broke, "error")]).toEqual([403, "insufficient_balance"]);
  });

  test("another tenant's agent cannot call for this one", async () => {
    const foreign = pickId(await post("/agents", newAgent, room.other), "agent.id");
    const answer = await post("/calls", { to_number: "+37060000001", agent_id: foreign });
    expect([answer.status, pick(answer, "error")]).toEqual([404, "not_found"]);
  });

  test("only a live call can be transferred or ended", async () => {
    const agent = pickId(await post("/agents", newAgent), "agent.id");
    const call = await post("/calls", { to_number: "+37060000001", agent_id: agent });
    const uuid = pickText(call, "call_uuid");
    const moved = await post(`/calls/${uuid}/transfer`, { to: "+37060000002" });
    const ended = await post(`/calls/${uuid}/hangup`);
    expect([moved.status, pick(moved, "error")]).toEqual([409, "conflict"]);
    expect([ended.status, pick(ended, "error")]).toEqual([409, "conflict"]);
    expect((await post(`/calls/${uuid}/hangup`, {}, room.other)).status).toBe(404);
  });
});

test("the call service's results for a live call are returned in the decided format", async () => {
  const asked: unknown[] = [];
  const live = await startApiServer({
    directory: tempDir(),
    dependencies: {
      calls: {
        request: () => Promise.reject(new Error("not asked for here")),
        cancelSchedule: () => Promise.reject(new Error("not asked for here")),
        transfer: async (...wish) => void asked.push(wish),
        hangUp: async (...wish) => void asked.push(wish),
      },
    },
  });
  const tenant = await live.tenant();
  const { ids } = await makeFixtures(live, tenant, "mine", "+37051111111");
  const to = "sip:desk@pbx.example";
  const moved = await ask(live, tenant, "POST", `/calls/${ids.call}/transfer`, { to });
  expect(moved.json).toEqual({ ok: true, call_uuid: ids.call, status: "transferring", to });
  const ended = await ask(live, tenant, "POST", `/calls/${ids.call}/hangup`);
  expect(ended.json).toEqual({ ok: true, call_uuid: ids.call, status: "completed" });
  expect(asked).toEqual([
    [tenant.id, ids.call, to],
    [tenant.id, ids.call],
  ]);
  await live.stop();
});

describe("schedules", () => {
  test("are listed, cancelled once, and never another tenant's", async () => {
    const agent = pickId(await post("/agents", newAgent), "agent.id");
    const at = new Date(Date.now() + 7_200_000).toISOString();
    const call = await post("/calls", {
      to_number: "+37060000001",
      agent_id: agent,
      schedule_at: at,
    });
    const id = pickId(call, "schedule_id");
    expect((await remove(`/schedules/${id}`, room.other)).status).toBe(404);
    const cancelled = await remove(`/schedules/${id}`);
    expect(pick(cancelled, "schedule")).toMatchObject({ id, status: "cancelled", fired_at: null });
    const uuid = pickText(call, "call_uuid");
    expect(pick(await get(`/calls/${uuid}`), "call")).toMatchObject({
      status: "cancelled",
      ended_reason: "cancelled",
    });
    const again = await remove(`/schedules/${id}`);
    expect([again.status, pick(again, "error")]).toEqual([409, "conflict"]);
    expect(pick(await get("/schedules?status=cancelled"), "schedules.0.id")).toBe(id);
  });

  test("up to 1,000 are in one list, with the total, without another tenant's", async () => {
    const tenant = await room.server.tenant();
    const neighbour = await room.server.tenant();
    const entry = (tenantId: number, n: number) => ({
      tenantId,
      callUuid: `entry-${tenantId}-${n}`,
      toNumber: "+37060000001",
      fromNumber: "+37052000000",
      scheduleAt: 9e12 + n,
      immediate: false,
      createdAt: 0,
      status: n % 2 === 0 ? ("pending" as const) : ("cancelled" as const),
    });
    await room.server.database.tx(async (queries) => {
      for (let n = 0; n < 1001; n++) await queries.insert(schedules).values(entry(tenant.id, n));
      await queries.insert(schedules).values(entry(neighbour.id, 0));
    });
    const listed = async (query = "") => {
      const answer = await ask(room.server, tenant, "GET", `/schedules${query}`);
      const rows = pick(answer, "schedules") as readonly unknown[] | undefined;
      return [answer.status, rows?.length, pick(answer, "total")];
    };
    expect(await listed()).toEqual([200, 1000, 1001]);
    expect(await listed("?limit=999")).toEqual([200, 999, 1001]);
    expect(await listed("?limit=1000&offset=1000")).toEqual([200, 1, 1001]);
    expect(await listed("?limit=1001")).toEqual([400, undefined, undefined]);
    expect(await listed("?status=pending")).toEqual([200, 501, 501]);
  });

  test("do not include immediate requests", async () => {
    const agent = pickId(await post("/agents", newAgent), "agent.id");
    const call = await post("/calls", { to_number: "+37060000001", agent_id: agent });
    const entries = pick(await get("/schedules"), "schedules") as { id: number }[];
    expect(entries.map(({ id }) => id)).not.toContain(pickId(call, "schedule_id"));
    expect((await remove(`/schedules/${pickId(call, "schedule_id")}`)).status).toBe(404);
  });
});
