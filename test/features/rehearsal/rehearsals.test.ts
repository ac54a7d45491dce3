/** Rehearsal runs: refused requests, one run at a time per company, and stored results. */
import { expect, test } from "bun:test";
import { silentLog } from "../../../src/core/log.ts";
import { seededRandom } from "../../../src/core/random.ts";
import type { AgentContent } from "../../../src/features/agent/agent-content.ts";
import { UNMETERED } from "../../../src/features/billing/trials.ts";
import {
  type RehearsalRun,
  Rehearsals,
  wasGreen,
} from "../../../src/features/rehearsal/rehearsals.ts";
import { scenarioReaderHere } from "../../../src/features/rehearsal/scenario-reader.ts";
import { contentHash } from "../../../src/features/rehearsal/stored-agent.ts";
import { eventually } from "../../support/eventually.ts";
import { fakeClock } from "../../support/fake-clock.ts";

const AGENT = "name: Desk\nprompt: You answer.\nfirst_message: Hello.\nvoice: Sari\nlanguage: en\n";
const scenario = (name: string) => `name: ${name}\nscript: [{hang_up: true}]\nmust: [hello]\n`;
const FILES = new Map([
  ["clinic/agent.yaml", AGENT],
  ["clinic/01-price.yaml", scenario("Price")],
  ["clinic/02-hours.yaml", scenario("Hours")],
  ["hotel/agent.yaml", AGENT],
  ["hotel/01-room.yaml", scenario("Room")],
]);

/** Calls cannot be made here: each run ends at once, and nothing passes. */
function world(kept: readonly string[] = []) {
  const saved: RehearsalRun[] = [];
  const rehearsals = new Rehearsals({
    readySuites: FILES,
    clock: fakeClock(),
    random: seededRandom(1),
    scenariosOf: async () => kept,
    agentOf: async () => ({ agent: { name: "Own" } }),
    scenarioReader: scenarioReaderHere,
    runs: { save: (_: number, run: RehearsalRun) => void saved.push(run), list: () => saved },
    log: silentLog,
    text: {},
    trials: { text: UNMETERED, phone: UNMETERED },
  } as unknown as ConstructorParameters<typeof Rehearsals>[0]);
  const own = { agentId: null, draft: false, suite: "clinic", scenarios: null };
  const order = { ...own, runs: 1, mode: "text" as const };
  const start = (changes: Partial<Parameters<Rehearsals["start"]>[1]> = {}, tenantId = 1) =>
    rehearsals.start(tenantId, { ...order, ...changes });
  const refusal = (changes: Partial<Parameters<Rehearsals["start"]>[1]>) =>
    start(changes).then(
      () => "none",
      (error) => error.code as string,
    );
  const idle = () => eventually(() => saved.length === 2, "both runs have ended");
  return { rehearsals, saved, start, refusal, idle };
}

test("shipped suites are listed with their number of scenarios, without agents and knowledge", () => {
  expect(world().rehearsals.suites).toEqual([
    { name: "clinic", scenarios: 2 },
    { name: "hotel", scenarios: 1 },
  ]);
});

test.each([
  [250, "none"],
  [251, "valid_runs_required"],
])("two scenarios with %d runs each: %s", async (runs, code) => {
  expect(await world().refusal({ runs })).toBe(code);
});

test.each([
  ["a suite that does not ship", { suite: "bakery" }, "not_found"],
  ["neither suite nor scenarios nor an agent", { suite: null }, "valid_suite_required"],
  ["an agent without scenarios", { suite: null, agentId: 3 }, "valid_suite_required"],
  ["a scenario that is none", { scenarios: "name: A\n" }, "valid_scenarios_required"],
  ["a scenario without an agent", { scenarios: scenario("A") }, "valid_agent_id_required"],
])("%s cannot be rehearsed", async (_, changes, code) => {
  expect(await world().refusal(changes)).toBe(code);
});

test("an agent's own scenarios, or scenarios in the request, need no suite", async () => {
  const own = await world([scenario("A"), scenario("B")]).start({ suite: null, agentId: 3 });
  expect(own).toMatchObject({ suite: null, agentId: 3, agentName: "Own", scenarios: 2, runs: 1 });
  const scenarios = `${scenario("A")}---\n${scenario("B")}---\n${scenario("C")}`;
  const sent = await world().start({ scenarios, agentId: 3, runs: 2, suite: "mine" });
  expect(sent).toMatchObject({ suite: "mine", scenarios: 3, runs: 2, passed: 0, endedAt: null });
});

test.each([
  [499, "none"],
  [500, "none"],
  [501, "valid_scenarios_required"],
])("%d scenarios in one text: %s", async (count, code) => {
  const scenarios = `---\n\n---\n${Array(count).fill(scenario("A")).join("---\n")}`;
  expect(await world().refusal({ scenarios, agentId: 3 })).toBe(code);
});

test("a problem has the line number in the whole request text", async () => {
  const scenarios = `${scenario("A")}---\n${scenario("B")}---\nnome: C\n`;
  const error = await world()
    .start({ scenarios, agentId: 3 })
    .catch((refused) => refused);
  const line = scenarios.split("\n").indexOf("nome: C") + 1;
  expect(error.publicMessage).toContain(
    `Line ${line}: nome: is not known here; did you mean name?`,
  );
  expect(error.messageName.params).toMatchObject({ line });
});

test("a company's single run in progress is listed and found; another company has its own", async () => {
  const { rehearsals, saved, start, refusal, idle } = world();
  const run = await start();
  expect(run).toMatchObject({ agentId: null, agentName: "Desk", agentVersion: null, report: null });
  expect([rehearsals.list(1), rehearsals.find(1, run.id)]).toEqual([[run], run]);
  expect(() => rehearsals.find(2, run.id)).toThrow("Rehearsal not found");
  expect(await refusal({})).toBe("conflict");
  await start({}, 2);
  await idle();
  expect(saved.map(({ id }) => id)).toContain(run.id);
  expect(saved[0]).toMatchObject({ passed: 0, endedAt: run.startedAt, scenarios: 2 });
  expect(await refusal({})).toBe("none");
});

test("the state is the result of the last run of exactly this content, even while another runs", () => {
  const content = { name: "Desk", files: [], tools: [] } as unknown as AgentContent;
  const run = (changes: Partial<RehearsalRun>) =>
    ({
      agentId: 1,
      contentSha256: contentHash(content),
      startedAt: 0,
      endedAt: 1,
      scenarios: 2,
      passed: 2,
      report: {},
      ...changes,
    }) as unknown as RehearsalRun;
  const underWay = run({ endedAt: null, report: null, passed: 0 });
  expect(wasGreen([underWay, run({})], 1, content)).toBe(true);
  expect(wasGreen([run({ passed: 1 }), run({})], 1, content)).toBe(false);
  expect(wasGreen([run({ report: null })], 1, content)).toBe(false);
  for (const other of [underWay, run({ agentId: 2 }), run({ contentSha256: "0" })])
    expect(wasGreen([other], 1, content)).toBeNull();
});
