/** Rehearsals from the dashboard: a suite is run, the failed turn is named, nothing counts as a call, and a call becomes a scenario. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { systemClock } from "../../../src/core/clock.ts";
import { readScenario } from "../../../src/domain/rehearsal/read-scenario.ts";
import * as routes from "../../../src/interface/http/routes/rehearsals.ts";
import { JONAS, storeCalls, WEEK_OF_CALLS } from "../../support/call-history.ts";
import { dashboardWorld } from "../../support/dashboard-world.ts";
import { eventually } from "../../support/eventually.ts";
import { errorOf, messageOf, replyOf } from "../../support/reply.ts";

setDefaultTimeout(60_000);

const room = dashboardWorld("127.0.8.119");
const { as } = room;

async function finished(body: object) {
  const started = await as("member").fetch("POST", "/api/v1/rehearsals", body);
  const { id } = replyOf(routes.startRehearsal, started).run;
  const ask = async () =>
    replyOf(routes.getRehearsal, await as("viewer").fetch("GET", `/api/v1/rehearsals/${id}`));
  await eventually(async () => (await ask()).run.ended_at !== null, "the rehearsal ends", 40_000);
  return await ask();
}

test("a suite that ships is run with its own agent, and nothing counts as a call", async () => {
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
    ...{ agent_id: room.world.agentId, suite: "Mine" },
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

test("a wrong scenario is explained by line, and a viewer may not begin one", async () => {
  const wrong = await as("member").fetch("POST", "/api/v1/rehearsals", {
    ...{ agent_id: room.world.agentId, suite: "Mine", scenarios: "name: A\nscript:\n  - sey: x\n" },
  });
  expect(errorOf(wrong)).toBe("valid_scenarios_required");
  expect(messageOf(wrong)).toContain("scenario-1.yaml:3: script[1].sey: is not known here");
  expect((await as("viewer").fetch("POST", "/api/v1/rehearsals", { suite: "clinic" })).status).toBe(
    403,
  );
});

test("a call becomes a scenario without its caller's name and number", async () => {
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
});
