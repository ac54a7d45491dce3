/**
 * Rehearsals from the dashboard: a suite is run, the failed turn is named, nothing counts as a call, and a call
 * becomes a scenario.
 */
import { expect, setDefaultTimeout, test } from "bun:test";
import { count } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import { systemClock } from "../../src/core/clock.ts";
import { readScenario } from "../../src/features/rehearsal/read-scenario.ts";
import * as routes from "../../src/features/rehearsal/routes.ts";
import {
  calls,
  events,
  holds,
  ledgerEntries,
  mails,
  outbox,
  turns,
} from "../../src/store/schema/index.ts";
import { dashboardWorld } from "../support/browser/dashboard-world.ts";
import { eventually } from "../support/eventually.ts";
import { errorOf, messageOf, replyOf } from "../support/http/reply.ts";
import { answer as respondWith } from "../support/net/https-receiver.ts";
import { JONAS, storeCalls, WEEK_OF_CALLS } from "../support/store/call-history.ts";

setDefaultTimeout(150_000);

const room = dashboardWorld("127.0.8.119");
const { as } = room;

async function finished(body: object, timeoutMs = 40_000) {
  const started = await as("member").fetch("POST", "/api/v1/rehearsals", body);
  const { id } = replyOf(routes.startRehearsal, started).run;
  const ask = async () =>
    replyOf(routes.getRehearsal, await as("viewer").fetch("GET", `/api/v1/rehearsals/${id}`));
  await eventually(
    async () => (await ask()).run.ended_at !== null,
    "the rehearsal ends",
    timeoutMs,
  );
  return await ask();
}

test("a shipped suite is run with its own agent, and nothing counts as a call", async () => {
  const { run, results } = await finished({ suite: "emergency" });
  expect(run).toMatchObject({ suite: "emergency", agent_id: null, scenarios: 6, passed: 6 });
  expect(results.every(({ passed, turns }) => passed && turns.length > 1)).toBe(true);
  const list = replyOf(
    routes.listRehearsals,
    await as("viewer").fetch("GET", "/api/v1/rehearsals"),
  );
  expect(list.suites).toContainEqual({ name: "clinic", scenarios: 30 });
  expect(list.runs[0]?.id).toBe(run.id);
  const { app, tenantId } = room.world;
  const page = { limit: 10, offset: 0 };
  expect((await app.services.callRecords.list(tenantId, {}, page)).total).toBe(0);
  expect((await room.stranger.fetch("GET", `/api/v1/rehearsals/${run.id}`)).status).toBe(404);
});

test("the tenant's own agent is rehearsed with scenarios written here; the failed turn is named", async () => {
  const { results, run } = await finished({
    agent_id: room.world.agentId,
    suite: "Mine",
    scenarios:
      "name: First\nscript:\n  - say: Goodbye.\n---\nname: Second\nscript:\n  - say: Goodbye.\n    must: [see you on the moon]\n",
  });
  expect(run).toMatchObject({ agent_id: room.world.agentId, scenarios: 2, passed: 1 });
  expect(run.agent_version).toBe(1);
  const [, second] = results;
  const [failure] = second?.failures ?? [];
  expect(failure?.expected).toBe('says "see you on the moon"');
  expect(second?.turns[failure?.turn ?? -1]?.speaker).toBe("agent");
});

const SCENARIO = "name: Goodbye\nscript:\n  - say: Goodbye.\nmust: [{ended: agent_hangup}]\n";

test("scenarios are stored with an agent, each name once, and rehearsed several times", async () => {
  const path = `/api/v1/agents/${room.world.agentId}/scenarios`;
  const put = (yaml: string) => as("member").fetch("POST", path, { yaml });
  await put(`description: Old.\n${SCENARIO}`);
  const { scenario } = replyOf(routes.putScenario, await put(SCENARIO));
  const listed = async () =>
    replyOf(routes.listScenarios, await as("viewer").fetch("GET", path)).scenarios;
  expect(await listed()).toEqual([scenario]);
  expect(scenario).toMatchObject({ name: "Goodbye", yaml: SCENARIO });
  const wrong = await put("name: A\nscript: [{sey: x}]\n");
  expect(errorOf(wrong)).toBe("valid_yaml_required");
  const { run, results } = await finished({ agent_id: room.world.agentId, runs: 2 });
  expect(run).toMatchObject({ suite: null, runs: 2, scenarios: 1, passed: 1 });
  expect(results.map((result) => result.run)).toEqual([1, 2]);
  expect((await room.stranger.fetch("GET", path)).status).toBe(404);
  expect((await room.stranger.fetch("DELETE", `${path}/${scenario.id}`)).status).toBe(404);
  expect((await as("viewer").fetch("DELETE", `${path}/${scenario.id}`)).status).toBe(403);
  expect((await as("member").fetch("DELETE", `${path}/${scenario.id}`)).status).toBe(200);
  expect(await listed()).toEqual([]);
});

const BY_PHONE =
  "name: Checked\ntools: {find_visit: {live: true}}\nscript:\n  - say: Goodbye.\nmust: [{ended: agent_hangup}]\n";

test("nothing is charged, mailed, posted or counted, in writing or by telephone", async () => {
  const { app, agentId } = room.world;
  const { port, requests } = room.receiver;
  await as("member").fetch("PATCH", `/api/v1/agents/${agentId}`, {
    transcript_email: "owner@example.com",
    transcript_email_enabled: true,
    webhook_url: `https://127.0.0.1:${port}/ended`,
  });
  await as("owner").fetch("POST", "/api/v1/webhooks", {
    url: `https://127.0.0.1:${port}/hook`,
    events: ["call.ended"],
  });
  const tables: readonly SQLiteTable[] = [
    ledgerEntries,
    holds,
    calls,
    turns,
    events,
    outbox,
    mails,
  ];
  const counted = () =>
    Promise.all(
      tables.map((table) => app.database.read.select({ rows: count() }).from(table).get()),
    );
  const [before, posted] = [await counted(), requests.length];
  const usage = await as("member").fetch("GET", "/api/v1/usage");
  const { run } = await finished({ agent_id: agentId, suite: "Mine", scenarios: SCENARIO });
  expect(run).toMatchObject({ agent_id: agentId, mode: "text", passed: 1 });
  const phone = await finished(
    { agent_id: agentId, suite: "Mine", scenarios: BY_PHONE, mode: "phone" },
    100_000,
  );
  expect(phone.run).toMatchObject({ agent_id: agentId, mode: "phone", scenarios: 1 });
  const [call] = phone.results;
  expect(call?.turns.length).toBeGreaterThan(0);
  expect(call?.timeline.map(({ lane }) => lane)).toContain("sip");
  const at = `/api/v1/rehearsals/${phone.run.id}/recording`;
  const sound = await as("viewer").fetch("GET", at);
  expect([sound.status, sound.headers.get("content-type")]).toEqual([200, "audio/mpeg"]);
  expect((await as("viewer").fetch("GET", `${at}?result=2`)).status).toBe(404);
  expect((await room.stranger.fetch("GET", at)).status).toBe(404);
  expect(await counted()).toEqual(before);
  expect((await as("member").fetch("GET", "/api/v1/usage")).json).toEqual(usage.json);
  expect(requests.length).toBe(posted);
});

test("a live tool answers from its own server, in text rehearsals; a failing one is a failure", async () => {
  const { port, requests } = room.receiver;
  const { agentId } = room.world;
  await as("member").ask("POST", "/tools", {
    name: "next_free_visit",
    url: `https://127.0.0.1:${port}/free`,
    agent_id: agentId,
    description: "Tells the next free visit. Find the next free visit.",
    secret_header: "X-Tool-Secret",
    secret: "canary-secret",
    parameters: { type: "object", properties: {} },
  });
  const message = "The next free visit is on Monday at nine.";
  const json = { "content-type": "application/json" };
  const scenarios =
    "name: Live\ntools: {next_free_visit: {live: true}}\nscript:\n  - say: Find the next free visit.\n    must: [{tool: next_free_visit}, Monday at nine]\n  - hang_up: true\n";
  const order = { agent_id: agentId, suite: "Mine", scenarios };
  room.receiver.respond = respondWith(200, JSON.stringify({ message }), json);
  const answered = await finished(order);
  expect(answered.results[0]?.failures).toEqual([]);
  expect(answered.results[0]?.tools).toMatchObject([
    { tool: "next_free_visit", ok: true, output: { message } },
  ]);
  expect(JSON.parse(requests.at(-1)?.body ?? "").caller).toMatchObject({ test: true });

  room.receiver.respond = respondWith(500);
  const refused = await finished(order);
  expect(refused.run.passed).toBe(0);
  expect(refused.results[0]?.tools).toMatchObject([{ tool: "next_free_visit", ok: false }]);
});

test("a wrong scenario is explained by line, and a viewer may not start one", async () => {
  const wrong = await as("member").fetch("POST", "/api/v1/rehearsals", {
    agent_id: room.world.agentId,
    suite: "Mine",
    scenarios: "name: A\nscript:\n  - sey: x\n",
  });
  expect(errorOf(wrong)).toBe("valid_scenarios_required");
  expect(messageOf(wrong)).toContain("Line 3: script[1].sey: is not known here");
  expect((await as("viewer").fetch("POST", "/api/v1/rehearsals", { suite: "clinic" })).status).toBe(
    403,
  );
});

test("a call becomes a scenario without its caller's name and number, and is rehearsed", async () => {
  const [call] = WEEK_OF_CALLS;
  if (!call) throw new Error("there is no call");
  const said = ["This is Jonas Petraitis, +370 610 00501.", "When are you open?"];
  await storeCalls(room.world, systemClock.now(), [{ ...call, said }]);
  const { app, tenantId } = room.world;
  const page = { limit: 1, offset: 0 };
  const { calls } = await app.services.callRecords.list(tenantId, {}, page);
  const uuid = calls[0]?.callUuid ?? "";
  const answer = await as("viewer").ask("GET", `/calls/${uuid}/scenario`);
  const scenario = readScenario("made.yaml", answer.text);
  expect(scenario.script?.[1]?.say).toBe("When are you open?");
  for (const secret of ["Jonas", "Petraitis", "00501", JONAS])
    expect(answer.text).not.toContain(secret);
  expect(await app.ask("call.scenario", { call_uuid: uuid })).toEqual({ yaml: answer.text });
  const scenarios = `${answer.text}must: [{ended: caller_hangup}]\n`;
  const { run, results } = await finished({ agent_id: room.world.agentId, suite: "A", scenarios });
  expect(results.flatMap(({ failures }) => failures)).toEqual([]);
  expect(run).toMatchObject({ scenarios: 1, passed: 1 });
});
