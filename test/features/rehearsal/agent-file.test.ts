/** How a rehearsal reads an agent's file, and the call data in its conversation. */
import { expect, test } from "bun:test";
import {
  AgentFile,
  agentFileOf,
  agentOf,
  callConfigOf,
} from "../../../src/features/rehearsal/agent-file.ts";
import { readScenario } from "../../../src/features/rehearsal/read-scenario.ts";

const fileOf = (fields: object = {}) =>
  AgentFile.parse({ name: "Anna", prompt: "You answer the phone.", ...fields });

const NAMES = ["a.md", "B.CSV", "c.json", "d.txt"];
const read = async (name: string) => `Text of ${name}`;

test("files next to the agent's are read in the format of their extension", async () => {
  const { knowledge } = await agentOf(fileOf({ knowledge: NAMES }), read);
  expect(knowledge.map(({ filename, format }) => [filename, format])).toEqual([
    ["a.md", "md"],
    ["B.CSV", "csv"],
    ["c.json", "json"],
    ["d.txt", "txt"],
  ]);
  expect(knowledge[1]?.content).toBe("Text of B.CSV");
});

test("the agent uses its voice, or Sari's if only this server has that voice", async () => {
  const spoken = async (voice: string) =>
    (await agentOf(agentFileOf(["Own"]).parse({ ...fileOf(), voice }), read)).agent.voice;
  expect([await spoken("Nathan"), await spoken("Own")]).toEqual(["Nathan", "Sari"]);
});

test("filler phrases are the lines that say something", async () => {
  const file = fileOf({ filler_phrases: "One moment.\n\n  \nLet me see." });
  expect((await agentOf(file, read)).agent.fillerPhrases).toEqual(["One moment.", "Let me see."]);
});

test.each([
  ["Europe/Vilnius", true],
  ["Europe/Nowhere", false],
])("the time zone %s is accepted: %p", (zone, isTaken) => {
  const file = { name: "Anna", prompt: "x", time_zone: zone };
  expect(AgentFile.safeParse(file).success).toBe(isTaken);
});

test.each([
  ["inbound", ["+37061112223", "+37052000001"]],
  ["outbound", ["+37052000001", "+37061112223"]],
] as const)("an %s call has a number for each side", async (direction, numbers) => {
  const agent = await agentOf(fileOf({ number: "+37052000001" }), read);
  const scenario = readScenario(
    "a.yaml",
    `name: A\ndirection: ${direction}\ncaller: {number: "+37061112223"}\nscript: [{say: Hello}]\n`,
  );
  const { fromNumber, toNumber } = callConfigOf(agent, scenario, "call-1");
  expect([fromNumber, toNumber]).toEqual([...numbers]);
});

test("files are numbered from 1, and searched if together they exceed the limit", async () => {
  const agent = await agentOf(fileOf({ knowledge: ["a.md", "b.md"] }), async () =>
    "word ".repeat(200),
  );
  const scenario = readScenario("a.yaml", "name: A\nscript: [{say: Hello}]\n");
  const looksUp = (tokens: number) => {
    const { looksUpKnowledge, knowledge } = callConfigOf(agent, scenario, "c", tokens);
    // As in a real call, searched files are not in the conversation's prompt.
    expect(knowledge).toHaveLength(looksUpKnowledge ? 0 : 2);
    return looksUpKnowledge;
  };
  const { knowledgeScope } = callConfigOf(agent, scenario, "c");
  expect(knowledgeScope?.files.map(({ id }) => id)).toEqual([1, 2]);
  expect([looksUp(100), looksUp(10_000), looksUp(Number.POSITIVE_INFINITY)]).toEqual([
    true,
    false,
    false,
  ]);
});

test.each([
  [1, true],
  [1_000, true],
  [0, false],
  [1_001, false],
])("a tool's description of %i characters is accepted: %p", (length, isTaken) => {
  const tool = { name: "look_up", description: "d".repeat(length) };
  const file = { name: "Anna", prompt: "x", tools: [tool] };
  expect(AgentFile.safeParse(file).success).toBe(isTaken);
});

test.each([
  ["look_up", true],
  [`_${"a".repeat(63)}`, true],
  [`_${"a".repeat(64)}`, false],
  ["2fast", false],
  ["look up", false],
  ["", false],
])("a tool named %p is accepted: %p", (name, isTaken) => {
  const file = { name: "Anna", prompt: "x", tools: [{ name, description: "Looks up." }] };
  expect(AgentFile.safeParse(file).success).toBe(isTaken);
});

test("a tool needs neither parameters nor a caller level", async () => {
  const file = fileOf({ tools: [{ name: "hours", description: "Opening hours." }] });
  expect(file.tools[0]?.caller_level).toBe(0);
  const { tools } = await agentOf(file, read);
  expect(tools).toEqual([
    {
      name: "hours",
      description: "Opening hours.",
      parameters: { type: "object", properties: {} },
    },
  ]);
});
