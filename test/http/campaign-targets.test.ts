/** A campaign's list: the result of each number, over REST, and as CSV. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { and, eq } from "drizzle-orm";
import { campaignStore } from "../../src/features/campaign/campaign-store.ts";
import { tenantAdminStore } from "../../src/features/tenant/tenant-admin-store.ts";
import { calls, campaignTargets } from "../../src/store/schema/index.ts";
import { fakeClock } from "../support/fake-clock.ts";
import {
  type ApiServer,
  type ApiTenant,
  ask,
  pick,
  pickId,
  startApiServer,
} from "../support/http/api-server.ts";
import { tempDir } from "../support/temp-dir.ts";

/** A Friday, 17:00 in Vilnius, where campaigns call until 18:00. */
const FRIDAY = Date.parse("2026-11-20T17:00:00+02:00");
const MINUTE_MS = 60_000;
const clock = fakeClock(FRIDAY);
let server: ApiServer;
let clinic: ApiTenant;
let stranger: ApiTenant;
let campaign = 0;
const path = () => `/campaigns/${campaign}/targets`;
const numbers = { done: "+37061000001", busy: "+37061000002", waiting: "+37061000003" };

async function newCampaign(tenant: ApiTenant, csv: string): Promise<number> {
  const agent = await ask(server, tenant, "POST", "/agents", { name: "Care", prompt: "x" });
  const made = await ask(server, tenant, "POST", "/campaigns", {
    name: "Check-ups",
    agent_id: pickId(agent, "agent.id"),
    csv,
    retry_after_min: 120,
  });
  return pickId(made, "campaign.id");
}

/** Calls the number and reports the call's end, as the campaign's runner does. */
async function called(number: string, status: "done" | "waiting", outcome: string) {
  const { callUuid } = await server.calls.request(clinic.id, {
    toNumber: number as never,
    fromNumber: null,
    agentId: null,
    scheduleAtMs: null,
  });
  await server.database.tx(async (queries) => {
    const target = await queries
      .select({ id: campaignTargets.id })
      .from(campaignTargets)
      .where(and(eq(campaignTargets.campaignId, campaign), eq(campaignTargets.numberE164, number)))
      .get();
    const id = target?.id ?? 0;
    const store = campaignStore(queries);
    await store.setCalling(id, callUuid, clock.now());
    const notBefore = clock.now() + 120 * MINUTE_MS;
    await store.settle(id, { status, outcome, notBefore }, clock.now());
  });
  return callUuid;
}

let doneCall = "";
let busyCall = "";
beforeAll(async () => {
  server = await startApiServer({ directory: tempDir(), clock });
  clinic = await server.tenant();
  stranger = await server.tenant();
  await server.credit(clinic.id, 100);
  const lines = Object.values(numbers).map((number, n) => `${number},"ten, sharp",=${n}`);
  campaign = await newCampaign(clinic, `number,time,Room\n${lines.join("\n")}\n`);
  await ask(server, clinic, "POST", `/campaigns/${campaign}/action`, { action: "start" });
  doneCall = await called(numbers.done, "done", "agent_hangup");
  busyCall = await called(numbers.busy, "waiting", "busy");
});
afterAll(() => server.stop());

const placed = "2026-11-20T15:00:00+00:00";
const variables = (n: number) => ({ time: "ten, sharp", room: `=${n}` });
const started = { attempts: 0, outcome: null, call_uuid: null, last_attempt_at: null };
const rows = () => [
  {
    id: expect.any(Number),
    number_e164: numbers.done,
    variables: variables(0),
    status: "done",
    attempts: 1,
    outcome: "agent_hangup",
    call_uuid: doneCall,
    last_attempt_at: placed,
    next_attempt_at: null,
  },
  {
    id: expect.any(Number),
    number_e164: numbers.busy,
    variables: variables(1),
    status: "waiting",
    attempts: 1,
    outcome: "busy",
    call_uuid: busyCall,
    last_attempt_at: placed,
    // Two hours later the day is over; campaigns also call on Saturday.
    next_attempt_at: "2026-11-21T08:00:00+00:00",
  },
  {
    id: expect.any(Number),
    number_e164: numbers.waiting,
    variables: variables(2),
    status: "waiting",
    ...started,
    next_attempt_at: placed,
  },
];

test("each number has its state, tries, last call and result, and the time of its next call", async () => {
  const { status, json } = await ask(server, clinic, "GET", path());
  expect({ status, json }).toEqual({
    status: 200,
    json: { ok: true, targets: rows(), total: 3 },
  });
});

test("pages and states match the request; the total counts the matches", async () => {
  const [first, second, third] = rows();
  for (const [query, targets, total] of [
    ["?limit=2", [first, second], 3],
    ["?limit=2&offset=2", [third], 3],
    ["?status=waiting", [second, third], 2],
    ["?status=waiting&limit=1&offset=1", [third], 2],
    ["?status=failed", [], 0],
    ["?offset=9", [], 3],
  ] as const) {
    const { json } = await ask(server, clinic, "GET", path() + query);
    expect([query, json]).toEqual([query, { ok: true, targets, total }]);
  }
  const wrong = await ask(server, clinic, "GET", `${path()}?status=lost`);
  expect([wrong.status, pick(wrong, "error")]).toEqual([400, "valid_status_required"]);
});

test("as CSV it has every number, and the columns of its file", async () => {
  const all = await ask(server, clinic, "GET", `${path()}/export`);
  expect(all.headers.get("content-disposition")).toContain(`campaign-${campaign}.csv`);
  expect(all.text.split("\r\n")).toEqual([
    "number,status,attempts,outcome,last_attempt_at,next_attempt_at,call_uuid,time,room",
    `${numbers.done},done,1,agent_hangup,${placed},,${doneCall},"ten, sharp",'=0`,
    `${numbers.busy},waiting,1,busy,${placed},2026-11-21T08:00:00+00:00,${busyCall},"ten, sharp",'=1`,
    `${numbers.waiting},waiting,0,,,${placed},,"ten, sharp",'=2`,
    "",
  ]);
  const some = await ask(server, clinic, "GET", `${path()}/export?status=done`);
  expect(some.text.split("\r\n")).toHaveLength(3);
});

test("a campaign that waits for more than its hours hides the next call", async () => {
  await server.suspend(clinic.id);
  const { json } = await ask(server, clinic, "GET", path());
  await server.database.tx((queries) => tenantAdminStore(queries).setSuspended(clinic.id, false));
  expect(json).toMatchObject({ targets: rows().map(() => ({ next_attempt_at: null })) });
});

test("a campaign that does not run has no next call", async () => {
  const act = (action: string) =>
    ask(server, clinic, "POST", `/campaigns/${campaign}/action`, { action });
  await act("pause");
  const { json } = await ask(server, clinic, "GET", path());
  expect(json).toEqual({
    ok: true,
    targets: rows().map((row) => ({ ...row, next_attempt_at: null })),
    total: 3,
  });
  await act("resume");
});

test("another company's campaign is not found, nor is its CSV", async () => {
  for (const at of [path(), `${path()}/export`]) {
    const found = await ask(server, stranger, "GET", at);
    expect([found.status, pick(found, "error")]).toEqual([404, "not_found"]);
  }
});

test("a deleted call is no longer named", async () => {
  await server.database.tx((queries) => queries.delete(calls).where(eq(calls.callUuid, doneCall)));
  const { json } = await ask(server, clinic, "GET", `${path()}?status=done`);
  expect(json).toMatchObject({
    targets: [{ outcome: "agent_hangup", call_uuid: null, last_attempt_at: null }],
  });
});

test("a long list is exported completely and in order", async () => {
  const lines = Array.from({ length: 1_200 }, (_, n) => `+3706${2_000_000 - n}`);
  const id = await newCampaign(clinic, `number\n${lines.join("\n")}\n`);
  const { text } = await ask(server, clinic, "GET", `/campaigns/${id}/targets/export`);
  const exported = text.trim().split("\r\n").slice(1);
  expect(exported.map((line) => line.split(",")[0])).toEqual(lines);
});

test("a list's national number is read in the country of the company's trunk, of another country if named, and refused without either", async () => {
  const tenant = await server.tenant();
  const list = "number\n860000551\n";
  const id = await newCampaign(tenant, list);
  const [target] = pick(
    await ask(server, tenant, "GET", `/campaigns/${id}/targets`),
    "targets",
  ) as {
    number_e164: string;
  }[];
  expect(target?.number_e164).toBe("+37060000551");
  const without = await server.tenant({ trunk: false });
  const agent = await ask(server, without, "POST", "/agents", { name: "Care", prompt: "x" });
  const draft = { name: "Check-ups", agent_id: pickId(agent, "agent.id"), csv: list };
  const refused = await ask(server, without, "POST", "/campaigns", draft);
  expect([refused.status, pick(refused, "error")]).toEqual([400, "valid_csv_required"]);
  const named = await ask(server, without, "POST", "/campaigns", { ...draft, country: "LT" });
  expect(named.status).toBe(200);
});

test("a preview names each bad line, repeated numbers and numbers that must not be called, and stores nothing; a campaign can skip the bad lines", async () => {
  const tenant = await server.tenant();
  const csv = "number\n860000551\n+37060000551\nnobody\n+12025550123\n";
  const shown = await ask(server, tenant, "POST", "/campaigns/preview", { csv });
  expect(shown.json).toMatchObject({
    numbers: 1,
    duplicates: 1,
    problem_count: 1,
    problems: [{ line: 4 }],
    refused_count: 1,
    refused: [{ number: "+12025550123" }],
    preview: [{ number_e164: "+37060000551" }],
  });
  expect(pick(await ask(server, tenant, "GET", "/campaigns"), "campaigns")).toEqual([]);
  const agent = await ask(server, tenant, "POST", "/agents", { name: "Care", prompt: "x" });
  const draft = { name: "Check-ups", agent_id: pickId(agent, "agent.id"), csv };
  expect((await ask(server, tenant, "POST", "/campaigns", draft)).status).toBe(400);
  const made = await ask(server, tenant, "POST", "/campaigns", { ...draft, skip_bad: true });
  expect(pick(made, "campaign.targets.waiting")).toBe(1);
});
