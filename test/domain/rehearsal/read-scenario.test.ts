/** A scenario's file: what is wrong in it is named with its line, its field and what it must be. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readScenario, ScenarioInvalid } from "../../../src/domain/rehearsal/read-scenario.ts";

function problemsOf(source: string): readonly string[] {
  try {
    readScenario("a.yaml", source);
    return [];
  } catch (error) {
    if (error instanceof ScenarioInvalid) return error.problems;
    throw error;
  }
}

test("a short scenario is enough: text stands for what the agent must say", () => {
  const scenario = readScenario(
    "a.yaml",
    'name: Hours\nscript:\n  - say: When are you open?\n    must: [nine, {says: {money: 40 EUR}}]\n  - press: "0"\n',
  );
  expect(scenario.script?.[0]?.must).toEqual([
    { says: { words: "nine" } },
    { says: { money: "40 EUR" } },
  ]);
  expect(scenario.caller.number).toBe("+37060000001");
});

test("every problem names file, line, field and what to write", () => {
  const wrong = [
    "name: A",
    "caller:",
    "  number: +37061234567",
    "script:",
    "  - say: Hello",
    "    must:",
    "      - says: {money: forty}",
    "      - sayz: nine",
    "  - say: Bye",
    "    hang_up: true",
    "limit: {turns: 3}",
    "",
  ].join("\n");
  expect(problemsOf(wrong)).toEqual([
    "a.yaml:3: caller.number: must be text (in quotes, where it looks like a number)",
    'a.yaml:7: script[1].must[1].says.money: must be an amount such as "40 EUR"',
    "a.yaml:8: script[1].must[2].sayz: is not known here; did you mean say?",
    "a.yaml:8: script[1].must[2]: must have exactly one of: says, tool, transferred_to, message, language, ended",
    "a.yaml:9: script[2]: must have exactly one of: say, interrupt, mumble, silent_ms, press, hold_ms, hang_up",
    "a.yaml:11: limit: is not known here; did you mean limits?",
  ]);
});

test("what is no YAML is named by its line, and a scenario needs a script or a persona", () => {
  const [broken = ""] = problemsOf("name: A\nscript:\n  - say: Hello\n persona: [\n");
  expect(broken).toStartWith("a.yaml:4: is no YAML: ");
  expect(problemsOf("name: A\n")).toEqual([
    "a.yaml:1: the file: must have exactly one of: script, persona",
  ]);
});

test("the scenario in the documents is one", () => {
  const page = readFileSync(join(import.meta.dir, "../../../docs/rehearsals.md"), "utf8");
  const [source = ""] = [...page.matchAll(/```yaml\n(name: [\s\S]*?)```/g)].map(([, yaml]) => yaml);
  expect(readScenario("docs.yaml", source).script).toHaveLength(3);
});
