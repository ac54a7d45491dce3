/** Scenario files: each problem is reported with line, field and the expected value. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readScenario } from "../../../src/features/rehearsal/read-scenario.ts";
import { ScenarioInvalid } from "../../../src/features/rehearsal/scenario-invalid.ts";

function problemsOf(source: string): readonly string[] {
  try {
    readScenario("a.yaml", source);
    return [];
  } catch (error) {
    if (error instanceof ScenarioInvalid) return error.problems;
    throw error;
  }
}

test("a short scenario is enough: plain text is text that the agent must say", () => {
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

test("every problem names file, line, field and the expected value", () => {
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

test("problems carry the message names for translation, with line, place and example", () => {
  const told = (step: string) => {
    try {
      readScenario("a.yaml", `name: A\nscript:\n  - say: Hello\n    must: [${step}]\n`);
    } catch (error) {
      if (error instanceof ScenarioInvalid)
        return error.found.map(({ messageName }) => messageName);
    }
    return [];
  };
  const params = { line: 4, place: "script[1].must[1].says.money", example: '"40 EUR"' };
  expect(told("{says: {money: forty}}")).toEqual([{ reason: "scenario_example", params }]);
  expect(told("{says: {money: 40 EUR}, tool: book}")).toMatchObject([
    { reason: "scenario_exactly_one" },
  ]);
});

test("an unreadable file is reported by line, and a scenario needs a script or a persona", () => {
  const [broken = ""] = problemsOf("name: A\nscript:\n  - say: Hello\n persona: [\n");
  expect(broken).toStartWith("a.yaml:4: cannot be read: look at indentation, colons and quotes (");
  expect(problemsOf("name: A\n")).toEqual([
    "a.yaml:1: the file: must have exactly one of: script, persona",
  ]);
});

test("the scenario in the documentation is valid", () => {
  const page = readFileSync(join(import.meta.dir, "../../../docs/rehearsals.md"), "utf8");
  const [source = ""] = [...page.matchAll(/```yaml\n(name: [\s\S]*?)```/g)].map(([, yaml]) => yaml);
  expect(readScenario("docs.yaml", source).script).toHaveLength(3);
});

const STEP = "script:\n  - say: Hello\n";
const takes = (source: string) => problemsOf(`name: A\n${source}`).length === 0;
const listOf = (length: number, item: string) => `[${new Array(length).fill(item).join(", ")}]`;

test.each([
  ["a name", "name: %", 1, 200],
  ["a description", "name: A\nscript: [{say: A}]\ndescription: %", 1, 2_000],
  ["what is said", "name: A\nscript: [{say: %}]", 1, 2_000],
] as const)("%s has a minimum and a maximum length", (_, template, least, most) => {
  const source = (length: number) => {
    const given = template.replace("%", `"${"a".repeat(length)}"`);
    return given.includes("script") ? given : `${given}\n${STEP}`;
  };
  const lengths = [least - 1, least, most, most + 1];
  expect(lengths.map((length) => problemsOf(source(length)).length === 0)).toEqual([
    ...[false, true, true, false],
  ]);
});

test.each([
  ["steps", (n: number) => `script: ${listOf(n, "{say: A}")}`, 1, 100],
  ["expectations", (n: number) => `${STEP}must: ${listOf(n, "nine")}`, 0, 50],
  [
    "sentences to judge",
    (n: number) => `${STEP}judge: ${listOf(n, "true")}`.replaceAll("true", '"It is."'),
    0,
    50,
  ],
  ["milliseconds of silence", (n: number) => `script: [{silent_ms: ${n}}]`, 0, 120_000],
  ["turns of a persona", (n: number) => `persona: {goal: A, turns_max: ${n}}`, 1, 40],
  ["dB of noise", (n: number) => `${STEP}line: {noise_db: ${n}}`, 0, 60],
  ["percent of loss", (n: number) => `${STEP}line: {loss_percent: ${n}}`, 0, 30],
  ["milliseconds of jitter", (n: number) => `${STEP}line: {jitter_ms: ${n}}`, 0, 200],
  ["turns at most", (n: number) => `${STEP}limits: {turns: ${n}}`, 1, 200],
] as const)("%s are limited", (_, source, least, most) => {
  expect([takes(source(least)), takes(source(most)), takes(source(most + 1))]).toEqual([
    ...[true, true, false],
  ]);
  expect(least === 0 || !takes(source(least - 1))).toBe(true);
});

test("a persona has twelve turns by default, and its times may omit the offset", () => {
  expect(readScenario("a.yaml", "name: A\npersona: {goal: A}").persona?.turns_max).toBe(12);
  for (const at of ["2026-11-23T10:00:00", "2026-11-23T10:00:00Z", "2026-11-23T10:00:00+02:00"])
    expect(readScenario("a.yaml", `name: A\n${STEP}at: "${at}"`).at).toBe(at);
});

test("optional fields get default values", () => {
  const { line, can_opt_out, direction } = readScenario("a.yaml", `name: A\n${STEP}`);
  expect({ line, can_opt_out, direction }).toEqual({
    line: { codec: "PCMA", loss_percent: 0, jitter_ms: 0 },
    can_opt_out: false,
    direction: "inbound",
  });
});

test("a file of 256 KB is read, a larger one is refused", () => {
  const head = `name: A\n${STEP}#`;
  expect(problemsOf(head.padEnd(256 * 1024, "a"))).toEqual([]);
  expect(problemsOf(head.padEnd(256 * 1024 + 1, "a"))).toEqual(["a.yaml: is longer than 256 KB"]);
});

test("at most twenty problems are reported", () => {
  const wrong = (count: number) => `name: A\nscript: ${listOf(count, "{say: 1}")}`;
  expect(problemsOf(wrong(19))).toHaveLength(19);
  expect(problemsOf(wrong(21))).toHaveLength(20);
});

test("aliases may shorten a file, but not expand to millions of values or form a cycle", () => {
  const answering = (answer: string) =>
    problemsOf(`name: A\nscript: [{hang_up: true}]\ntools:\n  t:\n    answer:\n${answer}`);
  const twice = (times: number) =>
    Array.from(
      { length: times },
      (_, n) => `      l${n}: &l${n} [${n ? `*l${n - 1}, *l${n - 1}` : 1}]\n`,
    );
  expect(answering(twice(12).join(""))).toEqual([]);
  expect(answering(twice(20).join(""))).toEqual(["a.yaml: is longer than 256 KB"]);
  expect(answering("      x: &x [*x]\n")).toEqual([expect.stringContaining("cannot be read")]);
});

test("a file with an error on every line is read as quickly as a valid one", () => {
  const fields = Array.from({ length: 20_000 }, (_, n) => `k${n}: 1`);
  expect(problemsOf(`name: A\n${fields.join("\n")}\n`).length).toBe(20);
  const [broken] = problemsOf(`name: [\n${"x,\n".repeat(60_000)}`);
  expect(broken).toContain("cannot be read");
});

test.each([
  ["name: A\nscript: [{say: A, hang_up: false}]", "must be true"],
  ["name: A\nscript: [{say: A}]\ndirection: up", "must be one of: inbound, outbound"],
  ["name: A\nscript: [{silent_ms: -1}]", "must be at least 0"],
  ["name: A\nscript: [{silent_ms: 120001}]", "must be at most 120000"],
  ['name: ""\nscript: [{say: A}]', "must be at least 1 characters"],
  [`name: ${"a".repeat(201)}\nscript: [{say: A}]`, "must be at most 200 characters"],
  ["script: [{say: A}]", "is missing"],
  ["name: A\nscript: [{silent_ms: 1.5}]", "must be a whole number"],
  ["name: A\nscript: [{say: A}]\nxyzzyplugh: 1", "xyzzyplugh: is not known here"],
  ["name: A\nscript: [{say: A}]\nlimits: {says: 1}", "limits.says: is not known here"],
  ["name: A\nscript: [{say: A, must: [{says: A, with: {a: 1}}]}]", "belongs to `tool`"],
])("%s: %s", (source, problem) => {
  expect(problemsOf(source)[0]).toEndWith(problem);
});

test("a list may have the indentation of its name, and a field is searched in its own parent only", () => {
  const list = "name: A\nscript:\n- say: Hello\n- sayz: No\n  say: Yes\n";
  expect(problemsOf(list)).toEqual([
    "a.yaml:4: script[2].sayz: is not known here; did you mean say?",
  ]);
  const beside = "name: A\ncaller: {number: 5}\nnumber: 1\nscript: [{hang_up: true}]\n";
  expect(problemsOf(beside)).toContain(
    "a.yaml:2: caller.number: must be text (in quotes, where it looks like a number)",
  );
});

/** Processor time of this thread: wall time is unreliable on a busy machine. */
function processorMs(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

test("100 aliases are read, 101 are refused before anything is parsed", () => {
  const withAliases = (count: number, text = "yes") =>
    `name: &a ${text}\n${STEP}tools: {t: {answer: {all: [${"*a,".repeat(count)}]}}}\n`;
  expect(problemsOf(withAliases(100))).toEqual([]);
  expect(problemsOf(withAliases(101))).toEqual([
    "a.yaml: has more than 100 aliases (*name); write the values out",
  ]);
  const bomb = withAliases(30_000, "y".repeat(150_000));
  expect(processorMs(() => problemsOf(bomb))).toBeLessThan(1_000);
});

test("a long text with 100 aliases is refused without expanding it", () => {
  const text = "y".repeat(200_000);
  const source = `name: &a ${text}\nx: [${"*a,".repeat(99)}]\n`;
  expect(problemsOf(source)).toEqual(["a.yaml: is longer than 256 KB"]);
  expect(processorMs(() => problemsOf(source))).toBeLessThan(1_000);
});

test("50 regular expressions are read, 51 are refused before any is compiled", () => {
  const withPatterns = (count: number, pattern = "a+") =>
    `name: A\nscript: ${listOf(count, `{say: A, must: [{says: {regex: "${pattern}"}}]}`)}`;
  expect(problemsOf(withPatterns(50))).toEqual([]);
  expect(problemsOf(withPatterns(51))).toEqual([
    "a.yaml: has more than 50 regular expressions; say it in words, or make two scenarios of it",
  ]);
  const large = withPatterns(50, "(a{1000}){1000}".repeat(100));
  expect(problemsOf(large)).toHaveLength(20);
  expect(processorMs(() => problemsOf(large))).toBeLessThan(1_000);
});
