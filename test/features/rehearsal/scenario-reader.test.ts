/** A worker reads scenarios, with a deadline: the real worker, and one that never ends. */
import { afterAll, expect, test } from "bun:test";
import { systemClock } from "../../../src/core/clock.ts";
import { ScenarioInvalid } from "../../../src/features/rehearsal/scenario-invalid.ts";
import { createScenarioReader } from "../../../src/features/rehearsal/scenario-reader.ts";
import { spawnScenarioWorker } from "../../../src/workers.ts";
import { startEventLoopMeter } from "../../support/process/event-loop-meter.ts";

const HELD_MS_MAX = 50;
const TENANT = 1;
const SCENARIO = "name: Hours\nscript: [{say: When?, must: [nine]}]\n";

const reader = createScenarioReader(spawnScenarioWorker, systemClock);
afterAll(() => reader.close());

const asked = (source: string, linesBefore = 0) => ({ file: "a.yaml", source, linesBefore });
const problemsOf = (source: string, linesBefore = 0, by = reader) =>
  by.read(TENANT, asked(source, linesBefore)).then(
    () => [],
    (error) => {
      if (error instanceof ScenarioInvalid) return error.problems;
      throw error;
    },
  );

test("a scenario is read with its defaults, a wrong one is refused with its lines", async () => {
  const { name, script, caller } = await reader.read(TENANT, asked(SCENARIO));
  expect([name, caller.number]).toEqual(["Hours", "+37060000001"]);
  expect(script?.[0]?.must).toEqual([{ says: { words: "nine" } }]);
  expect(await problemsOf("nome: Hours\nscript: [{hang_up: true}]\n", 40)).toContain(
    "a.yaml:41: nome: is not known here; did you mean name?",
  );
});

test("the slowest text of 256 KB blocks the main thread for at most 50 ms", async () => {
  const broken = `${"- {say: a}\n".repeat(23_000)}"`;
  await problemsOf(broken);
  const meter = startEventLoopMeter();
  expect(await problemsOf(broken)).toEqual([expect.stringContaining("cannot be read")]);
  meter.stop();
  expect(meter.longestMs()).toBeLessThan(HELD_MS_MAX);
});

test("an endless reading is terminated after two seconds, and the next one gets a new worker", async () => {
  const endless = new URL("../../support/process/endless.worker.ts", import.meta.url).href;
  let started = 0;
  const spawn = () => (started++ === 0 ? new Worker(endless) : spawnScenarioWorker());
  const own = createScenarioReader(spawn, systemClock);
  const [slow, next] = await Promise.all([
    problemsOf(SCENARIO, 0, own),
    own.read(TENANT + 1, asked(SCENARIO)),
  ]);
  expect(slow).toEqual(["a.yaml: takes too long to read; make two scenarios of it"]);
  expect([next.name, started]).toEqual(["Hours", 2]);
  own.close();
  expect(own.read(TENANT, asked(SCENARIO))).rejects.toMatchObject({ code: "unavailable" });
});
