/** Text suites: the real conversation and language side, a virtual clock. */
import { expect, test } from "bun:test";
import { systemClock } from "../../src/core/clock.ts";
import type { ToKnowledgeWorker } from "../../src/features/knowledge/index/messages.ts";
import { spawnKnowledgeWorker } from "../../src/workers.ts";
import { failedLines, rehearseFiles, suiteFiles } from "../support/appliance/rehearsals.ts";

test("the clinic's 30 scenarios pass, at more than a hundred per minute", async () => {
  const startedAt = systemClock.monotonic();
  const report = await rehearseFiles(await suiteFiles("clinic"));
  expect(failedLines(report)).toEqual([]);
  expect(report.scenarios).toBe(30);
  expect(report.passed).toBe(30);
  expect(systemClock.monotonic() - startedAt).toBeLessThan(18_000);
});

for (const suite of ["hotel", "garage", "restaurant", "callback", "emergency"])
  test(`the ${suite} suite passes, with the same result twice`, async () => {
    const report = await rehearseFiles(await suiteFiles(suite), undefined, 2);
    expect(failedLines(report)).toEqual([]);
    expect(report.passed).toBe(report.scenarios);
  });

test("spoiled knowledge fails, with the turn that has the wrong price", async () => {
  const files = await suiteFiles("clinic");
  const told = files.get("clinic/clinic.md") ?? "";
  files.set("clinic/clinic.md", told.replace("forty euros", "sixty euros"));
  const report = await rehearseFiles(files);
  const failed = report.results.filter(({ failures }) => failures.length > 0);
  expect(failed.map(({ name }) => name)).toEqual([
    "Price of a consultation",
    "Price, in other words",
    "Three questions in one call",
    "The last answer is repeated",
  ]);
  expect(failed.map(({ failures: [first], call }) => call.turns[first?.turn ?? 0]?.text)).toEqual(
    Array.from({ length: 4 }, () => "A consultation costs sixty euros."),
  );
  expect(failed[2]?.failures).toEqual([
    {
      expected: "says 40 EUR",
      found: 'the agent said "A consultation costs sixty euros."',
      turn: 6,
    },
  ]);
});

test("a back-channel sound does not interrupt: the agent may continue", async () => {
  const files = await suiteFiles("clinic");
  for (const name of files.keys()) if (/\/\d\d-/.test(name)) files.delete(name);
  files.set(
    "clinic/a.yaml",
    "name: A\nscript:\n  - say: What are your opening hours?\n  - mumble: mhm\n    after_ms: 300\n  - hang_up: true\nlimits: {silent_after_interruption_ms: 500}\n",
  );
  expect(failedLines(await rehearseFiles(files))).toEqual([]);
});

test("a tool without an answer in the scenario fails, and is never really called", async () => {
  const files = await suiteFiles("clinic");
  for (const name of files.keys()) if (/\/\d\d-/.test(name)) files.delete(name);
  files.set(
    "clinic/a.yaml",
    "name: A\nscript:\n  - say: Check my appointment.\n  - say: four one seven two\n  - hang_up: true\n",
  );
  const { results } = await rehearseFiles(files);
  expect(results[0]?.failures.map(({ expected }) => expected)).toEqual([
    "the scenario answers the tool check_appointment",
  ]);
  expect(results[0]?.call.tools).toMatchObject([
    { tool: "check_appointment", ok: false, output: { error: "the tool does not answer" } },
  ]);
});

test("a tool call with wrong arguments is not answered, as in a real call", async () => {
  const files = await suiteFiles("clinic");
  for (const name of files.keys()) if (/\/\d\d-/.test(name)) files.delete(name);
  const agent = files.get("clinic/agent.yaml") ?? "";
  files.set("clinic/agent.yaml", agent.replace("]{4}$", ']{4}$", maxLength: 3, title: "A'));
  files.set(
    "clinic/a.yaml",
    "name: A\nscript:\n  - say: Check my appointment.\n  - say: four one seven two\n  - hang_up: true\ntools: {check_appointment: {answer: {}}}\n",
  );
  const { results } = await rehearseFiles(files);
  const [asked] = results[0]?.call.tools ?? [];
  expect([asked?.ok, JSON.stringify(asked?.output)]).toEqual([
    false,
    expect.stringContaining("appointment_number"),
  ]);
});

test("knowledge too large for a prompt is indexed by a knowledge worker, and searched as in a real call", async () => {
  const files = await suiteFiles("clinic");
  for (const name of files.keys())
    if (/\/\d\d-/.test(name) && !/\/0[1-3]-/.test(name)) files.delete(name);
  files.set("clinic/garage.md", "# Garage\n\n## How much does an oil change cost?\nSixty euros.\n");
  const agent = files.get("clinic/agent.yaml") ?? "";
  files.set("clinic/agent.yaml", agent.replace("[clinic.md]", "[clinic.md, garage.md]"));
  const indexed: string[] = [];
  const report = await rehearseFiles(files, undefined, 1, { knowledgeTokens: 1 }, () => {
    const worker = spawnKnowledgeWorker();
    const post = worker.postMessage.bind(worker);
    worker.postMessage = (message: ToKnowledgeWorker) => {
      if (message.type === "add") indexed.push(message.args[1].filename);
      post(message);
    };
    return worker;
  });
  expect(failedLines(report)).toEqual([]);
  expect(report.scenarios).toBe(3);
  expect(indexed).toEqual(["clinic.md", "garage.md"]);
});
